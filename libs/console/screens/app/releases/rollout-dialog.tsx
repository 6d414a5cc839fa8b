import { useMutation } from '@tanstack/react-query';
import type { Build } from '@sluice/contracts';
import { useState } from 'react';
import { api } from '../../../api/client';
import { Modal } from '../../../parts/dialog';
import { CheckField, Form } from '../../../parts/form';
import { sayChanged } from './acts';
import type { DialogProps } from './dialog-props';
import { Meanwhile, useWatchedBuild } from './meanwhile';
import { Percentage } from './percentage';
import { useRefusal } from './refusals';

export function RolloutDialog({ app, build, open, close, refresh }: DialogProps & { readonly build: Build }) {
  const [percentage, setPercentage] = useState(build.rollout_percentage ?? 100);
  const [enabled, setEnabled] = useState(build.rollout_enabled);
  const apply = useMutation({
    mutationFn: () => {
      const wish = { rollout_percentage: percentage, enabled };
      return api.patch<Build>(`/apps/${app.id}/builds/${build.id}/rollout`, wish, watched.seen.revision);
    },
    onSuccess: (changed) => {
      const { rollout_percentage, rollout_enabled } = watched.seen;
      sayChanged(app, changed, {
        text: enabled ? `${build.version} goes to ${percentage} % of ${build.channel}.` : `${build.version} is halted.`,
        back: [{ of: '/rollout', set: { rollout_percentage: rollout_percentage ?? 100, enabled: rollout_enabled } }],
        refresh,
      });
      close();
    },
    onSettled: refresh,
  });
  const watched = useWatchedBuild(app, build, { open, close, busy: apply.isPending });
  const error = useRefusal(watched.judge(apply.error));
  return (
    <Modal title={`Rollout of ${build.version} in ${build.channel}`} open={open} close={close}>
      <Form submit={() => apply.mutate()} busy={apply.isPending} error={error} verb="Apply" cancel={close}>
        <Percentage label="Goes to" value={percentage} change={setPercentage} />
        <CheckField
          name="enabled"
          label="Give it to further devices"
          help="Without this the rollout is halted: devices that run it keep it, no others get it."
          checked={enabled}
          change={setEnabled}
        />
        <Meanwhile
          of={watched}
          mine={{ rollout_percentage: percentage, rollout_enabled: enabled }}
          take={(current) => {
            setPercentage(current.rollout_percentage ?? 100);
            setEnabled(current.rollout_enabled);
          }}
        />
        <p className="note info" role="status">
          {consequence(watched.current.rollout_percentage ?? 100, percentage, enabled)}
        </p>
      </Form>
    </Modal>
  );
}

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
