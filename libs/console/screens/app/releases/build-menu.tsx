import type { Build } from '@sluice/contracts';
import { Actions, type MenuEntry } from '../../../parts/menu';
import { useAsk, type BuildQuestion } from './build-dialogs';

const NEVER_ACTIVE: Partial<Record<Build['status'], string>> = {
  uploading: 'It is still being uploaded.',
  processing: 'It is still being checked.',
  failed: 'It was refused: devices can never get it.',
};

/** Why it can't be promoted. */
export function unpromotable(build: Build): string | undefined {
  return NEVER_ACTIVE[build.status];
}

/** All that can be done with a build; what can't be done now says why. */
export function BuildMenu({ build }: { readonly build: Build }) {
  const ask = useAsk();
  const { status, rollout_enabled: enabled, rollout_percentage: percentage } = build;
  const never = NEVER_ACTIVE[status];
  const act = (kind: BuildQuestion) => () => ask({ kind, build });
  const entries: readonly MenuEntry[] = [
    { name: 'Promote …', act: act('promote'), refused: never },
    { name: 'Rollout …', act: act('rollout'), refused: never },
    enabled
      ? {
          name: 'Halt the rollout …',
          help: 'No further device gets it for now.',
          act: act('halt'),
          refused: never ?? (percentage === 0 ? 'It is at 0 %: no device gets it.' : undefined),
        }
      : {
          name: 'Resume the rollout …',
          help: `Goes on at ${percentage ?? 100} %.`,
          act: act('resume'),
          refused: never,
        },
    status === 'paused' || status === 'archived'
      ? { name: 'Activate …', help: 'Devices are given it again.', act: act('activate') }
      : { name: 'Pause …', help: 'No device is given it for a while.', act: act('pause'), refused: never },
    { name: 'Edit …', act: act('edit') },
    {
      name: 'Archive …',
      help: never === undefined ? 'Out of service: puts away what is done with.' : 'Puts away what is done with.',
      act: act('archive'),
      refused: status === 'archived' ? 'It is archived already.' : undefined,
    },
    { name: 'Delete …', act: act('delete'), danger: true },
  ];
  return <Actions label={`Actions for ${build.version} in ${build.channel}`} entries={entries} />;
}
