import type { Build } from '@sluice/contracts';
import { Actions, type MenuEntry } from '../../../parts/menu';
import type { ActKind } from './acts';
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
  const act = (kind: BuildQuestion | ActKind) => () => ask({ kind, build });
  const isStopped = never === undefined && (status !== 'active' || !enabled);
  const entries: readonly MenuEntry[] = [
    { name: 'Promote …', act: act('promote'), refused: never },
    { name: 'Rollout …', act: act('rollout'), refused: never },
    ...(isStopped
      ? [{ name: 'Resume', help: resumeHelp(build), act: act('resume') }]
      : [
          {
            name: 'Halt the rollout',
            help: 'No further device gets it; the rollout keeps its percentage.',
            act: act('halt'),
            refused: never ?? (percentage === 0 ? 'It is at 0 %: no device gets it.' : undefined),
          },
        ]),
    ...(status === 'paused' || status === 'archived'
      ? []
      : [
          {
            name: 'Pause',
            help: 'Takes it out of the channel: devices get the next older build.',
            act: act('pause'),
            refused: never,
          },
        ]),
    { name: 'Edit …', act: act('edit') },
    {
      name: never === undefined ? 'Archive' : 'Archive …',
      help: never === undefined ? 'Out of the channel, and out of the way.' : 'It can’t be undone.',
      act: act('archive'),
      danger: never !== undefined,
      refused: status === 'archived' ? 'It is archived already.' : undefined,
    },
    { name: 'Delete …', act: act('delete'), danger: true },
  ];
  return <Actions label={`Actions for ${build.version} in ${build.channel}`} entries={entries} />;
}

function resumeHelp({ rollout_percentage: percentage }: Build): string {
  return percentage === 0
    ? 'It is at 0 %: raise its rollout to give it to devices.'
    : `Devices get it again, at ${percentage ?? 100} % of its rollout.`;
}
