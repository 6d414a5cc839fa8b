import {
  channelName,
  compareVersions,
  DomainError,
  requireReason,
  requireReleaseVersion,
  ValidationError,
} from '@sluice/kernel';
import {
  buildOf,
  changeByHand,
  highestVersion,
  isPassed,
  newBuild,
  nextVersion,
  notReady,
  place,
  refuseHeldVersion,
  release,
} from './channel-builds';
import type { Channel, ChannelEvent, RecallTarget } from './channel-events';
import type { ChannelBuild, ChannelCommand, ChannelState, Recall } from './channel-state';
import { anyDeviceCanRun, everyDeviceCanRun, nativeRulesOf } from './native-rules';
import type { RetainedBuild } from './retention';

type RecallEvent = Extract<ChannelEvent, { type: 'BuildRecalled' | 'BuildRepublished' | 'BuildUnrecalled' }>;
type Recalled = Extract<RecallEvent, { type: 'BuildRecalled' }>;

/** A repeat, and one that asks for nothing that the recall in force does not do, causes nothing. */
export function recall(command: Extract<ChannelCommand, { type: 'RecallBuild' }>, state: ChannelState): ChannelEvent[] {
  const { buildId, reason, to, everywhere = false } = command;
  requireReason(reason);
  const build = buildOf(state, buildId);
  refuseRepublished(build);
  if (command.plan !== undefined && isPassed(build, command.plan)) return [];
  if (!build.wasActive) {
    throw notReady(build, 'no device can run it, so there is nothing to recall. To keep it from devices, archive it');
  }
  const { appId, channel, version, platform, checksum } = build;
  const before = state.recalls.get(buildId);
  const target = to ?? before?.target ?? defaultTarget(build, state);
  const isSame = before?.target === target;
  if (isSame && (before.everywhere || !everywhere)) return [];
  const source = typeof target === 'number' && !isSame ? targetOf(build, target, state) : undefined;
  const recalled: Recalled = {
    type: 'BuildRecalled',
    data: {
      ...{ buildId, appId, channel, version, checksum, reason, target },
      ...(platform && { platform }),
      ...(everywhere && { everywhere: true }),
    },
  };
  const events: ChannelEvent[] = [recalled];
  let after = evolveRecall(state, recalled, build.updatedAt);
  if (source === undefined) {
    if (command.version !== undefined && !isSame) {
      throw new ValidationError({
        version: [`A recall to ${target} republishes no build, so it takes no version. Leave it out.`],
      });
    }
  } else {
    const republished = republish(command, source, state);
    events.push(republished);
    after = evolveRecall(after, republished, build.updatedAt);
  }
  return [...events, ...settle(after)];
}

/** @throws DomainError BUILD_NOT_FOUND when there is neither such a build nor such a recall */
export function unrecall(buildId: number, state: ChannelState): ChannelEvent[] {
  if (state.recalls.get(buildId) === undefined) {
    buildOf(state, buildId);
    return [];
  }
  const unrecalled: RecallEvent = { type: 'BuildUnrecalled', data: { buildId } };
  return [unrecalled, ...settle(evolveRecall(state, unrecalled, ''))];
}

export function evolveRecall(state: ChannelState, event: RecallEvent, at: string): ChannelState {
  const { data } = event;
  switch (event.type) {
    case 'BuildRecalled': {
      const { buildId, channel, version, platform, checksum, reason, target, everywhere = false } = event.data;
      const before = state.recalls.get(buildId);
      const republishedId = before?.target === target ? before.republishedId : null;
      const recalled = { buildId, channel, version, checksum, reason, target, everywhere, republishedId, at };
      const recalls = state.recalls.set(buildId, { ...recalled, ...(platform && { platform }) });
      return changeByHand({ ...state, recalls }, buildId, at, { status: 'paused' });
    }
    case 'BuildRepublished': {
      const { buildId, recallOf } = event.data;
      const served = state.recalls.get(recallOf);
      const recalls = served ? state.recalls.set(recallOf, { ...served, republishedId: buildId }) : state.recalls;
      return place(
        { ...state, recalls },
        {
          ...{ ...event.data, ...newBuild(at), status: 'active', wasActive: true, jobId: null, promotedFromId: null },
        },
      );
    }
    case 'BuildUnrecalled': {
      const ended = state.recalls.get(data.buildId);
      const open = { ...state, recalls: state.recalls.delete(data.buildId) };
      return ended === undefined ? state : release(changeByHand(open, data.buildId, at, {}), ended);
    }
  }
}

/** Whether a recall republished the build, and devices get it as long as the build that it republishes is not recalled too. */
export function isUsedByRecall(
  { buildId, recallOf }: Pick<RetainedBuild, 'buildId' | 'recallOf'>,
  { recalls }: ChannelState,
): boolean {
  return recallOf !== undefined && recalls.get(recallOf)?.republishedId === buildId;
}

/** @throws DomainError BUILD_REPUBLISHED for a build that replaces a recalled one */
export function refuseRepublished({ buildId, recallOf, republishedFromId }: ChannelBuild): void {
  if (recallOf === undefined) return;
  throw new DomainError(
    'BUILD_REPUBLISHED',
    `Build ${buildId} is build ${republishedFromId}, republished for devices of the recalled build ${recallOf}. It can't be changed by itself: unrecall build ${recallOf}, recall it with another target, or recall build ${republishedFromId}.`,
    { recall_of: recallOf, republished_from_id: republishedFromId },
  );
}

/** @throws DomainError BUILD_RECALLED for a build that is to be served again, retried or archived while it is recalled */
export function refuseRecalledStatus({ buildId }: ChannelBuild, state: ChannelState): void {
  if (state.recalls.get(buildId) === undefined) return;
  throw new DomainError(
    'BUILD_RECALLED',
    `Build ${buildId} is recalled and stays paused. Unrecall it first, or upload a corrected version.`,
  );
}

/** @throws DomainError BUILD_RECALLED when the channel recalled a build with the same bundle */
export function refuseRecalledBundle(
  { checksum, version }: ChannelBuild,
  channel: Channel,
  target: ChannelState,
): void {
  for (const recalled of target.recalls.values()) {
    if (recalled.checksum !== checksum) continue;
    throw new DomainError(
      'BUILD_RECALLED',
      `The bundle of version ${version} was recalled in ${channelName(channel)}, as build ${recalled.buildId}: ${recalled.reason} Unrecall that build first, or promote a corrected version.`,
      { recalled_build_id: recalled.buildId },
    );
  }
}

export interface RecallPlan extends Pick<ChannelBuild, 'channel' | 'version' | 'checksum'> {
  /** Undefined: it is not recalled, and the rest is what a recall without a target would do. */
  readonly recall: Recall | undefined;
  /** Where devices go, over targets that were recalled in turn; undefined: a recall has to name it. */
  readonly target: RecallTarget | undefined;
  readonly targetVersion: string | undefined;
  /** What devices get; its id is null before the recall. */
  readonly replacement: { readonly id: number | null; readonly version: string } | undefined;
}

/** @throws DomainError BUILD_NOT_FOUND, BUILD_REPUBLISHED */
export function recallPlan(buildId: number, state: ChannelState): RecallPlan {
  const recall = state.recalls.get(buildId);
  const build = recall ?? buildOf(state, buildId);
  if (!('reason' in build)) refuseRepublished(build);
  const { channel, version, checksum } = build;
  const found = { channel, version, checksum, recall };
  if (recall === undefined) {
    const { buildId: id, version: targetVersion } = previousBuild(buildOf(state, buildId), state) ?? {};
    const replacement = id === undefined ? undefined : { id: null, version: nextVersion(state) };
    return { ...found, target: id, targetVersion, replacement };
  }
  let target = recall.target;
  for (let next: Recall | undefined = recall; next !== undefined;) {
    target = next.target;
    next = typeof target === 'number' ? state.recalls.get(target) : undefined;
  }
  let newest: ChannelBuild | undefined;
  for (const build of state.builds.values()) {
    if (build.republishedFromId !== target || build.status !== 'active') continue;
    if (newest === undefined || compareVersions(build.version, newest.version) > 0) newest = build;
  }
  const targetVersion = typeof target === 'number' ? state.builds.get(target)?.version : undefined;
  return { ...found, target, targetVersion, replacement: newest && { id: newest.buildId, version: newest.version } };
}

/** @throws DomainError RECALL_TARGET_MISSING */
function defaultTarget(build: ChannelBuild, state: ChannelState): number {
  const newest = previousBuild(build, state);
  if (newest !== undefined) return newest.buildId;
  throw new DomainError(
    'RECALL_TARGET_MISSING',
    `${channelName(build.channel)} has no build below version ${build.version} that was ever active, is not recalled, and can run on every device that can run build ${build.buildId}. Set "to" to a build of ${channelName(build.channel)}, to "embedded" (devices return to the bundle in their native app), or to "none" (devices keep version ${build.version} until a newer one is live).`,
  );
}

/** The newest build below it that was ever active, and that each device of this one can run. */
export function previousBuild(build: ChannelBuild, state: ChannelState): ChannelBuild | undefined {
  let newest: ChannelBuild | undefined;
  for (const other of state.builds.values()) {
    if (!other.wasActive || other.recallOf !== undefined || state.recalls.get(other.buildId) !== undefined) continue;
    if (compareVersions(other.version, build.version) >= 0 || !everyDeviceCanRun(build, other)) continue;
    if (newest === undefined || compareVersions(other.version, newest.version) > 0) newest = other;
  }
  return newest;
}

/** @throws ValidationError; DomainError BUILD_NOT_FOUND, BUILD_REPUBLISHED, BUILD_RECALLED, BUILD_NOT_READY */
function targetOf(build: ChannelBuild, to: number, state: ChannelState): ChannelBuild {
  const { buildId, channel } = build;
  if (to === buildId) throw new ValidationError({ to: [`Build ${to} is the one to recall. Name another one.`] });
  const target = state.builds.get(to);
  if (target === undefined) {
    throw new DomainError(
      'BUILD_NOT_FOUND',
      `There is no build ${to} in ${channelName(channel)}, the channel of build ${buildId}. Choose a build of ${channelName(channel)}, "embedded" or "none".`,
    );
  }
  refuseRepublished(target);
  if (!target.wasActive) throw notReady(target, 'devices can not be sent to it. Choose a build that was active once');
  if (!anyDeviceCanRun(build, target)) {
    const message = `No device of build ${buildId} can run build ${to}: their platforms, native ranges, fingerprints or encryption keys have nothing in common. Choose another target.`;
    throw new ValidationError({ to: [message] });
  }
  if (state.recalls.get(to) === undefined) return target;
  throw new DomainError('BUILD_RECALLED', `Build ${to} is recalled itself. Choose another target.`, {
    recalled_build_id: to,
  });
}

/** @throws ValidationError; DomainError VERSION_ALREADY_EXISTS */
function republish(
  { buildId: recallOf, republishedId, bundleId, version }: Extract<ChannelCommand, { type: 'RecallBuild' }>,
  source: ChannelBuild,
  state: ChannelState,
): RecallEvent {
  if (version !== undefined) {
    requireReleaseVersion(version);
    refuseHeldVersion({ version }, source.channel, state);
    const highest = highestVersion(state) ?? '0.0.0';
    if (compareVersions(version, highest) < 0) {
      throw new ValidationError({
        version: [
          `Version ${version} is not above ${highest}, the highest one in ${channelName(source.channel)}: devices install higher versions only. Leave it out, or take at least ${nextVersion(state)}.`,
        ],
      });
    }
  }
  return {
    type: 'BuildRepublished',
    data: {
      ...{ buildId: republishedId, bundleId, appId: source.appId, channel: source.channel },
      version: version ?? nextVersion(state),
      ...{ objectKey: source.objectKey, size: source.size, checksum: source.checksum, signature: source.signature },
      ...{ releaseNotes: source.releaseNotes, minNativeVersion: source.minNativeVersion, ...nativeRulesOf(source) },
      ...{ rolloutPercentage: 100, mandatory: true, recallOf, republishedFromId: source.buildId },
      republishedVersion: source.version,
      ...(source.signedByServer && { signedByServer: true }),
    },
  };
}

/** A republished build is active while its recall uses it and the build that it republishes is not recalled itself. */
function settle(state: ChannelState): ChannelEvent[] {
  const events: ChannelEvent[] = [];
  for (const build of state.builds.values()) {
    const { buildId, republishedFromId, status } = build;
    if (republishedFromId === undefined) continue;
    const serves = isUsedByRecall(build, state) && state.recalls.get(republishedFromId) === undefined;
    if (serves === (status === 'active')) continue;
    events.push({ type: serves ? 'BuildResumed' : 'BuildPaused', data: { buildId } });
  }
  return events;
}
