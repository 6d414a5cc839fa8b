import type { Channel } from '@sluice/contracts';
import type { Version } from '@sluice/kernel';
import { rememberingVersions } from './domain/remembering-versions';
import {
  choicesFor,
  type ActiveBuilds,
  type Candidate,
  type Choices,
  type DeviceVersions,
  type RolledBack,
} from './domain/select-build';
import { Recalls } from './recalls';
import { Rollbacks } from './rollbacks';
import type { ServingBuild } from './serving.projection';

/** A build with its versions parsed; another object after every change of the build. */
export class ServedBuild implements Candidate {
  readonly version: Version;
  readonly minNativeVersion: Version | undefined;

  /** @throws Error when one of its versions is none */
  constructor(
    readonly facts: ServingBuild,
    private readonly recalls: Pick<Recalls, 'has'>,
    private readonly rollbacks: Pick<Rollbacks, 'devicesOf'>,
  ) {
    const { buildId, version, minNativeVersion } = facts;
    this.version = parsed(buildId, version);
    this.minNativeVersion = minNativeVersion === null ? undefined : parsed(buildId, minNativeVersion);
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

  get rolledBack(): RolledBack | undefined {
    return this.rollbacks.devicesOf(this.facts);
  }

  get isRecalled(): boolean {
    return this.recalls.has(this.buildId);
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
  readonly all: ServedBuild[];
  readonly mandatory: ServedBuild[];
  /** Active, newest version first. */
  readonly republished: ServedBuild[];
}

type FoundChoices = Choices<ServedBuild>;

const NOTHING: FoundChoices = { offers: [], rollBackToEmbedded: false };

/** Shared by builds of the same version: parsed, it is larger than the rest of a build. */
const versionOf = rememberingVersions();

/** Remembered at a time, of all channels together: some megabytes. */
const REMEMBERED_CHOICES = 20_000;

/** Builds by id, and the active ones of each channel in the order in which they are offered. */
export class ServedBuilds {
  private readonly byId = new Map<number, ServedBuild>();
  private readonly byBundleId = new Map<string, ServedBuild>();
  private readonly byApp = new Map<number, ServedBuild[]>();
  private readonly apps = new Map<number, Record<Channel, ChannelBuilds>>();
  /** By channel, and the current and the native version of the devices that asked. */
  private readonly known = new Map<ChannelBuilds, Map<Version, Map<Version | undefined, FoundChoices>>>();
  private remembered = 0;
  readonly recalls = new Recalls((appId, channel) => this.forget(appId, channel));
  readonly rollbacks = new Rollbacks((buildId) => {
    const build = this.byId.get(buildId)?.facts;
    if (build !== undefined) this.forget(build.appId, build.channel);
  });

  find(buildId: number): ServedBuild | undefined {
    return this.byId.get(buildId);
  }

  findByBundleId(bundleId: string): ServedBuild | undefined {
    return this.byBundleId.get(bundleId);
  }

  /** In no order, the ones that are not active included. */
  ofApp(appId: number): ServedBuild[] {
    return [...(this.byApp.get(appId) ?? [])];
  }

  /**
   * What the channel has for devices of these versions, found out once for as long as its builds stay
   * the same: a fleet has few versions, and many builds then cost a check no more than one.
   */
  choices(appId: number, channel: Channel, versions: DeviceVersions): FoundChoices {
    const builds = this.apps.get(appId)?.[channel];
    if (builds === undefined) return NOTHING;
    return (
      this.known.get(builds)?.get(versions.currentVersion)?.get(versions.nativeVersion) ??
      this.findChoices(builds, versions)
    );
  }

  /** What devices of a recalled version of the channel get. */
  replacementsOf(appId: number, channel: Channel): ActiveBuilds<ServedBuild>['replacementOf'] {
    return this.apps.get(appId)?.[channel].replacementOf ?? (() => undefined);
  }

  /** Republished ones among them; in no order. */
  active(appId: number, channel: Channel): readonly ServedBuild[] {
    const { all = [], republished = [] } = this.apps.get(appId)?.[channel] ?? {};
    return [...all, ...republished];
  }

  /** Of the newest version that the channel serves, to whomever. */
  newestActive(appId: number, channel: Channel): ServedBuild | undefined {
    return this.apps.get(appId)?.[channel].all[0];
  }

  replace(before: ServingBuild | undefined, after: ServingBuild | undefined): void {
    if (before !== undefined) this.remove(before);
    if (after !== undefined) this.add(after);
  }

  private findChoices(builds: ChannelBuilds, versions: DeviceVersions): FoundChoices {
    const { currentVersion, nativeVersion } = versions;
    const found = choicesFor(builds, versions);
    this.remembered += 1 + found.offers.length;
    if (this.remembered > REMEMBERED_CHOICES) {
      this.known.clear();
      this.remembered = 0;
    }
    const ofChannel = this.known.get(builds) ?? new Map<Version, Map<Version | undefined, FoundChoices>>();
    const ofCurrent = ofChannel.get(currentVersion) ?? new Map<Version | undefined, FoundChoices>();
    this.known.set(builds, ofChannel.set(currentVersion, ofCurrent.set(nativeVersion, found)));
    return found;
  }

  private remove({ buildId, appId, channel }: ServingBuild): void {
    const build = this.byId.get(buildId);
    if (build === undefined) return;
    this.byId.delete(buildId);
    this.byBundleId.delete(build.facts.bundleId);
    drop(this.byApp.get(appId) ?? [], build);
    const builds = this.apps.get(appId)?.[channel];
    if (builds === undefined) return;
    this.known.delete(builds);
    drop(builds.all, build);
    drop(builds.mandatory, build);
    drop(builds.republished, build);
  }

  private add(facts: ServingBuild): void {
    const build = new ServedBuild(facts, this.recalls, this.rollbacks);
    const builds = build.active ? this.buildsOf(facts) : undefined;
    this.byId.set(facts.buildId, build);
    this.byBundleId.set(facts.bundleId, build);
    const siblings = this.byApp.get(facts.appId);
    if (siblings === undefined) this.byApp.set(facts.appId, [build]);
    else siblings.push(build);
    if (builds === undefined) return;
    this.known.delete(builds);
    if (build.republishedFromId !== undefined) {
      insert(builds.republished, build);
      return;
    }
    insert(builds.all, build);
    if (build.mandatory) insert(builds.mandatory, build);
  }

  private buildsOf({ appId, buildId, channel }: ServingBuild): ChannelBuilds {
    const channels = this.channelsOf(appId);
    const builds = (channels as Partial<Record<Channel, ChannelBuilds>>)[channel];
    if (builds === undefined) throw new Error(`Build ${buildId} is in the channel "${channel}", which there is not.`);
    return builds;
  }

  private channelsOf(appId: number): Record<Channel, ChannelBuilds> {
    const known = this.apps.get(appId);
    if (known !== undefined) return known;
    const empty = (channel: Channel) => this.emptyChannel(appId, channel);
    const made = { production: empty('production'), staging: empty('staging'), development: empty('development') };
    this.apps.set(appId, made);
    return made;
  }

  private emptyChannel(appId: number, channel: Channel): ChannelBuilds {
    const republished: ServedBuild[] = [];
    return {
      ...{ all: [], mandatory: [], republished },
      replacementOf: ({ version }) => {
        const target = this.recalls.targetOf(appId, channel, version);
        if (target === undefined || target === 'embedded') return target;
        return republished.filter(({ republishedFromId }) => republishedFromId === target);
      },
    };
  }

  /** A channel may have recalls or rollbacks and nothing that is active. */
  private forget(appId: number, channel: Channel): void {
    this.known.delete(this.channelsOf(appId)[channel]);
  }
}

function parsed(buildId: number, text: string): Version {
  const version = versionOf(text);
  if (version === undefined) throw new Error(`Build ${buildId} has the version "${text}", which is none.`);
  return version;
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
