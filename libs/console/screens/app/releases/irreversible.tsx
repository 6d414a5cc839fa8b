import type { App, Build } from '@sluice/contracts';
import { useState } from 'react';
import { api, ApiError } from '../../../api/client';
import { Confirm, type DialogState } from '../../../parts/dialog';
import { showToast } from '../../../parts/toasts';
import * as texts from '../../../texts/build-dialogs';
import { build as nameOf } from '../../../texts/shared';
import { ConcurrentChanges, useWatchedBuild } from './concurrent-changes';
import { errorMessage } from './error-texts';
import { EndsPlan } from './plan-actions';

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
    effect: () => texts.deleteEffect,
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
  const [busy, setBusy] = useState(false);
  const watched = useWatchedBuild(app, build, { open, busy, close });
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await action.call(`/apps/${app.id}/builds/${build.id}`, watched.seen.revision);
    } catch (error) {
      // Loads and shows the change in the meantime.
      setBusy(false);
      throw error instanceof ApiError && error.code === 'BUILD_CHANGED' ? new Error(errorMessage(error)) : error;
    }
    showToast(action.toast(nameOf(build)));
    done();
  };
  return (
    <Confirm
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
      <ConcurrentChanges of={watched} />
    </Confirm>
  );
}
