import { DomainError, type SortedMap } from '@sluice/kernel';
import type { Channel } from './channel-events';
import type { ChannelBuild, ChannelState, PlanMark } from './channel-state';

/** The highest version among the active builds. */
export function activeHead(state: ChannelState): ChannelBuild | undefined {
  const id = state.active.last();
  return id === undefined ? undefined : state.builds.get(id);
}

/** @throws DomainError BUILD_NOT_FOUND */
export function buildOf(state: ChannelState, buildId: number): ChannelBuild {
  const build = state.builds.get(buildId);
  if (!build) throw buildNotFound(buildId);
  return build;
}

/** @throws DomainError BUILD_NOT_FOUND; BUILD_CHANGED when it has another revision than the command expects */
export function expectedBuild(
  state: ChannelState,
  { buildId, ifRevision }: { readonly buildId: number; readonly ifRevision?: number | undefined },
): ChannelBuild {
  const build = buildOf(state, buildId);
  if (ifRevision === undefined || ifRevision === build.revision) return build;
  throw new DomainError(
    'BUILD_CHANGED',
    `Build ${buildId} has changed: its revision is ${build.revision}, not ${ifRevision}. Read it again before you change it.`,
    { revision: build.revision },
  );
}

export function buildNotFound(buildId: number): DomainError {
  return new DomainError('BUILD_NOT_FOUND', `There is no build ${buildId}.`);
}

/** @throws DomainError VERSION_ALREADY_EXISTS, with the next free version */
export function refuseHeldVersion(version: string, channel: Channel, state: ChannelState): void {
  const holder = state.holders.get(sortable(version));
  if (holder === undefined) return;
  const recallOf = state.builds.get(holder)?.recallOf;
  const why =
    recallOf !== undefined
      ? `: build ${holder} has it, which replaces the recalled build ${recallOf}`
      : state.recalls.get(holder) !== undefined
        ? `: build ${holder} has it, which was recalled`
        : '';
  const next = nextVersion(state);
  throw new DomainError(
    'VERSION_ALREADY_EXISTS',
    `Version ${version} exists in ${channel} already${why}. The next free version is ${next}.`,
    { next_version: next },
  );
}

/** Of all that the channel holds, also for deleted builds; undefined: it holds none. */
export function highestVersion(state: ChannelState): string | undefined {
  return state.holders
    .lastKey()
    ?.split('.')
    .map((part) => part.replace(/^0+(?=.)/, ''))
    .join('.');
}

/** The next patch above every version that the channel holds. */
export function nextVersion(state: ChannelState): string {
  const [major = '0', minor = '0', patch = '0'] = highestVersion(state)?.split('.') ?? [];
  return `${major}.${minor}.${Number(patch) + 1}`;
}

export function notReady(build: ChannelBuild, consequence: string): DomainError {
  return new DomainError(
    'BUILD_NOT_READY',
    `Build ${build.buildId} is ${build.status} and was never active: ${consequence}.`,
    { status: build.status },
  );
}

export function newBuild(at: string) {
  return { revision: 1, manualRevision: 0, rolloutEnabled: true, error: null, createdAt: at, updatedAt: at };
}

export function change(state: ChannelState, buildId: number, at: string, changes: Partial<ChannelBuild>): ChannelState {
  const build = state.builds.get(buildId);
  return build ? place(state, { ...build, ...changes, revision: build.revision + 1, updatedAt: at }) : state;
}

/** A change of rollout or status that a person made: it ends the build's rollout plan. */
export function changeByHand(
  state: ChannelState,
  buildId: number,
  at: string,
  changes: Partial<ChannelBuild>,
): ChannelState {
  const manualRevision = (state.builds.get(buildId)?.revision ?? 0) + 1;
  return change(state, buildId, at, { ...changes, manualRevision });
}

/** Whether a plan must leave the build alone: a person, or the plan itself, has changed it since. */
export function isPassed({ manualRevision, planRevision = -1 }: ChannelBuild, plan: PlanMark): boolean {
  return manualRevision !== plan.manualRevision || planRevision >= plan.revision;
}

export function remove(state: ChannelState, buildId: number): ChannelState {
  const build = state.builds.get(buildId);
  if (!build) return state;
  const version = sortable(build.version);
  return {
    ...state,
    builds: state.builds.delete(buildId),
    // Devices that run a version of a recall have to know it from every other one.
    holders: held(state.holders, version, buildId, isOfRecall(state, build)),
    active: held(state.active, version, buildId, false),
  };
}

/** A deleted build that was recalled no longer is: its version is free. */
export function release(state: ChannelState, buildId: number, version: string): ChannelState {
  return state.builds.get(buildId)
    ? state
    : { ...state, holders: held(state.holders, sortable(version), buildId, false) };
}

/** Every build that is neither `failed` nor deleted holds its version. */
export function place(state: ChannelState, build: ChannelBuild): ChannelState {
  const version = sortable(build.version);
  return {
    ...state,
    builds: state.builds.set(build.buildId, build),
    holders: held(state.holders, version, build.buildId, build.status !== 'failed'),
    active: held(state.active, version, build.buildId, build.status === 'active' && build.recallOf === undefined),
  };
}

function isOfRecall(state: ChannelState, { buildId, recallOf }: ChannelBuild): boolean {
  return recallOf !== undefined || state.recalls.get(buildId) !== undefined;
}

function held(
  versions: SortedMap<string, number>,
  version: string,
  buildId: number,
  holds: boolean,
): SortedMap<string, number> {
  const holder = versions.get(version);
  if (holds) return holder === buildId ? versions : versions.set(version, buildId);
  return holder === buildId ? versions.delete(version) : versions;
}

/** A release version as text that sorts as semver does; its numbers have 15 digits at most. */
function sortable(version: string): string {
  return version
    .split('.')
    .map((part) => part.padStart(16, '0'))
    .join('.');
}
