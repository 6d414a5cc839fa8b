import {
  channelName,
  compareVersions,
  DomainError,
  type ExpectsRevision,
  requireRevision,
  SortedMap,
} from '@sluice/kernel';
import type { Channel, NativePlatform } from './channel-events';
import type { ByVersion, ChannelBuild, ChannelState, PlanMark } from './channel-state';

const PLATFORMS = ['all', 'ios', 'android'] as const;

export const NO_VERSIONS: ByVersion = { all: new SortedMap(), ios: new SortedMap(), android: new SortedMap() };

/** The highest version among the active builds for all platforms, and for this one if it is given. */
export function activeHead(state: ChannelState, platform?: NativePlatform): ChannelBuild | undefined {
  let head: ChannelBuild | undefined;
  for (const id of [state.active.all.last(), platform && state.active[platform].last()]) {
    const build = id === undefined ? undefined : state.builds.get(id);
    if (head === undefined || (build && compareVersions(build.version, head.version) > 0)) head = build;
  }
  return head;
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
  command: { readonly buildId: number } & ExpectsRevision,
): ChannelBuild {
  const build = buildOf(state, command.buildId);
  requireRevision('BUILD_CHANGED', `Build ${command.buildId}`, build.revision, command);
  return build;
}

export function buildNotFound(buildId: number): DomainError {
  return new DomainError('BUILD_NOT_FOUND', `There is no build ${buildId}.`);
}

/**
 * A build for all platforms and one for a single platform can't have the same version.
 * @throws DomainError VERSION_ALREADY_EXISTS, with the next free version
 */
export function refuseHeldVersion(
  { version, platform }: Pick<ChannelBuild, 'version' | 'platform'>,
  channel: Channel,
  state: ChannelState,
): void {
  const key = sortable(version);
  const at = PLATFORMS.filter((other) => other === 'all' || platform === undefined || other === platform).find(
    (other) => state.holders[other].get(key) !== undefined,
  );
  if (at === undefined) return;
  const holder = state.holders[at].get(key) ?? 0;
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
    `Version ${version} exists in ${channelName(channel)}${at === 'all' ? '' : ` for ${at}`} already${why}. The next free version is ${next}.`,
    { next_version: next },
  );
}

/** Of all that the channel holds, also for deleted builds; undefined: it holds none. */
export function highestVersion(state: ChannelState): string | undefined {
  return PLATFORMS.flatMap((platform) => state.holders[platform].lastKey() ?? [])
    .sort()
    .at(-1)
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
  return {
    ...state,
    builds: state.builds.delete(buildId),
    // Devices that run a version of a recall have to know it from every other one.
    holders: held(state.holders, build, isOfRecall(state, build)),
    active: held(state.active, build, false),
  };
}

/** A deleted build that was recalled no longer is: its version is free. */
export function release(state: ChannelState, ended: Versioned): ChannelState {
  return state.builds.get(ended.buildId) ? state : { ...state, holders: held(state.holders, ended, false) };
}

/** Every build that is neither `failed` nor deleted holds its version. */
export function place(state: ChannelState, build: ChannelBuild): ChannelState {
  return {
    ...state,
    builds: state.builds.set(build.buildId, build),
    holders: held(state.holders, build, build.status !== 'failed'),
    active: held(state.active, build, build.status === 'active' && build.recallOf === undefined),
  };
}

function isOfRecall(state: ChannelState, { buildId, recallOf }: ChannelBuild): boolean {
  return recallOf !== undefined || state.recalls.get(buildId) !== undefined;
}

type Versioned = Pick<ChannelBuild, 'buildId' | 'version' | 'platform'>;

function held(versions: ByVersion, { buildId, version, platform: only }: Versioned, holds: boolean): ByVersion {
  const platform = only ?? 'all';
  const key = sortable(version);
  const ofPlatform = versions[platform];
  if ((ofPlatform.get(key) === buildId) === holds) return versions;
  const changed = holds ? ofPlatform.set(key, buildId) : ofPlatform.delete(key);
  return { ...versions, [platform]: changed };
}

/** A release version as text that sorts as semver does; its numbers have 15 digits at most. */
function sortable(version: string): string {
  return version
    .split('.')
    .map((part) => part.padStart(16, '0'))
    .join('.');
}
