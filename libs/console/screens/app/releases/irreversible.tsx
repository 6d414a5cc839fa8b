import type { App, Build } from '@sluice/contracts';
import { api } from '../../../api/client';
import type { DialogState } from '../../../parts/dialog';
import { showToast } from '../../../parts/toasts';
import { ConfirmChange } from '../../../parts/watched';
import * as texts from '../../../texts/build-dialogs';
import { build as nameOf } from '../../../texts/shared';
import { EndsPlan } from './plan-actions';
import { isRecalled } from './serving';
import { watchedBuild } from './watched-build';

/** Actions that can't be undone: to archive a build that was never active, to delete one, and to retry one. */
export type IrreversibleKind = 'archive' | 'delete' | 'retry';

interface Irreversible {
  readonly verb: string;
  readonly title: (build: string) => string;
  readonly effect: (build: Build) => string;
  readonly call: (path: string, revision: number) => Promise<unknown>;
  readonly toast: (build: string) => string;
  readonly typed?: boolean;
}

export const IRREVERSIBLE: Readonly<Record<IrreversibleKind, Irreversible>> = {
  archive: {
    verb: texts.archive,
    title: texts.archiveTitle,
    effect: ({ status }) => (status === 'failed' ? texts.archiveFailed : texts.archiveUnready),
    call: (path, revision) => api.patch(path, { status: 'archived' }, revision),
    toast: texts.archived,
  },
  delete: {
    verb: texts.deletePermanently,
    title: texts.deleteTitle,
    effect: (build) => texts.deleteEffect(isRecalled(build)),
    call: (path, revision) => api.delete(path, revision),
    toast: texts.deleted,
    typed: true,
  },
  retry: {
    verb: texts.retry,
    title: texts.retryTitle,
    effect: () => texts.retryEffect,
    call: (path) => api.post(`${path}/retry`),
    toast: texts.retried,
  },
};

interface IrreversibleDialogProps extends DialogState {
  readonly app: App;
  readonly build: Build;
  readonly action: Irreversible;
  readonly done: () => void;
}

export function IrreversibleDialog({ app, build, action, open, close, done }: IrreversibleDialogProps) {
  const kind = watchedBuild(app, build);
  const confirm = async (revision: number): Promise<void> => {
    await action.call(kind.path, revision);
    showToast(action.toast(nameOf(build)));
    done();
  };
  return (
    <ConfirmChange
      thing={build}
      kind={kind}
      open={open}
      close={close}
      confirm={confirm}
      title={action.title(nameOf(build))}
      verb={action.verb}
      {...(action.typed === true && { typed: build.version })}
    >
      <p>
        {action.effect(build)}
        {action.typed === true && <EndsPlan app={app} build={build.id} />}
      </p>
    </ConfirmChange>
  );
}
