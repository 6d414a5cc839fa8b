import { useMutation } from '@tanstack/react-query';
import type { App, Channel, Explanation } from '@sluice/contracts';
import { api, query } from '../../../api/client';
import { bind } from '../../../parts/bind';
import { Form, SelectField, TextField } from '../../../parts/form';
import * as texts from '../../../texts/device';
import { platforms } from '../../../texts/shared';
import { channelsOf } from '../../builds/data';
import './device.css';

type Platform = Explanation['platform'];

/** The query of `GET …/explain`. */
export interface ExplainInput {
  readonly device: string;
  readonly version: string;
  readonly app_version: string;
  readonly fingerprint: string;
  readonly embedded_version: string;
  /** As in a query. */
  readonly attributes: string;
  readonly platform: Platform;
  readonly channel: Channel;
}

export interface Explained {
  readonly input: ExplainInput;
  readonly explanation: Explanation;
}

const PLATFORMS: readonly (readonly [Platform, string])[] = [
  ['ios', platforms.ios],
  ['android', platforms.android],
  ['web', platforms.web],
  ['all', texts.unknownPlatform],
];

interface ExplainFormProps {
  readonly app: App;
  readonly input: ExplainInput;
  readonly change: (part: Partial<ExplainInput>) => void;
  /** Undefined: a new one is requested. */
  readonly explained: (explained: Explained | undefined) => void;
}

export function ExplainForm({ app, input, change, explained }: ExplainFormProps) {
  const explain = useMutation({
    mutationFn: (sent: ExplainInput) => api.get<Explanation>(`/apps/${app.id}/explain${query({ ...sent })}`),
    onMutate: () => explained(undefined),
    onSuccess: (explanation, sent) => explained({ input: sent, explanation }),
  });
  const field = bind(input, change);
  return (
    <div className="explain-form">
      <Form submit={() => explain.mutate(input)} busy={explain.isPending} error={explain.error} verb={texts.check}>
        <TextField {...field('version')} label={texts.bundleVersion} help={texts.bundleVersionHelp} required />
        <TextField {...field('app_version')} label={texts.nativeVersion} help={texts.nativeVersionHelp} />
        <TextField {...field('fingerprint')} label={texts.fingerprint} help={texts.fingerprintHelp} />
        <TextField {...field('embedded_version')} label={texts.embedded} help={texts.embeddedHelp} />
        {Object.keys(app.attributes).length > 0 && (
          <TextField
            {...field('attributes')}
            label={texts.attributes}
            help={texts.attributesHelp(Object.keys(app.attributes))}
          />
        )}
        <SelectField {...field('platform')} label={texts.platform} options={PLATFORMS} />
        <SelectField {...field('channel')} label={texts.channel} options={channelsOf(app)} />
      </Form>
    </div>
  );
}
