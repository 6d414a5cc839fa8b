import { useMutation } from '@tanstack/react-query';
import type { App, Channel, Explanation } from '@sluice/contracts';
import { useState } from 'react';
import { api, query } from '../../../api/client';
import { Form, SelectField, TextField } from '../../../parts/form';
import './device.css';

type Platform = Explanation['platform'];

/** What was asked, and the answer. */
export interface Question {
  readonly device: string;
  readonly answer: Explanation;
}

const PLATFORMS: readonly (readonly [Platform, string])[] = [
  ['ios', 'iOS'],
  ['android', 'Android'],
  ['web', 'Web'],
  ['all', 'Not said'],
];

const CHANNELS: readonly (readonly [Channel, string])[] = [
  ['production', 'production'],
  ['staging', 'staging'],
  ['development', 'development'],
];

export function ExplainForm({
  app,
  answered,
}: {
  readonly app: App;
  readonly answered: (question: Question | undefined) => void;
}) {
  const [device, setDevice] = useState('');
  const [version, setVersion] = useState('');
  const [appVersion, setAppVersion] = useState('');
  const [platform, setPlatform] = useState<Platform>(app.platform === 'android' ? 'android' : 'ios');
  const [channel, setChannel] = useState<Channel>('production');
  const ask = useMutation({
    mutationFn: () =>
      api.get<Explanation>(
        `/apps/${app.id}/explain${query({ device, version, platform, channel, app_version: appVersion })}`,
      ),
    onMutate: () => answered(undefined),
    onSuccess: (answer) => answered({ device, answer }),
  });
  return (
    <div className="explain-form">
      <Form submit={() => ask.mutate()} busy={ask.isPending} error={ask.error} verb="Explain">
        <TextField
          name="device"
          label="Device id"
          help="What the device sends as X-Device-ID."
          required
          value={device}
          change={setDevice}
        />
        <TextField
          name="version"
          label="Bundle it runs"
          help="A version, such as 1.4.0."
          required
          value={version}
          change={setVersion}
        />
        <TextField
          name="app_version"
          label="Native app (optional)"
          help="Builds may need a least one."
          value={appVersion}
          change={setAppVersion}
        />
        <SelectField name="platform" label="Platform" value={platform} change={setPlatform} options={PLATFORMS} />
        <SelectField name="channel" label="Channel" value={channel} change={setChannel} options={CHANNELS} />
      </Form>
    </div>
  );
}
