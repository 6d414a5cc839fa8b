import type { App, Build, Channel, Ring } from '@sluice/contracts';
import { useMemo, useState } from 'react';
import { api, ApiError } from '../../../api/client';
import { Modal } from '../../../parts/dialog';
import { Form, SelectField } from '../../../parts/form';
import { useSend } from '../../../parts/send';
import { Loading } from '../../../parts/states';
import * as audienceTexts from '../../../texts/audience';
import * as texts from '../../../texts/build-dialogs';
import { channelsOf, servedIn, useBuilds, useHolder } from '../../builds/data';
import { atAudienceFields, AudienceFields, RingField, useAudience } from './audience';
import { useWatchedBuild } from './watched-build';
import type { DialogProps } from './dialog-props';
import { MandatoryField } from './mandatory-field';
import { RolloutField, useRollout } from './rollout-field';
import { useErrorTexts } from './error-texts';
import { servingOf } from './serving';
import { WhatChanges } from './what-changes';

/** The channel that a build is usually promoted to, and the other one. */
const NEXT = new Map<Channel, readonly [Channel, Channel]>([
  ['staging', ['production', 'development']],
  ['production', ['staging', 'development']],
]);

const CAUSES = {
  VERSION_ALREADY_EXISTS: 'target_channel',
  ALREADY_IN_CHANNEL: 'target_channel',
  BUILD_NOT_READY: 'target_channel',
};

interface PromoteDialogProps extends DialogProps {
  readonly build: Build;
  readonly target: Channel | undefined;
}

/** Promotes a build to another channel, which gets its own build of the same bundle. */
export function PromoteDialog({ app, build, target, open, close, refresh }: PromoteDialogProps) {
  const [next, other] = NEXT.get(build.channel) ?? (['staging', 'production'] as const);
  const held = { version: build.version, native: build };
  const inNext = useHolder(app, next, held);
  const inOther = useHolder(app, other, held);
  const [chosen, setChannel] = useState(target);
  // A build can't be promoted to a channel that has it.
  const channel = chosen ?? (inNext.build !== undefined && inOther.build === undefined ? other : next);
  const started = useStartedRollout(app, channel);
  const rollout = useRollout(app, channel, started?.percentage);
  const [mandatory, setMandatory] = useState(build.mandatory);
  const { audience, ...ofAudience } = useAudience();
  const [ring, setRing] = useState<Ring>(build.ring);
  const promotion = {
    ...{ target_channel: channel, ...rollout.body, mandatory },
    ...(audience !== null && { audience }),
    ...(ring !== build.ring && { ring }),
  };
  const promote = useSend(() => api.post<Build>(`/apps/${app.id}/builds/${build.id}/promote`, promotion), {
    toast: texts.promoted(build.version, channel),
    done: () => {
      refresh();
      close();
    },
  });
  // Closes the dialog if the build is deleted; other changes don't affect the promotion.
  useWatchedBuild(app, build, { open, close, busy: promote.isPending });
  const error = useErrorTexts(
    useMemo(() => atAudienceFields(promote.error), [promote.error]),
    CAUSES,
  );
  const [isMore, setMore] = useState(false);
  const isFaultyMore = error instanceof ApiError && Object.keys(error.fields).some((name) => /^audience/.test(name));
  const { percentage } = rollout;
  const coming = { version: build.version, rollout: percentage, mandatory, audience, native: build };
  return (
    <Modal title={texts.promoteTitle(build.version, build.channel)} open={open} close={close}>
      {inNext.isPending || inOther.isPending ? (
        <Loading what={texts.loadingChannels} />
      ) : (
        <Form
          submit={() => promote.mutate()}
          busy={promote.isPending}
          error={error}
          verb={texts.promoteTo(channel)}
          cancel={close}
        >
          <SelectField
            name="target_channel"
            label={texts.targetChannel}
            value={channel}
            change={(to) => {
              promote.reset();
              setChannel(to);
            }}
            options={channelsOf(app).filter(([each]) => each !== build.channel)}
          />
          <RolloutField
            channel={channel}
            rollout={rollout}
            help={
              started === undefined
                ? percentage === 100
                  ? texts.startSmall
                  : texts.shareHelp
                : texts.sameShare(build.version, started.version, started.percentage, channel)
            }
          />
          <MandatoryField name="mandatory" value={mandatory} change={setMandatory} />
          <details
            className="more"
            open={isMore || isFaultyMore}
            onToggle={({ currentTarget }) => setMore(currentTarget.open)}
          >
            <summary>{audienceTexts.audience}</summary>
            <div className="form">
              <AudienceFields app={app} {...ofAudience} />
              <RingField value={ring} change={setRing} />
            </div>
          </details>
          <WhatChanges app={app} channel={channel} coming={coming} />
        </Form>
      )}
    </Modal>
  );
}

/** The rollout that is under way in a channel, if any. */
function useStartedRollout(
  app: App,
  channel: Channel,
): { readonly version: string; readonly percentage: number } | undefined {
  const active = useBuilds(app, servedIn(channel));
  const [head] = servingOf(active.data?.data ?? []).served;
  const percentage = head?.rollout_percentage ?? 100;
  if (head === undefined || active.isPlaceholderData || percentage === 0 || percentage === 100) return undefined;
  return { version: head.version, percentage };
}
