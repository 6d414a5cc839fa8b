import type { App, Build, Channel } from '@sluice/contracts';
import { useState } from 'react';
import { api } from '../../../api/client';
import { Modal } from '../../../parts/dialog';
import { Form, SelectField } from '../../../parts/form';
import { useSend } from '../../../parts/send';
import { Loading } from '../../../parts/states';
import type { DialogProps } from './dialog-props';
import { MandatoryField } from './mandatory-field';
import { useWatchedBuild } from './meanwhile';
import { CHANNELS, servedIn, useBuilds, useHolder } from '../../builds/data';
import { Percentage } from './percentage';
import { useRefusal } from './refusals';
import { servingOf } from './serving';
import { WhatChanges } from './what-changes';

/** Where a build usually goes next, and where else. */
const NEXT: Readonly<Record<Channel, readonly [Channel, Channel]>> = {
  development: ['staging', 'production'],
  staging: ['production', 'development'],
  production: ['staging', 'development'],
};

const CAUSES = {
  VERSION_ALREADY_EXISTS: 'target_channel',
  ALREADY_IN_CHANNEL: 'target_channel',
  BUILD_NOT_READY: 'target_channel',
};

interface PromoteDialogProps extends DialogProps {
  readonly build: Build;
  readonly target: Channel | undefined;
}

/** Gives a build to another channel, which from then on has a build of its own of the same bundle. */
export function PromoteDialog({ app, build, target, open, close, refresh }: PromoteDialogProps) {
  const [next, other] = NEXT[build.channel];
  const inNext = useHolder(app, next, build.version);
  const inOther = useHolder(app, other, build.version);
  const [chosen, setChannel] = useState(target);
  // Where it is already it can't go.
  const channel = chosen ?? (inNext.build !== undefined && inOther.build === undefined ? other : next);
  const started = useShareBegun(app, channel);
  const [share, setShare] = useState<number>();
  const rollout = share ?? started?.percentage ?? 100;
  const [mandatory, setMandatory] = useState(build.mandatory);
  const wish = { target_channel: channel, rollout_percentage: rollout, mandatory };
  const promote = useSend(() => api.post<Build>(`/apps/${app.id}/builds/${build.id}/promote`, wish), {
    said: `${build.version} is in ${channel} now.`,
    done: () => {
      refresh();
      close();
    },
  });
  // One that is deleted can't be promoted; whatever else changes is no part of the promotion.
  useWatchedBuild(app, build, { open, close, busy: promote.isPending });
  const error = useRefusal(promote.error, CAUSES);
  const coming = { version: build.version, rollout, mandatory, minNativeVersion: build.min_native_version };
  return (
    <Modal title={`Promote ${build.version} from ${build.channel}`} open={open} close={close}>
      {inNext.isPending || inOther.isPending ? (
        <Loading what="the channels" />
      ) : (
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
            change={(to) => {
              promote.reset();
              setChannel(to);
            }}
            options={CHANNELS.filter(([each]) => each !== build.channel)}
          />
          <Percentage
            value={rollout}
            change={setShare}
            help={
              started === undefined
                ? 'Begin small and raise it as long as all goes well.'
                : `${started.version} is at ${started.percentage} % of ${channel}: this begins with the same share.`
            }
          />
          <MandatoryField name="mandatory" value={mandatory} change={setMandatory} />
          <WhatChanges app={app} channel={channel} coming={coming} />
        </Form>
      )}
    </Modal>
  );
}

/** Of a rollout that a channel is in the middle of: what it is at. */
function useShareBegun(
  app: App,
  channel: Channel,
): { readonly version: string; readonly percentage: number } | undefined {
  const active = useBuilds(app, servedIn(channel));
  const [head] = servingOf(active.data?.data ?? []).served;
  const percentage = head?.rollout_percentage ?? 100;
  if (head === undefined || active.isPlaceholderData || percentage === 0 || percentage === 100) return undefined;
  return { version: head.version, percentage };
}
