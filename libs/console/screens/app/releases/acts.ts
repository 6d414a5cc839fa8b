import type { App, Build } from '@sluice/contracts';
import { api } from '../../../api/client';
import { say, sayFault } from '../../../parts/toasts';
import { refusalWords } from './refusals';

/** What can be done with a build, and undone, without a question. */
export type ActKind = 'halt' | 'pause' | 'resume' | 'archive';

/** One request: what it sets, of the build or of its rollout. */
interface Change {
  readonly of: '' | '/rollout';
  readonly set: Readonly<Record<string, string | number | boolean | null>>;
}

interface Act {
  /** Each change with the one that takes it back. */
  readonly changes: (build: Build) => readonly (readonly [Change, Change])[];
  /** What was done, after the build’s name. */
  readonly said: string;
  /** It only takes the build away from devices: that is done whatever was changed elsewhere meanwhile. */
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

const ACTS: Readonly<Record<ActKind, Act>> = {
  halt: { changes: () => [setsEnabled(false)], said: 'is halted.', narrows: true },
  pause: { changes: setsStatus('paused'), said: 'is paused.', narrows: true },
  archive: { changes: setsStatus('archived'), said: 'is archived.', narrows: true },
  resume: {
    changes: (build) => [
      ...(build.status === 'active' ? [] : setsStatus('active')(build)),
      ...(build.rollout_enabled ? [] : [setsEnabled(true)]),
    ],
    said: 'is offered to devices again.',
    narrows: false,
  },
};

/** Whether the build could ever be offered to devices: only then an archive can be undone. */
export function wasActive({ status }: Build): boolean {
  return status === 'active' || status === 'paused' || status === 'archived';
}

/** Answers the build as the last change left it. */
async function send(app: App, build: Build, changes: readonly Change[], mustMatch: boolean): Promise<Build> {
  let latest = build;
  for (const { of, set } of changes) {
    const path = `/apps/${app.id}/builds/${build.id}${of}`;
    latest = await api.patch<Build>(path, set, mustMatch ? latest.revision : undefined);
  }
  return latest;
}

/** Says that a build was changed, and offers to take it back unless somebody else changes it first. */
export function sayChanged(
  app: App,
  build: Build,
  { text, back, refresh }: { readonly text: string; readonly back: readonly Change[]; readonly refresh: () => void },
): void {
  say(text, async () => {
    try {
      await send(app, build, back, true);
    } catch (error) {
      throw new Error(refusalWords(error), { cause: error });
    } finally {
      refresh();
    }
  });
}

/** Does it now, and says so, or why not. */
export async function act(app: App, build: Build, kind: ActKind, refresh: () => void): Promise<void> {
  const { changes, said, narrows } = ACTS[kind];
  const steps = changes(build);
  const name = `${build.version} in ${build.channel}`;
  try {
    const changed = await send(
      app,
      build,
      steps.map(([change]) => change),
      !narrows,
    );
    sayChanged(app, changed, { text: `${name} ${said}`, back: steps.map(([, back]) => back).reverse(), refresh });
  } catch (error) {
    sayFault(`${name}: ${refusalWords(error)}`);
  } finally {
    refresh();
  }
}
