import type { Channel } from '@sluice/contracts';
import { channelNumber, isStandardChannel, parseRange, type Version, type VersionRange } from '@sluice/kernel';
import { isBuildTarget } from '../devices/device-pins';
import { rememberingVersions } from './domain/remembering-versions';
import { DeviceKinds } from './domain/device-kinds';
import type { DecryptingClient } from './domain/native-rules';
import {
  choicesFor,
  compileAudience,
  type CompiledAudience,
  type ActiveBuilds,
  type Candidate,
  type Choices,
  type DeviceKind,
  type DeviceSet,
} from './domain/select-build';
import { Groups } from './groups';
import { pinKeyOf, Pins } from './pins';
import { Recalls } from './recalls';
import { Rollbacks } from './rollbacks';
import type { ServingAudience, ServingBuild } from './serving.projection';

/** A build with its versions parsed; another object after every change of the build. */
export class ServedBuild implements Candidate {
  readonly version: Version;
  readonly minNativeVersion: Version | undefined;
  readonly nativeRange: VersionRange | undefined;
  readonly republishedVersion: Version | undefined;
  readonly audience: CompiledAudience | undefined;
  readonly seed: string;
  private readonly pinKey: string;

  /** @throws Error when one of its versions is none */
  constructor(
    readonly facts: ServingBuild,
    private readonly of: {
      readonly recalls: Pick<Recalls, 'has'>;
      readonly rollbacks: Pick<Rollbacks, 'devicesOf'>;
      readonly pins: Pick<Pins, 'of'>;
      readonly groups: Pick<Groups, 'includes'>;
    },
  ) {
    const { appId, buildId, version, minNativeVersion, nativeRange, republishedVersion, ring, audience } = facts;
    this.pinKey = pinKeyOf({ appId, target: String(buildId) });
    this.seed = ring === 'stable' ? `app-${appId}` : String(buildId);
    this.version = parsed(buildId, version);
    this.minNativeVersion = minNativeVersion === null ? undefined : parsed(buildId, minNativeVersion);
    this.nativeRange = typeof nativeRange === 'string' ? parsedRange(buildId, nativeRange) : undefined;
    this.republishedVersion = republishedVersion === undefined ? undefined : parsed(buildId, republishedVersion);
    this.audience = compileAudience(audience, {
      isInGroups: (names, hashes) => of.groups.includes(appId, names, hashes),
    });
  }

  get fingerprint(): string | undefined {
    return this.facts.fingerprint ?? undefined;
  }

  get platform(): ServingBuild['platform'] {
    return this.facts.platform;
  }

  get client(): DecryptingClient | undefined {
    return this.facts.delivery === undefined ? undefined : 'capgo';
  }

  get buildId(): number {
    return this.facts.buildId;
  }

  get rolloutPercentage(): number {
    return this.facts.rolloutPercentage;
  }

  get rolloutEnabled(): boolean {
    return this.facts.rolloutEnabled;
  }

  get active(): boolean {
    return this.facts.status === 'active';
  }

  get mandatory(): boolean {
    return this.facts.mandatory;
  }

  get rolledBack(): DeviceSet | undefined {
    return this.of.rollbacks.devicesOf(this.facts);
  }

  get pinned(): DeviceSet | undefined {
    return this.of.pins.of(this.pinKey);
  }

  get isRecalled(): boolean {
    return this.of.recalls.has(this.buildId);
  }

  get isRepublished(): boolean {
    return this.republishedFromId !== undefined;
  }

  /** The build that it republishes; undefined: it is an ordinary one. */
  get republishedFromId(): number | undefined {
    return this.facts.republishedFromId;
  }
}

interface ChannelBuilds extends ActiveBuilds<ServedBuild> {
  readonly appId: number;
  readonly channel: Channel;
  readonly all: ServedBuild[];
  readonly mandatory: ServedBuild[];
  /** Active, newest version first. */
  readonly republished: ServedBuild[];
}

type FoundChoices = Choices<ServedBuild>;

const NOTHING: FoundChoices = { audience: undefined, offers: [], rollBackToEmbedded: false, nativeUpdates: [] };

/** Shared by builds of the same version: parsed, it is larger than the rest of a build. */
const versionOf = rememberingVersions();

/** Remembered at a time, of all channels together: some megabytes. */
const REMEMBERED_CHOICES = 20_000;
/** Of one channel. Its builds distinguish far fewer kinds of devices, unless it has hundreds with ranges of their own. */
const REMEMBERED_OF_CHANNEL = 4_000;

/** What a channel has for devices, for as long as its builds stay the same. */
interface Remembered {
  readonly kinds: DeviceKinds;
  /** By what the builds of the channel distinguish: devices can't make up more than there is. */
  readonly byKind: Map<string, FoundChoices>;
  /** For devices that differ in their versions alone, by these as they sent them. */
  readonly byVersions: Map<Version, Map<Version | undefined, FoundChoices>>;
  size: number;
}

/** Builds by id, and the active ones of each channel in the order in which they are offered. */
export class ServedBuilds {
  private readonly byId = new Map<number, ServedBuild>();
  private readonly byBundleId = new Map<string, ServedBuild>();
  private readonly byApp = new Map<number, ServedBuild[]>();
  private readonly revisions = new Map<number, number>();
  /** Channels that have an active build, or a recall. */
  private readonly apps = new Map<number, Map<Channel, ChannelBuilds>>();
  /** Of the channels that have one, by app and channel. */
  private readonly audiences = new Map<string, CompiledAudience>();
  private readonly known = new Map<ChannelBuilds, Remembered>();
  /** Entries of all `byKind`, with their offers, and of all `byVersions`. */
  private remembered = 0;
  private rememberedVersions = 0;
  readonly recalls = new Recalls((appId, channel) => this.forget(appId, channel));
  readonly rollbacks = new Rollbacks((buildId) => this.forgetOf(buildId));
  readonly pins = new Pins((target) => isBuildTarget(target) && this.forgetOf(Number(target)));
  readonly groups = new Groups();

  find(buildId: number): ServedBuild | undefined {
    return this.byId.get(buildId);
  }

  findByBundleId(bundleId: string): ServedBuild | undefined {
    return this.byBundleId.get(bundleId);
  }

  /** The build itself, for clients that also go back to an older version and so need no copy of it under a higher one. */
  sourceOf(build: ServedBuild): ServedBuild {
    const { republishedFromId } = build;
    return (republishedFromId === undefined ? undefined : this.find(republishedFromId)) ?? build;
  }

  /** The build and the active ones that republish it: what devices report of one that they got as `sourceOf`. */
  withCopies(build: ServedBuild): ServedBuild[] {
    const { appId, channel } = build.facts;
    return [build, ...this.active(appId, channel).filter((each) => each.republishedFromId === build.buildId)];
  }

  /** Another number after each change of the app's builds. */
  revisionOf(appId: number): number {
    return this.revisions.get(appId) ?? 0;
  }

  /** In no order, the ones that are not active included. */
  ofApp(appId: number): ServedBuild[] {
    return [...(this.byApp.get(appId) ?? [])];
  }

  /** The newest older version in the channel of a build, of those that `fits` admits, whatever their state. */
  previousOf({ facts, version }: ServedBuild, fits: (other: ServedBuild) => boolean): ServedBuild | undefined {
    let newest: ServedBuild | undefined;
    for (const other of this.byApp.get(facts.appId) ?? []) {
      if (other.facts.channel !== facts.channel || other.isRepublished || !fits(other)) continue;
      if (other.version.compare(version) >= 0) continue;
      if (newest === undefined || other.version.compare(newest.version) > 0) newest = other;
    }
    return newest;
  }

  /** Those of this version, in canonical form, whatever their channel and state. */
  ofVersion(appId: number, version: string): ServedBuild[] {
    return (this.byApp.get(appId) ?? []).filter(({ facts }) => facts.version === version);
  }

  /**
   * What the channel has for devices of this kind, found out once for as long as its builds stay
   * the same: a fleet has few kinds, and many builds then cost a check no more than one.
   */
  choices(appId: number, channel: Channel, device: DeviceKind): FoundChoices {
    const builds = this.apps.get(appId)?.get(channel);
    if (builds === undefined) return NOTHING;
    const known = this.known.get(builds) ?? this.beginRemembering(builds);
    if (!known.kinds.isByVersions(device)) return this.ofKind(builds, known, device);
    return (
      known.byVersions.get(device.currentVersion)?.get(device.nativeVersion) ?? this.ofVersions(builds, known, device)
    );
  }

  /** What devices of a recalled version of the channel get. */
  replacementsOf(appId: number, channel: Channel): ActiveBuilds<ServedBuild>['replacementOf'] {
    return this.apps.get(appId)?.get(channel)?.replacementOf ?? (() => undefined);
  }

  /** Of the channel; undefined: all devices. */
  audienceOf(appId: number, channel: Channel): CompiledAudience | undefined {
    return this.audiences.get(`${appId}/${channel}`);
  }

  replaceAudience(before: ServingAudience | undefined, after: ServingAudience | undefined): void {
    const row = after ?? before;
    if (row === undefined) return;
    const { appId, channel, id } = row;
    const compiled = compileAudience(after?.audience, {
      isInGroups: (names, hashes) => this.groups.includes(appId, names, hashes),
      pinned: () => this.pins.of(id),
    });
    if (compiled === undefined) this.audiences.delete(id);
    else this.audiences.set(id, compiled);
    this.forget(appId, channel);
  }

  /** Republished ones among them; in no order. */
  active(appId: number, channel: Channel): readonly ServedBuild[] {
    const { all = [], republished = [] } = this.apps.get(appId)?.get(channel) ?? {};
    return [...all, ...republished];
  }

  /** Of the newest version that the channel serves, to whomever. */
  newestActive(appId: number, channel: Channel): ServedBuild | undefined {
    return this.apps.get(appId)?.get(channel)?.all[0];
  }

  replace(before: ServingBuild | undefined, after: ServingBuild | undefined): void {
    const appId = (after ?? before)?.appId;
    if (appId !== undefined) this.revisions.set(appId, this.revisionOf(appId) + 1);
    if (before !== undefined) this.remove(before);
    if (after !== undefined) this.add(after);
  }

  private beginRemembering(builds: ChannelBuilds): Remembered {
    const { appId, channel, all, republished } = builds;
    const byPlatform =
      [...all, ...republished].some(({ platform }) => platform !== undefined) ||
      this.recalls.haveByPlatform(appId, channel);
    const kinds = new DeviceKinds(all, republished, byPlatform);
    const known: Remembered = { kinds, byKind: new Map(), byVersions: new Map(), size: 0 };
    this.known.set(builds, known);
    return known;
  }

  /** Versions that devices make up are forgotten together; what is known by kind stays. */
  private ofVersions(builds: ChannelBuilds, known: Remembered, device: DeviceKind): FoundChoices {
    const found = this.ofKind(builds, known, device);
    this.rememberedVersions += 1;
    if (this.rememberedVersions > REMEMBERED_CHOICES) {
      for (const { byVersions } of this.known.values()) byVersions.clear();
      this.rememberedVersions = 1;
    }
    const ofCurrent = known.byVersions.get(device.currentVersion) ?? new Map<Version | undefined, FoundChoices>();
    known.byVersions.set(device.currentVersion, ofCurrent.set(device.nativeVersion, found));
    return found;
  }

  private ofKind(builds: ChannelBuilds, known: Remembered, device: DeviceKind): FoundChoices {
    const key = known.kinds.keyOf(device, this.recalls.targetOf(builds.appId, builds.channel, device));
    const before = known.byKind.get(key);
    if (before !== undefined) return before;
    const found = choicesFor(builds, device);
    const size = 1 + found.offers.length + found.nativeUpdates.length;
    if (known.size + size > REMEMBERED_OF_CHANNEL) this.forgetChoices(known);
    // Of the channels that were asked for first.
    for (const other of this.known.values()) {
      if (this.remembered + size <= REMEMBERED_CHOICES) break;
      if (other !== known) this.forgetChoices(other);
    }
    this.remembered += size;
    known.size += size;
    known.byKind.set(key, found);
    return found;
  }

  private forgetChoices(known: Remembered): void {
    this.remembered -= known.size;
    known.size = 0;
    known.byKind.clear();
    known.byVersions.clear();
  }

  private forgetChannel(builds: ChannelBuilds): void {
    const known = this.known.get(builds);
    if (known === undefined) return;
    this.forgetChoices(known);
    this.known.delete(builds);
  }

  private remove({ buildId, appId, channel }: ServingBuild): void {
    const build = this.byId.get(buildId);
    if (build === undefined) return;
    this.byId.delete(buildId);
    this.byBundleId.delete(build.facts.bundleId);
    drop(this.byApp.get(appId) ?? [], build);
    const builds = this.apps.get(appId)?.get(channel);
    if (builds === undefined) return;
    this.forgetChannel(builds);
    drop(builds.all, build);
    drop(builds.mandatory, build);
    drop(builds.republished, build);
    this.dropIfEmpty(appId, channel, builds);
  }

  private add(facts: ServingBuild): void {
    const build = new ServedBuild(facts, this);
    const builds = build.active ? this.buildsOf(facts.appId, facts.channel) : undefined;
    this.byId.set(facts.buildId, build);
    this.byBundleId.set(facts.bundleId, build);
    const siblings = this.byApp.get(facts.appId);
    if (siblings === undefined) this.byApp.set(facts.appId, [build]);
    else siblings.push(build);
    if (builds === undefined) return;
    this.forgetChannel(builds);
    if (build.republishedFromId !== undefined) {
      insert(builds.republished, build);
      return;
    }
    insert(builds.all, build);
    if (build.mandatory) insert(builds.mandatory, build);
  }

  /** @throws Error when there is no such channel */
  private buildsOf(appId: number, channel: Channel): ChannelBuilds {
    if (!isStandardChannel(channel) && channelNumber(channel) === 0)
      throw new Error(`There is no channel "${channel}".`);
    const channels = this.apps.get(appId) ?? new Map<Channel, ChannelBuilds>();
    const builds = channels.get(channel) ?? this.emptyChannel(appId, channel);
    this.apps.set(appId, channels.set(channel, builds));
    return builds;
  }

  private dropIfEmpty(appId: number, channel: Channel, { all, republished }: ChannelBuilds): void {
    if (all.length > 0 || republished.length > 0 || this.recalls.concern(appId, channel)) return;
    const channels = this.apps.get(appId);
    channels?.delete(channel);
    if (channels?.size === 0) this.apps.delete(appId);
  }

  private emptyChannel(appId: number, channel: Channel): ChannelBuilds {
    const republished: ServedBuild[] = [];
    const audienceOf = () => this.audienceOf(appId, channel);
    return {
      ...{ appId, channel, all: [], mandatory: [], republished },
      get audience() {
        return audienceOf();
      },
      replacementOf: (device) => {
        const target = this.recalls.targetOf(appId, channel, device);
        if (target === undefined || target === 'embedded') return target;
        return republished.filter(({ republishedFromId }) => republishedFromId === target);
      },
    };
  }

  private forgetOf(buildId: number): void {
    const build = this.byId.get(buildId)?.facts;
    if (build !== undefined) this.forget(build.appId, build.channel);
  }

  /** A channel may have recalls or rollbacks and nothing that is active. */
  private forget(appId: number, channel: Channel): void {
    const builds = this.buildsOf(appId, channel);
    this.forgetChannel(builds);
    this.dropIfEmpty(appId, channel, builds);
  }
}

function parsed(buildId: number, text: string): Version {
  const version = versionOf(text);
  if (version === undefined) throw new Error(`Build ${buildId} has the version "${text}", which is none.`);
  return version;
}

function parsedRange(buildId: number, text: string): VersionRange {
  const range = parseRange(text);
  if (range === undefined) throw new Error(`Build ${buildId} has the native range "${text}", which is none.`);
  return range;
}

function drop(list: ServedBuild[], build: ServedBuild): void {
  const index = list.indexOf(build);
  if (index >= 0) list.splice(index, 1);
}

/** Into a list that is newest version first. */
function insert(list: ServedBuild[], build: ServedBuild): void {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = list[middle];
    if (other !== undefined && other.version.compare(build.version) > 0) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, build);
}
