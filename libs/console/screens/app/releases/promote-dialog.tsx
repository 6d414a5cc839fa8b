import { useMutation } from '@tanstack/react-query';
import type { Build, Channel } from '@sluice/contracts';
import { useState } from 'react';
import { api } from '../../../api/client';
import { Modal } from '../../../parts/dialog';
import { CheckField, Form, SelectField } from '../../../parts/form';
import { say } from '../../../parts/toasts';
import { useBesideField } from './beside';
import type { DialogProps } from './dialog-props';
import { CHANNELS } from './data';
import { Percentage } from './percentage';
import { WhatChanges } from './what-changes';

/** Where a build usually goes next. */
const NEXT: Readonly<Record<Channel, Channel>> = {
  development: 'staging',
  staging: 'production',
  production: 'staging',
};

const CAUSES = { VERSION_ALREADY_EXISTS: 'target_channel', ALREADY_IN_CHANNEL: 'target_channel' };

/** Gives a build to another channel, which from then on has a build of its own of the same bundle. */
export function PromoteDialog({
  app,
  build,
  target,
  open,
  close,
  refresh,
}: DialogProps & { readonly build: Build; readonly target: Channel | undefined }) {
  const [channel, setChannel] = useState(target ?? NEXT[build.channel]);
  const [rollout, setRollout] = useState(100);
  const [mandatory, setMandatory] = useState(build.mandatory);
  const promote = useMutation({
    mutationFn: () =>
      api.post<Build>(`/apps/${app.id}/builds/${build.id}/promote`, {
        target_channel: channel,
        rollout_percentage: rollout,
        mandatory,
      }),
    onSuccess: () => {
      say(`${build.version} is in ${channel} now.`);
      refresh();
      close();
    },
  });
  const error = useBesideField(promote.error, CAUSES);
  const coming = { version: build.version, rollout, mandatory, minNativeVersion: build.min_native_version };
  return (
    <Modal title={`Promote ${build.version} from ${build.channel}`} open={open} close={close}>
      <Form
        submit={() => promote.mutate()}
        busy={promote.isPending}
        error={error}
        verb={`Promote to ${channel}`}
        cancel={close}
      >
        <SelectField
          name="target_channel"
          label="To the channel"
          value={channel}
          change={(next) => {
            promote.reset();
            setChannel(next);
          }}
          options={CHANNELS.filter(([each]) => each !== build.channel)}
        />
        <Percentage value={rollout} change={setRollout} help="Begin small and raise it as long as all goes well." />
        <CheckField
          name="mandatory"
          label="Mandatory"
          help="Devices have to take it before they go on."
          checked={mandatory}
          change={setMandatory}
        />
        <WhatChanges app={app} channel={channel} coming={coming} />
      </Form>
    </Modal>
  );
}
