import { useQueryClient } from '@tanstack/react-query';
import type { App, Build, Channel } from '@sluice/contracts';
import { createContext, useContext, useRef, type ReactNode } from 'react';
import type { DialogState } from '../../../parts/dialog';
import { useFreshDialog } from '../../../parts/send';
import { isLive, refreshBuilds, useOpenPlans } from '../../builds/data';
import { EditBuild } from './edit-build';
import { IRREVERSIBLE, IrreversibleDialog, type IrreversibleKind } from './irreversible';
import { EndPlanDialog, type PlanEnd } from './plan-actions';
import { PlanDialog } from './plan-dialog';
import { PromoteDialog } from './promote-dialog';
import { RecallDialog, UnrecallDialog, type RecalledBuild } from './recall-dialog';
import { RolloutDialog } from './rollout-dialog';
import { runUndoable, wasActive, type UndoableKind } from './undoable';
import { UploadDialog } from './upload-dialog';

/** Dialogs about one build. */
export type BuildDialogKind = 'promote' | 'rollout' | 'plan' | 'edit' | 'recall' | IrreversibleKind;
/** Runs without a dialog, because it can be undone. */
interface UndoableAction {
  readonly kind: UndoableKind;
  readonly build: Build;
}

/** A dialog to open. */
export type DialogRequest =
  | { readonly kind: 'upload'; readonly channel: Channel; readonly file?: File }
  | { readonly kind: 'promote'; readonly build: Build; readonly target?: Channel }
  | { readonly kind: 'unrecall'; readonly build: RecalledBuild }
  | { readonly kind: 'end-plan'; readonly action: PlanEnd; readonly build: Build }
  | { readonly kind: BuildDialogKind; readonly build: Build };

type Start = (action: DialogRequest | UndoableAction) => void;
const BuildActions = createContext<Start>(() => undefined);

/** Runs an action that can be undone, and opens the dialog of any other; only inside of BuildDialogs. */
export const useBuildActions = (): Start => useContext(BuildActions);

interface BuildDialogsProps {
  readonly app: App;
  readonly gone?: () => void;
  readonly children: ReactNode;
}

/** `gone`: called when a build has been deleted. */
export function BuildDialogs({ app, gone, children }: BuildDialogsProps) {
  const { shown, show, dialog } = useFreshDialog<DialogRequest>();
  const client = useQueryClient();
  const running = useRef(new Set<number>());
  const plans = useOpenPlans(app.id).filter(isLive);
  const start: Start = (action) => {
    if (!isUndoable(action)) {
      show(action);
      return;
    }
    const { kind, build } = action;
    if (kind !== 'resume' && plans.some(({ build_id: id }) => id === build.id)) {
      show({ kind: 'end-plan', action: kind, build });
      return;
    }
    // The second click of a double click is ignored.
    if (running.current.has(build.id)) return;
    running.current.add(build.id);
    void runUndoable(app, build, kind, () => refreshBuilds(client, app)).finally(() =>
      running.current.delete(build.id),
    );
  };
  return (
    <BuildActions value={start}>
      {children}
      {shown.about !== undefined && <Dialog key={shown.key} app={app} request={shown.about} {...dialog} gone={gone} />}
    </BuildActions>
  );
}

export function isUndoable(action: DialogRequest | UndoableAction): action is UndoableAction {
  switch (action.kind) {
    case 'halt':
    case 'pause':
    case 'resume':
      return true;
    case 'archive':
      return wasActive(action.build);
    default:
      return false;
  }
}

interface DialogProps extends DialogState {
  readonly app: App;
  readonly request: DialogRequest;
  readonly gone: (() => void) | undefined;
}

function Dialog({ app, request, open, close, gone }: DialogProps) {
  const client = useQueryClient();
  const refresh = (): void => refreshBuilds(client, app);
  const shared = { app, open, close, refresh };
  switch (request.kind) {
    case 'upload':
      return <UploadDialog {...shared} channel={request.channel} file={request.file} />;
    case 'promote':
      return (
        <PromoteDialog {...shared} build={request.build} target={'target' in request ? request.target : undefined} />
      );
    case 'rollout':
      return <RolloutDialog {...shared} build={request.build} />;
    case 'plan':
      return <PlanDialog {...shared} build={request.build} />;
    case 'end-plan':
      return <EndPlanDialog {...shared} build={request.build} action={request.action} />;
    case 'edit':
      return <EditBuild {...shared} build={request.build} />;
    case 'recall':
      return <RecallDialog {...shared} build={request.build} />;
    case 'unrecall':
      return <UnrecallDialog {...shared} build={request.build} done={refresh} />;
    default:
      return (
        <IrreversibleDialog
          app={app}
          build={request.build}
          action={IRREVERSIBLE[request.kind]}
          open={open}
          close={close}
          done={() => {
            refresh();
            if (request.kind === 'delete') gone?.();
          }}
        />
      );
  }
}
