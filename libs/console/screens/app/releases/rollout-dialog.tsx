import type { Build } from '@sluice/contracts';
import { api } from '../../../api/client';
import { Modal } from '../../../parts/dialog';
import { CheckField, Form } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import { sayChanged } from './acts';
import type { DialogProps } from './dialog-props';
import { Meanwhile, useWatchedBuild } from './meanwhile';
import { Percentage } from './percentage';
import { useRefusal } from './refusals';

export function RolloutDialog({ app, build, open, close, refresh }: DialogProps & { readonly build: Build }) {
  const { draft, change, field, form } = useForm(
    draftOf(build),
    (wish) =>
      api.patch<Build>(`/apps/${app.id}/builds/${build.id}/rollout`, wish, watched.seen.revision).finally(refresh),
    {
      done: (changed) => {
        sayChanged(app, changed, {
          text: enabled
            ? `${build.version} goes to ${percentage} % of ${build.channel}.`
            : `${build.version} is halted.`,
          back: [{ of: '/rollout', set: draftOf(watched.seen) }],
          refresh,
        });
        close();
      },
    },
  );
  const { rollout_percentage: percentage, enabled } = draft;
  const watched = useWatchedBuild(app, build, { open, close, busy: form.busy });
  const error = useRefusal(watched.judge(form.error));
  return (
    <Modal title={`Rollout of ${build.version} in ${build.channel}`} open={open} close={close}>
      <Form {...form} error={error} verb="Apply" cancel={close}>
        <Percentage label="Goes to" value={percentage} change={(share) => change({ rollout_percentage: share })} />
        <CheckField
          {...field('enabled')}
          label="Give it to further devices"
          help="Without this the rollout is halted: devices that run it keep it, no others get it."
        />
        <Meanwhile
          of={watched}
          mine={{ rollout_percentage: percentage, rollout_enabled: enabled }}
          take={(current) => change(draftOf(current))}
        />
        <p className="note info" role="status">
          {consequence(watched.current.rollout_percentage ?? 100, percentage, enabled)}
        </p>
      </Form>
    </Modal>
  );
}

const draftOf = ({ rollout_percentage: percentage, rollout_enabled: enabled }: Build) => ({
  ...{ rollout_percentage: percentage ?? 100, enabled },
});

function consequence(before: number, percentage: number, enabled: boolean): string {
  if (!enabled) return 'Halted: no further device gets it. The others get the next older build, where there is one.';
  if (percentage === 0) return 'At 0 % no device gets it. Those that run it keep it.';
  if (percentage > before) {
    return `It reaches ${percentage} instead of ${before} of every 100 devices. Each device that it reaches now stays in.`;
  }
  if (percentage < before) {
    return `It reaches ${percentage} instead of ${before} of every 100 devices. Those that run it already keep it.`;
  }
  return `It reaches ${percentage} of every 100 devices.`;
}
