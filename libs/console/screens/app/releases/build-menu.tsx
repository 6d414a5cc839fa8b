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

/** Whether a preview can offer it: @sluice/device opens one, and does not decrypt bundles. */
export const canPreview = (build: Build): boolean =>
  unpromotable(build) === undefined && !isReplacement(build) && !isEncrypted(build);

/** A server of an earlier release returns no `delivery`. */
export const isEncrypted = ({ delivery }: Partial<Build>): boolean => (delivery ?? null) !== null;

export interface BuildAction extends Omit<MenuEntry, 'act'> {
  readonly kind: BuildDialogKind | UndoableKind | 'unrecall';
}

/** The actions on a build; one that is not possible now has the reason. */
export function actionsOn(build: Build): readonly BuildAction[] {
  const { status, rollout_enabled: enabled, rollout_percentage: percentage } = build;
  const never = NEVER_ACTIVE[status];
  const isStopped = never === undefined && (status !== 'active' || !enabled);
  const recalled = isRecalled(build);
  if (isReplacement(build)) {
    const replaces = recallTexts.isReplacement(build.recall_of ?? 0);
    return [
      { kind: 'edit', name: texts.edit },
      {
        kind: 'delete',
        name: texts.deleteBuild,
        danger: true,
        disabledReason: status === 'active' ? replaces : undefined,
      },
    ];
  }
  return [
    { kind: 'promote', name: texts.promote, disabledReason: never },
    { kind: 'rollout', name: texts.changeRollout, disabledReason: never },
    {
      kind: 'plan',
      name: planTexts.menu,
      disabledReason: never ?? (status === 'active' ? undefined : planTexts.needsActive),
    },
    ...(isStopped
      ? [
          {
            kind: 'resume' as const,
            name: status === 'active' ? texts.resumeRollout : texts.resumeBuild,
            help: resumeHelp(build),
            disabledReason: recalled ? recallTexts.isRecalled : undefined,
          },
        ]
      : [
          {
            kind: 'halt' as const,
            name: texts.haltRollout,
            help: texts.haltHelp,
            disabledReason: never ?? (percentage === 0 ? texts.haltAtZero : undefined),
          },
        ]),
    ...(status === 'paused' || status === 'archived'
      ? []
      : [{ kind: 'pause' as const, name: texts.pause, help: texts.pauseHelp, disabledReason: never }]),
    recalled
      ? { kind: 'unrecall', name: recallTexts.unrecall, help: recallTexts.unrecallHelp }
      : {
          kind: 'recall',
          name: recallTexts.recall,
          help: recallTexts.recallHelp,
          danger: true,
          disabledReason: never,
        },
    { kind: 'edit', name: texts.edit },
    {
      kind: 'archive',
      name: never === undefined ? texts.archive : texts.archiveUnready,
      help: never === undefined ? texts.archiveHelp : texts.notUndoable,
      danger: never !== undefined,
      disabledReason: recalled ? recallTexts.isRecalled : status === 'archived' ? texts.alreadyArchived : undefined,
    },
    { kind: 'delete', name: texts.deleteBuild, danger: true },
  ];
}

export function BuildMenu({ build }: { readonly build: Build }) {
  const start = useBuildActions();
  const entries = actionsOn(build).map(({ kind, ...entry }) => ({ ...entry, act: () => start({ kind, build }) }));
  return <Actions label={texts.actionsFor(nameOf(build))} entries={entries} />;
}

function resumeHelp({ rollout_percentage: percentage }: Build): string {
  return percentage === 0 ? texts.resumeAtZero : texts.resumeHelp(percentage ?? 100);
}
