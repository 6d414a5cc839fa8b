import { useMutation } from '@tanstack/react-query';
import type { App, Channel, Explanation } from '@sluice/contracts';
import { api, query } from '../../../api/client';
import { bind } from '../../../parts/bind';
import { Form, SelectField, TextField } from '../../../parts/form';
import { CHANNEL_NAMES } from '../../builds/data';
import './device.css';

type Platform = Explanation['platform'];

/** What a device says of itself, as `GET …/explain` takes it. */
export interface Wish {
  readonly device: string;
  readonly version: string;
  readonly app_version: string;
  readonly platform: Platform;
  readonly channel: Channel;
}

/** The question and its answer. */
export interface Question {
  readonly wish: Wish;
  readonly answer: Explanation;
}

const PLATFORMS: readonly (readonly [Platform, string])[] = [
  ['ios', 'iOS'],
  ['android', 'Android'],
  ['web', 'Web'],
  ['all', 'Not said'],
];

interface ExplainFormProps {
  readonly app: App;
  readonly wish: Wish;
  readonly change: (part: Partial<Wish>) => void;
  readonly answered: (question: Question | undefined) => void;
}

export function ExplainForm({ app, wish, change, answered }: ExplainFormProps) {
  const ask = useMutation({
    mutationFn: (asked: Wish) => api.get<Explanation>(`/apps/${app.id}/explain${query({ ...asked })}`),
    onMutate: () => answered(undefined),
    onSuccess: (answer, asked) => answered({ wish: asked, answer }),
  });
  const field = bind(wish, change);
  return (
    <div className="explain-form">
      <Form submit={() => ask.mutate(wish)} busy={ask.isPending} error={ask.error} verb="Explain">
        <TextField {...field('device')} label="Device id" help="What the device sends as X-Device-ID." required />
        <TextField {...field('version')} label="Bundle it runs" help="A version, such as 1.4.0." required />
        <TextField {...field('app_version')} label="Native app (optional)" help="Builds may need a least one." />
        <SelectField {...field('platform')} label="Platform" options={PLATFORMS} />
        <SelectField {...field('channel')} label="Channel" options={CHANNEL_NAMES} />
      </Form>
    </div>
  );
}
