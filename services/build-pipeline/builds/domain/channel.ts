import {
  canonicalJson,
  channelName,
  compareVersions,
  DomainError,
  requireAudience,
  requireReleaseVersion,
  SortedMap,
  unknownEvent,
  ValidationError,
  type Decider,
} from '@sluice/kernel';
import {
  activeHead,
  buildNotFound,
  buildOf,
  change,
  changeByHand,
  expectedBuild,
  isPassed,
  newBuild,
  NO_VERSIONS,
  notReady,
  place,
  refuseHeldVersion,
  remove,
} from './channel-builds';
import type { BuildFacts, Channel, ChannelEvent, Edits, Ring } from './channel-events';
import type { ChannelBuild, ChannelCommand, ChannelState } from './channel-state';
import { decideClosed, deletion } from './closed-channel';
import {
  evolveRecall,
  isUsedByRecall,
  recall,
  refuseRecalledBundle,
  refuseRecalledStatus,
  refuseRepublished,
  unrecall,
} from './recall';
import { nativeRulesOf, requireNativeRules } from './native-rules';
import { beyondRetention, isPinned } from './retention';

export { activeHead, buildNotFound, buildOf } from './channel-builds';
export { isGone } from './closed-channel';
export { isUsedByRecall, previousBuild, recallPlan, refuseRepublished } from './recall';
export { nativeRulesOf } from './native-rules';
export type { BuildFacts, BuildStatus, Channel, ChannelEvent, RecallTarget } from './channel-events';
export type { ChannelBuild, ChannelCommand, ChannelState, PlanMark, Recall } from './channel-state';
export { isPinned, type RetainedBuild } from './retention';

/** Whether a person changed the rollout or the status of a build, which ends its rollout plan. */
export function isManualChange(event: ChannelEvent): boolean {
  switch (event.type) {
    case 'BuildPaused':
    case 'BuildResumed':
    case 'BuildArchived':
    case 'BuildRecalled':
    case 'BuildUnrecalled':
    case 'BuildDeleted':
      return true;
    case 'RolloutChanged':
      return event.data.planRevision === undefined;
    default:
      return false;
  }
}

/** One release channel of one app: which versions it holds and which of them devices may run. */
export const channelDecider: Decider<ChannelState, ChannelCommand, ChannelEvent> = {
  initialState: () => ({
    builds: new SortedMap(),
    recalls: new SortedMap(),
    holders: NO_VERSIONS,
    active: NO_VERSIONS,
    cancelled: new SortedMap(),
    closed: null,
  }),
  decide,
  evolve,
};

export function channelStream(appId: number, channel: Channel): string {
  return `channel-${appId}-${channel}`;
}

function decide(command: ChannelCommand, state: ChannelState): readonly ChannelEvent[] {
  if (state.closed !== null && command.type !== 'CancelPromotion') return decideClosed(command, state, state.closed);
  switch (command.type) {
    case 'AcceptBuild': {
      const { version, channel, platform } = command.build;
      requireReleaseVersion(version);
      requireNativeRules(command.build);
      requireAudience(command.build.audience, command.names);
      if (command.uniqueAmong !== undefined) refuseUsedSignature(command.build, [state, ...command.uniqueAmong]);
      refuseHeldVersion(command.build, channel, state);
      const head = activeHead(state, platform);
      if (head && compareVersions(version, head.version) <= 0) {
        throw new DomainError(
          'VERSION_NOT_NEWER',
          `Version ${version} is not newer than ${head.version}, the active head of ${channelName(channel)}${platform === undefined ? '' : ` for ${platform}`}.`,
          { active_head: head.version },
        );
      }
      return [{ type: 'BuildAccepted', data: command.build }];
    }
    // A build that left `processing` meanwhile keeps what it became: its job is closed by that.
    case 'ActivateBuild': {
      const { buildId, signature = null } = command;
      const build = state.builds.get(buildId);
      if (build?.status !== 'processing') return [];
      const signed = signature !== null && build.signature === null;
      return [{ type: 'BuildActivated', data: { buildId, ...(signed && { signature }) } }];
    }
    case 'FailBuild':
      return state.builds.get(command.buildId)?.status === 'processing'
        ? [{ type: 'BuildFailed', data: { buildId: command.buildId, error: command.error } }]
        : [];
    case 'ExpireBuilds': {
      const { buildIds, keep, now } = command;
      return beyondRetention(state.builds.values(), keep, () => true)
        .filter((build) => buildIds.includes(build.buildId) && !isUsedByRecall(build, state))
        .filter(({ pinnedUntil }) => !isPinned(pinnedUntil, now))
        .map(deletion);
    }
    case 'StartPromotion': {
      const { buildId, promotedId, targetChannel } = command;
      const source = buildOf(state, buildId);
      requireAudience(command.audience, command.names);
      refuseUnpromotable(source, targetChannel, command.target);
      const { appId, objectKey } = source;
      return [{ type: 'PromotionStarted', data: { buildId, appId, objectKey, promotedId, targetChannel } }];
    }
    case 'PromoteIn':
      return [{ type: 'BuildPromoted', data: promote(command, state) }];
    case 'CancelPromotion': {
      const { buildId } = command;
      const settled = state.builds.get(buildId) !== undefined || state.cancelled.get(buildId) !== undefined;
      return settled ? [] : [{ type: 'PromotionCancelled', data: { buildId } }];
    }
    case 'EditBuild':
      return edit(command, state);
    case 'ChangeRollout': {
      const build = expectedBuild(state, command);
      refuseRepublished(build);
      const rolloutPercentage = command.rolloutPercentage ?? build.rolloutPercentage;
      const enabled = command.enabled ?? build.rolloutEnabled;
      if (command.plan !== undefined) {
        if (isPassed(build, command.plan)) return [];
        const { revision: planRevision } = command.plan;
        return [{ type: 'RolloutChanged', data: { buildId: build.buildId, rolloutPercentage, enabled, planRevision } }];
      }
      const { ring = ringOf(build) } = command;
      const isSame = rolloutPercentage === build.rolloutPercentage && enabled === build.rolloutEnabled;
      if (isSame && ring === ringOf(build)) return [];
      const data = { buildId: build.buildId, rolloutPercentage, enabled, ...(ring !== ringOf(build) && { ring }) };
      return [{ type: 'RolloutChanged', data }];
    }
    case 'DeleteBuild': {
      const build = expectedBuild(state, command);
      if (isUsedByRecall(build, state)) refuseRepublished(build);
      return [deletion(build)];
    }
    case 'RecallBuild':
      return recall(command, state);
    case 'UnrecallBuild':
      return unrecall(command.buildId, state);
    case 'RetryBuild': {
      const build = buildOf(state, command.buildId);
      const { buildId, retries = 0 } = build;
      refuseRecalledStatus(build, state);
      if (!build.wasActive) throw notReady(build, 'no device can have rolled it back');
      return [{ type: 'BuildRetried', data: { buildId, retries: retries + 1 } }];
    }
    case 'RecordPins': {
      const { buildId, added, removed, devices, until } = command;
      refuseRepublished(buildOf(state, buildId));
      return [{ type: 'PinsChanged', data: { buildId, added, removed, devices, until } }];
    }
    case 'CloseChannel': {
      const { appId, channel } = command;
      return [{ type: 'ChannelClosed', data: { appId, channel } }];
    }
    case 'EmptyChannel':
      return [];
  }
}

function ringOf({ ring = 'per_build' }: BuildFacts): Ring {
  return ring;
}

function refuseUnpromotable(source: ChannelBuild, channel: Channel, target: ChannelState): void {
  if (source.channel === channel) {
    throw new DomainError('ALREADY_IN_CHANNEL', `Build ${source.buildId} is in ${channelName(channel)} already.`);
  }
  if (!source.wasActive) throw notReady(source, 'only a build that has been active can be promoted');
  refuseRecalledBundle(source, channel, target);
  refuseHeldVersion(source, channel, target);
}

function promote(
  command: Extract<ChannelCommand, { type: 'PromoteIn' }>,
  state: ChannelState,
): Extract<ChannelEvent, { type: 'BuildPromoted' }>['data'] {
  const { source, channel } = command;
  // Its source was deleted, and nothing kept the bundle for it any longer.
  if (state.cancelled.get(command.buildId)) throw buildNotFound(source.buildId);
  refuseUnpromotable(source, channel, state);
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
    ...nativeRulesOf(source),
    rolloutPercentage: command.rolloutPercentage ?? 100,
    mandatory: command.mandatory ?? source.mandatory,
    promotedFromId: source.buildId,
    ...((command.ring ?? source.ring) === 'stable' && { ring: 'stable' }),
    ...(source.signedByServer && { signedByServer: true }),
    ...(command.plan && { plan: command.plan }),
    ...(command.audience && { audience: command.audience }),
  };
}

function edit(command: Extract<ChannelCommand, { type: 'EditBuild' }>, state: ChannelState): readonly ChannelEvent[] {
  requireNativeRules(command);
  requireAudience(command.audience, command.names);
  const build = expectedBuild(state, command);
  const { buildId } = build;
  const events: ChannelEvent[] = [];
  const { status, minNativeVersion, nativeRange, fingerprint, mandatory, audience } = command;
  const isNotesOnly = [status, minNativeVersion, nativeRange, fingerprint, mandatory, audience].every(
    (value) => value === undefined,
  );
  if (!isNotesOnly) refuseRepublished(build);
  if (command.status !== undefined && command.status !== build.status) {
    refuseRecalledStatus(build, state);
    if (command.status === 'archived') {
      if (build.status === 'failed') refuseHeldVersion(build, build.channel, state);
      events.push({ type: 'BuildArchived', data: { buildId } });
    } else {
      if (!build.wasActive) throw notReady(build, `it can't become ${command.status}`);
      events.push({ type: command.status === 'active' ? 'BuildResumed' : 'BuildPaused', data: { buildId } });
    }
  }
  const changed = <Name extends keyof Edits>(name: Name, value: Edits[Name] | undefined, before: Edits[Name]) =>
    value !== undefined && value !== before && { [name]: value };
  // Of the two rules about the native version, setting one clears the other.
  const edits: Edits = {
    ...changed('releaseNotes', command.releaseNotes, build.releaseNotes),
    ...changed('minNativeVersion', typeof nativeRange === 'string' ? null : minNativeVersion, build.minNativeVersion),
    ...changed('nativeRange', typeof minNativeVersion === 'string' ? null : nativeRange, build.nativeRange ?? null),
    ...changed('fingerprint', fingerprint, build.fingerprint ?? null),
    ...changed('mandatory', mandatory, build.mandatory),
    ...(audience !== undefined && canonicalJson(audience) !== canonicalJson(build.audience ?? null) && { audience }),
  };
  if (Object.keys(edits).length > 0) events.push({ type: 'BuildEdited', data: { buildId, ...edits } });
  return events;
}

/** Judged by the bytes: one signature has several spellings in Base64. */
function refuseUsedSignature({ signature, version }: BuildFacts, channels: readonly ChannelState[]): void {
  if (signature === null) return;
  const bytes = Buffer.from(signature, 'base64');
  for (const { builds } of channels) {
    for (const build of builds.values()) {
      if (build.version === version || build.signature === null) continue;
      if (!Buffer.from(build.signature, 'base64').equals(bytes)) continue;
      throw new ValidationError({
        signature: [
          `Version ${build.version} in ${channelName(build.channel)} carries this signature already, and the app takes each signature for one version only (unique_signatures).`,
        ],
      });
    }
  }
}

function evolve(state: ChannelState, event: ChannelEvent, at: string): ChannelState {
  switch (event.type) {
    case 'BuildAccepted':
      return place(state, {
        ...{ ...event.data, ...newBuild(at), status: 'processing', promotedFromId: null, wasActive: false },
      });
    case 'BuildPromoted':
      return place(state, { ...event.data, ...newBuild(at), status: 'active', wasActive: true, jobId: null });
    case 'PromotionStarted':
      return state;
    case 'PromotionCancelled':
      return { ...state, cancelled: state.cancelled.set(event.data.buildId, true) };
    case 'BuildActivated':
      return change(state, event.data.buildId, at, {
        ...event.data,
        ...(event.data.signature !== undefined && { signedByServer: true }),
        status: 'active',
        wasActive: true,
      });
    case 'BuildFailed':
      return change(state, event.data.buildId, at, { status: 'failed', error: event.data.error });
    case 'BuildPaused':
      return changeByHand(state, event.data.buildId, at, { status: 'paused' });
    case 'BuildResumed':
      return changeByHand(state, event.data.buildId, at, { status: 'active' });
    case 'BuildArchived':
      return changeByHand(state, event.data.buildId, at, { status: 'archived' });
    case 'BuildEdited':
      return change(state, event.data.buildId, at, event.data);
    case 'RolloutChanged': {
      const { buildId, rolloutPercentage, enabled, ring, planRevision } = event.data;
      const rollout = { rolloutPercentage, rolloutEnabled: enabled, ...(ring !== undefined && { ring }) };
      return planRevision === undefined
        ? changeByHand(state, buildId, at, rollout)
        : change(state, buildId, at, { ...rollout, planRevision });
    }
    case 'BuildRetried':
      return change(state, event.data.buildId, at, { retries: event.data.retries });
    // It says nothing about the build itself: its revision stays.
    case 'PinsChanged': {
      const build = state.builds.get(event.data.buildId);
      return build === undefined ? state : place(state, { ...build, pinnedUntil: event.data.until });
    }
    case 'BuildRecalled':
    case 'BuildRepublished':
    case 'BuildUnrecalled':
      return evolveRecall(state, event, at);
    case 'BuildDeleted':
      return remove(state, event.data.buildId);
    case 'ChannelClosed':
      return { ...state, closed: event.data.channel };
    default:
      return unknownEvent(event);
  }
}
