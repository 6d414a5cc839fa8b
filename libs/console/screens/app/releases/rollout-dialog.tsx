import type { Build } from '@sluice/contracts';
import { api } from '../../../api/client';
import { Modal } from '../../../parts/dialog';
import { CheckField, Form } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import { ConcurrentChanges } from '../../../parts/watched';
import { otherRing } from '../../../texts/audience';
import * as texts from '../../../texts/build-dialogs';
import { build as nameOf } from '../../../texts/shared';
import { RingField } from './audience';
import { useWatchedBuild } from './watched-build';
import type { DialogProps } from './dialog-props';
import { Percentage } from './percentage';
import { EndsPlan } from './plan-actions';
import { useErrorTexts } from './error-texts';
import { showUndoToast } from './undoable';

export function RolloutDialog({ app, build, open, close, refresh }: DialogProps & { readonly build: Build }) {
  const { draft, change, field, form } = useForm(
    draftOf(build),
    (rollout) =>
      api
        .patch<Build>(
          `/apps/${app.id}/builds/${build.id}/rollout`,
          changesOf(rollout, watched.seen),
          watched.seen.revision,
        )
        .finally(refresh),
    {
      done: (changed) => {
        showUndoToast(app, changed, {
          text: enabled ? texts.rolloutChanged(nameOf(build), percentage) : texts.halted(nameOf(build)),
          back: [{ of: '/rollout', set: changesOf(draftOf(watched.seen), changed) }],
          refresh,
        });
        close();
      },
    },
  );
  const { rollout_percentage: percentage, enabled, ring } = draft;
  const watched = useWatchedBuild(app, build, { open, close, busy: form.busy });
  const error = useErrorTexts(watched.judge(form.error));
  const now = draftOf(watched.current);
  const isSame = percentage === now.rollout_percentage && enabled === now.enabled && ring === now.ring;
  return (
    <Modal title={texts.rolloutTitle(nameOf(build))} open={open} close={close}>
      <Form {...form} error={error} verb={texts.apply} disabled={isSame} cancel={close}>
        <Percentage value={percentage} change={(share) => change({ rollout_percentage: share })} />
        <CheckField
          name="enabled"
          label={texts.rolloutHalted}
          help={texts.haltedHelp}
          value={!enabled}
          change={(halted) => change({ enabled: !halted })}
        />
        <RingField {...field('ring')} />
        <ConcurrentChanges
          of={watched}
          form={{
            ...{ draft, draftOf, change },
            mine: { rollout_percentage: percentage, rollout_enabled: enabled, ring },
          }}
        />
        <p className="note info" role="status">
          {isSame ? (
            texts.willStay
          ) : (
            <>
              {consequence(now.rollout_percentage, percentage, enabled)}
              {ring !== now.ring && <> {otherRing}</>}
              <EndsPlan app={app} build={build.id} />
            </>
          )}
        </p>
      </Form>
    </Modal>
  );
}

const draftOf = ({ rollout_percentage: percentage, rollout_enabled: enabled, ring }: Build) => ({
  ...{ rollout_percentage: percentage ?? 100, enabled, ring },
});

/** The ring only if it changes. */
const changesOf = ({ ring, ...rollout }: ReturnType<typeof draftOf>, before: Pick<Build, 'ring'>) => ({
  ...rollout,
  ...(ring !== before.ring && { ring }),
});

function consequence(before: number, percentage: number, enabled: boolean): string {
  if (!enabled) return texts.willHalt;
  if (percentage === 0) return texts.willBeZero;
  if (percentage > before) return texts.willGrow(before, percentage);
  return percentage < before ? texts.willShrink(before, percentage) : texts.willResume(percentage);
}
