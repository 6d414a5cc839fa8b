import { compareVersions, DomainError, unknownEvent, type Decider } from '@sluice/kernel';
import { SortedMap } from './sorted-map';

export type Channel = 'production' | 'staging' | 'development';
export type BuildStatus = 'processing' | 'active' | 'paused' | 'archived' | 'failed';

/** What a build is, wherever it came from. */
export interface BuildFacts {
  readonly buildId: number;
  readonly bundleId: string;
  readonly appId: number;
  readonly channel: Channel;
  readonly version: string;
  readonly objectKey: string;
  readonly size: number;
  readonly checksum: string;
  readonly signature: string | null;
  readonly releaseNotes: string | null;
  readonly minNativeVersion: string | null;
  readonly rolloutPercentage: number;
  readonly mandatory: boolean;
}

interface Edits {
  readonly releaseNotes?: string | null;
  readonly minNativeVersion?: string | null;
  readonly mandatory?: boolean;
}

/** Members that a command may leave out. */
type Optional<Members> = { readonly [Name in keyof Members]?: Members[Name] | undefined };

type OfBuild<Data extends object = object> = Data & { readonly buildId: number };

export type ChannelEvent =
  | { readonly type: 'BuildAccepted'; readonly data: BuildFacts & { readonly jobId: string } }
  | { readonly type: 'BuildActivated'; readonly data: OfBuild }
  | { readonly type: 'BuildFailed'; readonly data: OfBuild<{ readonly error: string }> }
  | { readonly type: 'BuildPromoted'; readonly data: BuildFacts & { readonly promotedFromId: number } }
  | { readonly type: 'BuildPaused'; readonly data: OfBuild }
  | { readonly type: 'BuildResumed'; readonly data: OfBuild }
  | { readonly type: 'BuildArchived'; readonly data: OfBuild }
  | { readonly type: 'BuildEdited'; readonly data: OfBuild<Edits> }
  | {
      readonly type: 'RolloutChanged';
      readonly data: OfBuild<{ readonly rolloutPercentage: number; readonly enabled: boolean }>;
    };

export type ChannelCommand =
  | { readonly type: 'AcceptBuild'; readonly build: BuildFacts & { readonly jobId: string } }
  | { readonly type: 'ActivateBuild'; readonly buildId: number }
  | { readonly type: 'FailBuild'; readonly buildId: number; readonly error: string }
  /** Given to the target channel, with the source build as its own channel knows it. */
  | ({
      readonly type: 'PromoteIn';
      readonly source: ChannelBuild;
      readonly channel: Channel;
      readonly buildId: number;
      readonly bundleId: string;
    } & Optional<{ rolloutPercentage: number; mandatory: boolean }>)
  | ({ readonly type: 'EditBuild'; readonly buildId: number } & Optional<
      Edits & { status: 'active' | 'paused' | 'archived' }
    >)
  | ({ readonly type: 'ChangeRollout'; readonly buildId: number } & Optional<{
      rolloutPercentage: number;
      enabled: boolean;
    }>);

export interface ChannelBuild extends BuildFacts {
  readonly status: BuildStatus;
  readonly rolloutEnabled: boolean;
  readonly promotedFromId: number | null;
  /** Whether devices could ever run it: its job completed, or it was promoted. */
  readonly wasActive: boolean;
  /** Why it failed. */
  readonly error: string | null;
}

export interface ChannelState {
  readonly builds: SortedMap<number, ChannelBuild>;
  /** By version, the build that holds it; ordered as semver orders. */
  readonly holders: SortedMap<string, number>;
  /** The active ones among them: the last is the channel's active head. */
  readonly active: SortedMap<string, number>;
}

/** One release channel of one app: which versions it holds and which of them devices may run. */
export const channelDecider: Decider<ChannelState, ChannelCommand, ChannelEvent> = {
  initialState: () => ({ builds: new SortedMap(), holders: new SortedMap(), active: new SortedMap() }),
  decide,
  evolve,
};

export function channelStream(appId: number, channel: Channel): string {
  return `channel-${appId}-${channel}`;
}

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

export function buildNotFound(buildId: number): DomainError {
  return new DomainError('BUILD_NOT_FOUND', `There is no build ${buildId}.`);
}

function decide(command: ChannelCommand, state: ChannelState): readonly ChannelEvent[] {
  switch (command.type) {
    case 'AcceptBuild': {
      const { version, channel } = command.build;
      refuseHeldVersion(version, channel, state);
      const head = activeHead(state);
      if (head && compareVersions(version, head.version) <= 0) {
        throw new DomainError(
          'VERSION_NOT_NEWER',
          `Version ${version} is not newer than ${head.version}, the active head of ${channel}.`,
          { active_head: head.version },
        );
      }
      return [{ type: 'BuildAccepted', data: command.build }];
    }
    // A build that left `processing` meanwhile keeps what it became: its job is closed by that.
    case 'ActivateBuild':
      return state.builds.get(command.buildId)?.status === 'processing'
        ? [{ type: 'BuildActivated', data: { buildId: command.buildId } }]
        : [];
    case 'FailBuild':
      return state.builds.get(command.buildId)?.status === 'processing'
        ? [{ type: 'BuildFailed', data: { buildId: command.buildId, error: command.error } }]
        : [];
    case 'PromoteIn':
      return [{ type: 'BuildPromoted', data: promote(command, state) }];
    case 'EditBuild':
      return edit(command, state);
    case 'ChangeRollout': {
      const build = buildOf(state, command.buildId);
      const rolloutPercentage = command.rolloutPercentage ?? build.rolloutPercentage;
      const enabled = command.enabled ?? build.rolloutEnabled;
      return rolloutPercentage === build.rolloutPercentage && enabled === build.rolloutEnabled
        ? []
        : [{ type: 'RolloutChanged', data: { buildId: build.buildId, rolloutPercentage, enabled } }];
    }
  }
}

function promote(
  command: Extract<ChannelCommand, { type: 'PromoteIn' }>,
  state: ChannelState,
): BuildFacts & { readonly promotedFromId: number } {
  const { source, channel } = command;
  if (source.channel === channel) {
    throw new DomainError('ALREADY_IN_CHANNEL', `Build ${source.buildId} is in ${channel} already.`);
  }
  if (!source.wasActive) {
    throw notReady(source, 'only a build that was active once can be promoted');
  }
  refuseHeldVersion(source.version, channel, state);
  return {
    buildId: command.buildId,
    bundleId: command.bundleId,
    appId: source.appId,
    channel,
    version: source.version,
    objectKey: source.objectKey,
    size: source.size,
    checksum: source.checksum,
    signature: source.signature,
    releaseNotes: source.releaseNotes,
    minNativeVersion: source.minNativeVersion,
    rolloutPercentage: command.rolloutPercentage ?? 100,
    mandatory: command.mandatory ?? source.mandatory,
    promotedFromId: source.buildId,
  };
}

function edit(command: Extract<ChannelCommand, { type: 'EditBuild' }>, state: ChannelState): readonly ChannelEvent[] {
  const build = buildOf(state, command.buildId);
  const { buildId } = build;
  const events: ChannelEvent[] = [];
  if (command.status !== undefined && command.status !== build.status) {
    if (command.status === 'archived') {
      if (build.status === 'failed') refuseHeldVersion(build.version, build.channel, state);
      events.push({ type: 'BuildArchived', data: { buildId } });
    } else {
      if (!build.wasActive) throw notReady(build, `it can't become ${command.status}`);
      events.push({ type: command.status === 'active' ? 'BuildResumed' : 'BuildPaused', data: { buildId } });
    }
  }
  const {
    releaseNotes = build.releaseNotes,
    minNativeVersion = build.minNativeVersion,
    mandatory = build.mandatory,
  } = command;
  const edits: Edits = {
    ...(releaseNotes !== build.releaseNotes && { releaseNotes }),
    ...(minNativeVersion !== build.minNativeVersion && { minNativeVersion }),
    ...(mandatory !== build.mandatory && { mandatory }),
  };
  if (Object.keys(edits).length > 0) events.push({ type: 'BuildEdited', data: { buildId, ...edits } });
  return events;
}

function refuseHeldVersion(version: string, channel: Channel, state: ChannelState): void {
  if (state.holders.get(sortable(version)) === undefined) return;
  throw new DomainError('VERSION_ALREADY_EXISTS', `Version ${version} exists in ${channel} already.`);
}

function notReady(build: ChannelBuild, consequence: string): DomainError {
  return new DomainError(
    'BUILD_NOT_READY',
    `Build ${build.buildId} is ${build.status} and was never active: ${consequence}.`,
    { status: build.status },
  );
}

function evolve(state: ChannelState, event: ChannelEvent): ChannelState {
  switch (event.type) {
    case 'BuildAccepted':
      return place(state, {
        ...event.data,
        status: 'processing',
        rolloutEnabled: true,
        promotedFromId: null,
        wasActive: false,
        error: null,
      });
    case 'BuildPromoted':
      return place(state, { ...event.data, status: 'active', rolloutEnabled: true, wasActive: true, error: null });
    case 'BuildActivated':
      return change(state, event.data.buildId, { status: 'active', wasActive: true });
    case 'BuildFailed':
      return change(state, event.data.buildId, { status: 'failed', error: event.data.error });
    case 'BuildPaused':
      return change(state, event.data.buildId, { status: 'paused' });
    case 'BuildResumed':
      return change(state, event.data.buildId, { status: 'active' });
    case 'BuildArchived':
      return change(state, event.data.buildId, { status: 'archived' });
    case 'BuildEdited':
      return change(state, event.data.buildId, event.data);
    case 'RolloutChanged': {
      const { rolloutPercentage, enabled } = event.data;
      return change(state, event.data.buildId, { rolloutPercentage, rolloutEnabled: enabled });
    }
    default:
      return unknownEvent(event);
  }
}

function change(state: ChannelState, buildId: number, changes: Partial<ChannelBuild>): ChannelState {
  const build = state.builds.get(buildId);
  return build ? place(state, { ...build, ...changes }) : state;
}

/** Every build that is not `failed` holds its version (spec 5, archived). */
function place(state: ChannelState, build: ChannelBuild): ChannelState {
  const version = sortable(build.version);
  return {
    builds: state.builds.set(build.buildId, build),
    holders: held(state.holders, version, build.buildId, build.status !== 'failed'),
    active: held(state.active, version, build.buildId, build.status === 'active'),
  };
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

/** A release version as text that sorts as semver does; its numbers have 16 digits at most. */
function sortable(version: string): string {
  return version
    .split('.')
    .map((part) => part.padStart(16, '0'))
    .join('.');
}
