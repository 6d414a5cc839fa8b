import type { App, Build } from '@sluice/contracts';
import { api } from '../../../api/client';
import { showToast, showErrorToast } from '../../../parts/toasts';
import * as texts from '../../../texts/releases';
import { build as nameOf } from '../../../texts/shared';
import { errorMessage } from './error-texts';

/** Actions on a build that can be undone, and so need no confirmation. */
export type UndoableKind = 'halt' | 'pause' | 'resume' | 'archive';

/** One request: what it sets, of the build or of its rollout. */
interface Change {
  readonly of: '' | '/rollout';
  readonly set: Readonly<Record<string, string | number | boolean | Build['audience']>>;
}

interface Undoable {
  /** Each change with the one that undoes it. */
  readonly changes: (build: Build) => readonly (readonly [Change, Change])[];
  readonly toast: (build: string) => string;
  /** It only withdraws the build from devices, so it is sent even if the build was changed elsewhere. */
  readonly narrows: boolean;
}

const setsStatus = (status: 'active' | 'paused' | 'archived') => (build: Build) => [
  [
    { of: '', set: { status } },
    { of: '', set: { status: build.status } },
  ] as const,
];
const setsEnabled = (enabled: boolean) =>
  [
    { of: '/rollout', set: { enabled } },
    { of: '/rollout', set: { enabled: !enabled } },
  ] as const;

const UNDOABLES: Readonly<Record<UndoableKind, Undoable>> = {
  halt: { changes: () => [setsEnabled(false)], toast: texts.halted, narrows: true },
  pause: { changes: setsStatus('paused'), toast: texts.paused, narrows: true },
  archive: { changes: setsStatus('archived'), toast: texts.archived, narrows: true },
  resume: {
    changes: (build) => [
      ...(build.status === 'active' ? [] : setsStatus('active')(build)),
      ...(build.rollout_enabled ? [] : [setsEnabled(true)]),
    ],
    toast: texts.resumed,
    narrows: false,
  },
};

/** Whether the build could ever be offered to devices: only then an archive can be undone. */
export function wasActive({ status }: Build): boolean {
  return status === 'active' || status === 'paused' || status === 'archived';
}

/** Returns the build as the last change left it. */
async function send(app: App, build: Build, changes: readonly Change[], mustMatch: boolean): Promise<Build> {
  let latest = build;
  for (const { of, set } of changes) {
    const path = `/apps/${app.id}/builds/${build.id}${of}`;
    latest = await api.patch<Build>(path, set, mustMatch ? latest.revision : undefined);
  }
  return latest;
}

/** Shows that a build was changed, and offers to undo that unless somebody else changes the build first. */
export function showUndoToast(
  app: App,
  build: Build,
  { text, back, refresh }: { readonly text: string; readonly back: readonly Change[]; readonly refresh: () => void },
): void {
  showToast(text, async () => {
    try {
      await send(app, build, back, true);
    } catch (error) {
      throw new Error(errorMessage(error), { cause: error });
    } finally {
      refresh();
    }
  });
}

/** Sends the change immediately, and shows the result or the error. */
export async function runUndoable(app: App, build: Build, kind: UndoableKind, refresh: () => void): Promise<void> {
  const { changes, toast, narrows } = UNDOABLES[kind];
  const steps = changes(build);
  const name = nameOf(build);
  try {
    const changed = await send(
      app,
      build,
      steps.map(([change]) => change),
      !narrows,
    );
    showUndoToast(app, changed, { text: toast(name), back: steps.map(([, back]) => back).reverse(), refresh });
  } catch (error) {
    showErrorToast(texts.notDone(name, errorMessage(error)));
  } finally {
    refresh();
  }
}
