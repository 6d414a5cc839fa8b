import type { Build } from '@sluice/contracts';
import { Actions, type MenuEntry } from '../../../parts/menu';
import * as planTexts from '../../../texts/plan';
import * as recallTexts from '../../../texts/recall';
import * as texts from '../../../texts/releases';
import { build as nameOf } from '../../../texts/shared';
import { useBuildActions, type BuildDialogKind } from './build-dialogs';
import { isRecalled, isReplacement } from './serving';
import type { UndoableKind } from './undoable';

const NEVER_ACTIVE: Partial<Record<Build['status'], string>> = {
  uploading: texts.uploading,
  processing: texts.processing,
  failed: texts.failed,
};

/** Why it can't be promoted. */
export function unpromotable(build: Build): string | undefined {
  return NEVER_ACTIVE[build.status];
}

/** The actions on a build; one that is not possible now shows why. */
export function BuildMenu({ build }: { readonly build: Build }) {
  const start = useBuildActions();
  const { status, rollout_enabled: enabled, rollout_percentage: percentage } = build;
  const never = NEVER_ACTIVE[status];
  const act = (kind: BuildDialogKind | UndoableKind | 'unrecall') => () => start({ kind, build });
  const isStopped = never === undefined && (status !== 'active' || !enabled);
  const recalled = isRecalled(build);
  if (isReplacement(build)) {
    const replaces = recallTexts.isReplacement(build.recall_of ?? 0);
    const entries: readonly MenuEntry[] = [
      { name: texts.edit, act: act('edit') },
      {
        name: texts.deleteBuild,
        act: act('delete'),
        danger: true,
        disabledReason: status === 'active' ? replaces : undefined,
      },
    ];
    return <Actions label={texts.actionsFor(nameOf(build))} entries={entries} />;
  }
  const entries: readonly MenuEntry[] = [
    { name: texts.promote, act: act('promote'), disabledReason: never },
    { name: texts.changeRollout, act: act('rollout'), disabledReason: never },
    {
      name: planTexts.menu,
      act: act('plan'),
      disabledReason: never ?? (status === 'active' ? undefined : planTexts.needsActive),
    },
    ...(isStopped
      ? [
          {
            name: status === 'active' ? texts.resumeRollout : texts.resumeBuild,
            help: resumeHelp(build),
            act: act('resume'),
            disabledReason: recalled ? recallTexts.isRecalled : undefined,
          },
        ]
      : [
          {
            name: texts.haltRollout,
            help: texts.haltHelp,
            act: act('halt'),
            disabledReason: never ?? (percentage === 0 ? texts.haltAtZero : undefined),
          },
        ]),
    ...(status === 'paused' || status === 'archived'
      ? []
      : [
          {
            name: texts.pause,
            help: texts.pauseHelp,
            act: act('pause'),
            disabledReason: never,
          },
        ]),
    recalled
      ? { name: recallTexts.unrecall, help: recallTexts.unrecallHelp, act: act('unrecall') }
      : {
          name: recallTexts.recall,
          help: recallTexts.recallHelp,
          act: act('recall'),
          danger: true,
          disabledReason: never,
        },
    { name: texts.edit, act: act('edit') },
    {
      name: never === undefined ? texts.archive : texts.archiveUnready,
      help: never === undefined ? texts.archiveHelp : texts.notUndoable,
      act: act('archive'),
      danger: never !== undefined,
      disabledReason: recalled ? recallTexts.isRecalled : status === 'archived' ? texts.alreadyArchived : undefined,
    },
    { name: texts.deleteBuild, act: act('delete'), danger: true },
  ];
  return <Actions label={texts.actionsFor(nameOf(build))} entries={entries} />;
}

function resumeHelp({ rollout_percentage: percentage }: Build): string {
  return percentage === 0 ? texts.resumeAtZero : texts.resumeHelp(percentage ?? 100);
}
