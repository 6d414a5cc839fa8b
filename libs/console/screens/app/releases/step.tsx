import type { App, Build } from '@sluice/contracts';
import { useState } from 'react';
import { api, ApiError } from '../../../api/client';
import { Confirm, type DialogState } from '../../../parts/dialog';
import { say } from '../../../parts/toasts';
import { Meanwhile, useWatchedBuild } from './meanwhile';
import { refusalWords } from './refusals';

/** What can't be undone: the archive of a build that never was active, and every deletion. */
export type StepKind = 'archive' | 'delete';

interface StepFacts {
  readonly verb: string;
  readonly title: (build: Build) => string;
  /** What it means for devices. */
  readonly meaning: (build: Build) => string;
  readonly call: (path: string, revision: number) => Promise<unknown>;
  readonly said: (build: Build) => string;
  readonly typed?: boolean;
}

const named = ({ version, channel }: Build): string => `${version} in ${channel}`;

export const STEPS: Readonly<Record<StepKind, StepFacts>> = {
  archive: {
    verb: 'Archive',
    title: (build) => `Archive ${named(build)}?`,
    meaning: ({ status }) =>
      status === 'failed'
        ? 'It stays in the list, as archived, and holds its version again: that can’t be uploaded any more.'
        : 'Its check is given up, and it can never be offered to devices.',
    call: (path, revision) => api.patch(path, { status: 'archived' }, revision),
    said: (build) => `${named(build)} is archived.`,
  },
  delete: {
    verb: 'Delete permanently',
    title: (build) => `Delete ${named(build)}?`,
    meaning: () =>
      'You can’t undo this. Devices can no longer download it, its version is free again, and builds that were promoted from it keep working. Its history is kept.',
    call: (path, revision) => api.delete(path, revision),
    said: (build) => `${named(build)} is deleted.`,
    typed: true,
  },
};

interface StepProps extends DialogState {
  readonly app: App;
  readonly build: Build;
  readonly step: StepFacts;
  readonly done: () => void;
}

export function Step({ app, build, step, open, close, done }: StepProps) {
  const [busy, setBusy] = useState(false);
  const watched = useWatchedBuild(app, build, { open, busy, close });
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await step.call(`/apps/${app.id}/builds/${build.id}`, watched.seen.revision);
    } catch (error) {
      // What changed meanwhile is looked at, and shown.
      setBusy(false);
      throw error instanceof ApiError && error.code === 'BUILD_CHANGED' ? new Error(refusalWords(error)) : error;
    }
    say(step.said(build));
    done();
  };
  return (
    <Confirm
      open={open}
      close={close}
      confirm={confirm}
      title={step.title(build)}
      verb={step.verb}
      {...(step.typed === true && { typed: build.version })}
    >
      <p>{step.meaning(build)}</p>
      <Meanwhile of={watched} />
    </Confirm>
  );
}
