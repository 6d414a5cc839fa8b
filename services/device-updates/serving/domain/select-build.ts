import {
  type AttributeRule,
  type AttributeValue,
  type Audience,
  compileRule,
  hashFraction,
  type Version,
} from '@sluice/kernel';
import {
  fitsNativeApp,
  isForClient,
  isForEveryNativeApp,
  isForPlatform,
  nativeUpdateFor,
  type DevicePlatform,
  type NativeApp,
  type NativeRules,
} from './native-rules';

/** What the choice looks at in an active build. */
export interface Candidate extends NativeRules {
  readonly buildId: number;
  readonly version: Version;
  /** Of the build that it republishes for a recall; left out: it is an ordinary one, or the version is not known. */
  readonly republishedVersion?: Version | undefined;
  /** 0 to 100. */
  readonly rolloutPercentage: number;
  /** Devices are ordered by the hash of their id with it: the id of the build, or one of the app for a stable ring. */
  readonly seed: string;
  /** False: the release is halted. */
  readonly rolloutEnabled: boolean;
  readonly mandatory: boolean;
  /** The devices that are offered it; undefined: all of them. */
  readonly audience: CompiledAudience | undefined;
  /** The devices that rolled it back, which are not offered it; undefined: none did. */
  readonly rolledBack: DeviceSet | undefined;
  /** The devices that are offered it whatever its audience and its percentage; undefined: none is. */
  readonly pinned: DeviceSet | undefined;
}

/** Of hashes. */
export type DeviceSet = Pick<ReadonlySet<string>, 'has'>;

/** An audience, prepared for being asked often. */
export interface CompiledAudience {
  /** No rule lets a device in. */
  readonly pinnedOnly: boolean;
  /** The devices that are in it whatever its rules; undefined: none is. */
  readonly pinned: () => DeviceSet | undefined;
  readonly attributes: readonly RuleOfAttribute[];
  /** One of these has to have the device; empty: no group has to. */
  readonly groups: readonly string[];
  readonly isInGroups: InGroups;
}

/** Whether one of the groups has a device that may be stored under one of the hashes. */
type InGroups = (groups: readonly string[], hashes: readonly string[]) => boolean;

export interface RuleOfAttribute {
  readonly name: string;
  readonly rule: AttributeRule;
  readonly accepts: (value: AttributeValue) => boolean;
}

/** Undefined: all devices. */
export function compileAudience(
  audience: Audience | null | undefined,
  { isInGroups = () => false, pinned = () => undefined }: Partial<Pick<CompiledAudience, 'isInGroups' | 'pinned'>> = {},
): CompiledAudience | undefined {
  if (audience === null || audience === undefined) return undefined;
  const { pinned_only: pinnedOnly = false, attributes = {}, groups = [] } = audience;
  const rules = Object.entries(attributes).map(([name, rule]) => ({ name, rule, accepts: compileRule(rule) }));
  return { pinnedOnly, pinned, attributes: rules, groups, isInGroups };
}

/** What a channel offers. Lists are newest version first. */
export interface ActiveBuilds<Build extends Candidate> {
  /** Its active builds, republished ones left out. */
  readonly all: readonly Build[];
  /** Those of `all` that are mandatory. */
  readonly mandatory: readonly Build[];
  /** Of the channel: the devices that are offered its builds; undefined or left out: all of them. */
  readonly audience?: CompiledAudience | undefined;
  /** What devices of a recalled version get if nothing else is newer; undefined: the version is not recalled. */
  readonly replacementOf: (device: Pick<DeviceKind, 'currentVersion' | 'platform'>) => Replacement<Build> | undefined;
}

/** Active builds that republish the target of a recall, or the bundle inside the native app. */
export type Replacement<Build extends Candidate> = readonly Build[] | 'embedded';

export type { DevicePlatform } from './native-rules';
export type AppPlatform = 'ios' | 'android' | 'both';

/** What the devices have in common that get the same choices. */
export interface DeviceKind extends NativeApp {
  /** The bundle that runs now. */
  readonly currentVersion: Version;
  /** The bundle inside the native app: nothing as old is offered. Undefined: not sent. */
  readonly embeddedVersion?: Version | undefined;
}

/** The id of devices whose client sends none: no rollout below 100% holds them. */
export const ANONYMOUS = '';

export interface DeviceIdentity {
  readonly deviceId: string;
  /** Under which the device may be stored. Computed only where devices rolled a build back, are pinned or form groups. */
  readonly hashes: () => readonly string[];
  /** What it sent of itself; undefined: it sent no value, or the app declares no such attribute. */
  readonly attribute: (name: string) => AttributeValue | undefined;
}

export interface Device extends DeviceKind, DeviceIdentity {}

export interface Selected<Build extends Candidate> {
  readonly build: Build;
  /** The build itself is mandatory, or one that it skips is. */
  readonly mandatory: boolean;
}

/**
 * A build that devices of one kind may be offered: each of its audience that its rollout holds, and each that is pinned to it,
 * unless it rolled the build back.
 */
export interface Choice<Build extends Candidate> {
  readonly build: Build;
  /** To every device: the build is mandatory, or it skips one that is and that everybody gets. */
  readonly mandatory: boolean;
  /** Where it is not: the mandatory builds that it skips, some of which the device may not be offered. */
  readonly mandatoryIf: readonly Candidate[];
  /** Only a recall offers it, whatever the audience of the channel is. */
  readonly ofRecall: boolean;
}

/** All of the choice but audiences, rollouts, pins and rollbacks. */
export interface Choices<Build extends Candidate> {
  /** Of the channel. */
  readonly audience: CompiledAudience | undefined;
  /** Newest first; last those that only a recall offers. */
  readonly offers: readonly Choice<Build>[];
  /** To whom nothing is offered: the version is recalled, and devices are to run the bundle inside their native app. */
  readonly rollBackToEmbedded: boolean;
  /** Builds that only a newer native app can run, newest first. */
  readonly nativeUpdates: readonly NativeUpdate[];
}

export interface NativeUpdate {
  readonly build: Candidate;
  /** The lowest native version that can run it. */
  readonly minimum: string;
}

/** The newest build that this device may be offered now; undefined when there is nothing to do. */
export function selectBuild<Build extends Candidate>(
  builds: ActiveBuilds<Build>,
  appPlatform: AppPlatform,
  device: Device,
): Selected<Build> | undefined {
  return suits(device.platform, appPlatform) ? choose(choicesFor(builds, device), device) : undefined;
}

/** The same for every device of this kind. */
export function choicesFor<Build extends Candidate>(builds: ActiveBuilds<Build>, kind: DeviceKind): Choices<Build> {
  const { audience } = builds;
  const offers = newerBuilds(builds, kind);
  const nativeUpdates = nativeUpdatesFor(builds, kind);
  const replacement = builds.replacementOf(kind);
  if (replacement === undefined || replacement === 'embedded') {
    return { audience, offers, nativeUpdates, rollBackToEmbedded: replacement === 'embedded' };
  }
  const replaced = newestUntilCertain({ all: replacement }, kind).map((build) => ({
    ...{ build, mandatory: true, mandatoryIf: [], ofRecall: true },
  }));
  return { audience, offers: [...offers, ...replaced], nativeUpdates, rollBackToEmbedded: false };
}

type OfChannel<Build extends Candidate> = Pick<ActiveBuilds<Build>, 'all' | 'audience'>;

/** Those that a newer native app could run, up to the first that every device gets. */
function nativeUpdatesFor({ all, audience }: OfChannel<Candidate>, kind: DeviceKind): NativeUpdate[] {
  const found: NativeUpdate[] = [];
  for (const build of all) {
    if (!isNewer(build, kind)) break;
    if (!isReleased(build) || !isForPlatform(build, kind) || !isForClient(build, kind)) continue;
    const minimum = nativeUpdateFor(build, kind);
    if (minimum !== undefined) found.push({ build, minimum: minimum.version });
    if (isCertain(build, audience) && (minimum !== undefined || fitsNativeApp(build, kind))) break;
  }
  return found;
}

/** What would get this device a newer build than the one that it is offered. */
export function nativeUpdate(
  { nativeUpdates, audience }: Pick<Choices<Candidate>, 'nativeUpdates' | 'audience'>,
  selected: Candidate | undefined,
  device: DeviceIdentity,
): NativeUpdate | undefined {
  const isInChannel = isInAudience(audience, device);
  for (const update of nativeUpdates) {
    if (selected !== undefined && update.build.version.compare(selected.version) <= 0) return undefined;
    if (isFor(update.build, isInChannel, device)) return update;
  }
  return undefined;
}

function newerBuilds<Build extends Candidate>(
  builds: Pick<ActiveBuilds<Build>, 'all' | 'mandatory' | 'audience'>,
  kind: DeviceKind,
): readonly Choice<Build>[] {
  const within = newestUntilCertain(builds, kind);
  if (within.length === 0) return [];

  let skipped = mandatoryWithinReach(builds.mandatory, kind);
  return within.map((build) => {
    const older = skipped.findIndex(({ version }) => version.compare(build.version) < 0);
    skipped = older < 0 ? [] : skipped.slice(older);
    const mandatory = build.mandatory || skipped.some((one) => isCertain(one, builds.audience));
    return { build, mandatory, mandatoryIf: mandatory ? [] : skipped, ofRecall: false };
  });
}

/** Those within reach, up to the first that every device gets. */
function newestUntilCertain<Build extends Candidate>({ all, audience }: OfChannel<Build>, kind: DeviceKind): Build[] {
  const within: Build[] = [];
  for (const build of all) {
    if (build.version.compare(kind.currentVersion) <= 0) break;
    if (!isNewer(build, kind) || !isWithinReach(build, kind)) continue;
    within.push(build);
    if (isCertain(build, audience)) break;
  }
  return within;
}

/** The first choice that the device may be offered. */
export function choose<Build extends Candidate>(
  { offers, audience }: Pick<Choices<Build>, 'offers' | 'audience'>,
  device: DeviceIdentity,
): Selected<Build> | undefined {
  if (offers.length === 0) return undefined;
  const isInChannel = isInAudience(audience, device);
  for (const { build, mandatory, mandatoryIf, ofRecall } of offers) {
    if (!isFor(build, isInChannel || ofRecall, device)) continue;
    return { build, mandatory: mandatory || mandatoryIf.some((skipped) => isFor(skipped, isInChannel, device)) };
  }
  return undefined;
}

export function suits(device: DevicePlatform, app: AppPlatform): boolean {
  return device === 'web' || device === 'all' || app === 'both' || device === app;
}

/** Whether every device of its channel's audience with an older version gets it, unless it rolled the build back. */
export function isForEveryDevice(build: Candidate): boolean {
  return build.rolloutEnabled && isForEveryDeviceWithinReach(build) && isForEveryNativeApp(build);
}

/** Every device within its reach gets it, in a channel with this audience. */
function isCertain(build: Candidate, ofChannel: CompiledAudience | undefined): boolean {
  return ofChannel === undefined && isForEveryDeviceWithinReach(build) && build.rolledBack === undefined;
}

function isForEveryDeviceWithinReach({ rolloutPercentage, audience }: Candidate): boolean {
  return rolloutPercentage >= 100 && audience === undefined;
}

/** @param isInChannel whether the audience of the channel has the device */
function isFor(build: Candidate, isInChannel: boolean, device: DeviceIdentity): boolean {
  if (isRolledBack(build, device)) return false;
  return (
    (isInChannel && isInAudience(build.audience, device) && holds(build, device.deviceId)) || isPinned(build, device)
  );
}

/** Whether the device is offered the build whatever the audiences and its percentage. */
export function isPinned({ pinned }: Pick<Candidate, 'pinned'>, { hashes }: DeviceIdentity): boolean {
  return pinned !== undefined && hashes().some((hash) => pinned.has(hash));
}

export function isInAudience(audience: CompiledAudience | undefined, device: DeviceIdentity): boolean {
  if (audience === undefined || (!audience.pinnedOnly && meetsRules(audience, device))) return true;
  const pinned = audience.pinned();
  return pinned !== undefined && isPinned({ pinned }, device);
}

function meetsRules(audience: CompiledAudience, device: DeviceIdentity): boolean {
  return audience.attributes.every((rule) => meets(rule, device)) && isInGroups(audience, device);
}

export function isInGroups({ groups, isInGroups: has }: CompiledAudience, { hashes }: DeviceIdentity): boolean {
  return groups.length === 0 || has(groups, hashes());
}

/** A device that sent no value meets no rule. */
export function meets({ name, accepts }: RuleOfAttribute, { attribute }: DeviceIdentity): boolean {
  const value = attribute(name);
  return value !== undefined && accepts(value);
}

/** Whether the device reported that it rolled the build back. */
export function isRolledBack({ rolledBack }: Candidate, { hashes }: DeviceIdentity): boolean {
  return rolledBack !== undefined && hashes().some((hash) => rolledBack.has(hash));
}

/** By all but the device itself. */
function isWithinReach(build: Candidate, kind: DeviceKind): boolean {
  return isReleased(build) && fitsNativeApp(build, kind);
}

function isReleased({ rolloutEnabled, rolloutPercentage, pinned }: Candidate): boolean {
  return rolloutEnabled && (rolloutPercentage > 0 || pinned !== undefined);
}

/** Than what the device runs, and what it has in its native app. */
function isNewer(build: Candidate, kind: DeviceKind): boolean {
  return build.version.compare(kind.currentVersion) > 0 && isNewerThanEmbedded(build, kind);
}

/** A republished build is as old as the one that it republishes. */
export function isNewerThanEmbedded(
  { version, republishedVersion = version }: Candidate,
  { embeddedVersion }: Pick<DeviceKind, 'embeddedVersion'>,
): boolean {
  return embeddedVersion === undefined || republishedVersion.compare(embeddedVersion) > 0;
}

export function holds(build: Candidate, deviceId: string): boolean {
  const { rolloutPercentage } = build;
  if (rolloutPercentage >= 100) return true;
  if (rolloutPercentage <= 0 || deviceId === ANONYMOUS) return false;
  return bucketOf(build, deviceId) < rolloutPercentage;
}

/** From 0 to under 100. Stateless, the same on every process; so raising a percentage never drops a device. */
export function bucketOf({ seed }: Pick<Candidate, 'seed'>, deviceId: string): number {
  return 100 * hashFraction(`${deviceId}:${seed}`);
}

function mandatoryWithinReach(mandatory: readonly Candidate[], kind: DeviceKind): readonly Candidate[] {
  const older = mandatory.findIndex((build) => !isNewer(build, kind));
  const newer = older < 0 ? mandatory : mandatory.slice(0, older);
  return newer.filter((build) => isWithinReach(build, kind));
}
