import type { Channel } from '@sluice/contracts';
import { rememberingVersions } from '../domain/remembering-versions';
import type { ActiveBuilds, Candidate } from '../domain/select-build';
import type { ServingBuild } from '../projections/serving.projection';

/** A build with its versions parsed; another object after every change of the build. */
export interface ServedBuild extends Candidate {
  readonly facts: ServingBuild;
}

interface ChannelBuilds extends ActiveBuilds<ServedBuild> {
  readonly all: ServedBuild[];
  readonly mandatory: ServedBuild[];
}

/** Shared by builds of the same version: parsed, it is larger than the rest of a build. */
const versionOf = rememberingVersions();

const NONE: ActiveBuilds<ServedBuild> = { all: [], mandatory: [] };

/** Builds by id, and the active ones of each channel in the order in which they are offered. */
export class ServedBuilds {
  private readonly byId = new Map<number, ServedBuild>();
  private readonly byBundleId = new Map<string, ServedBuild>();
  private readonly byApp = new Map<number, Set<ServedBuild>>();
  private readonly apps = new Map<number, Record<Channel, ChannelBuilds>>();

  find(buildId: number): ServedBuild | undefined {
    return this.byId.get(buildId);
  }

  findByBundleId(bundleId: string): ServedBuild | undefined {
    return this.byBundleId.get(bundleId);
  }

  ofApp(appId: number): ServedBuild[] {
    return [...(this.byApp.get(appId) ?? [])];
  }

  active(appId: number, channel: Channel): ActiveBuilds<ServedBuild> {
    return this.apps.get(appId)?.[channel] ?? NONE;
  }

  replace(before: ServingBuild | undefined, after: ServingBuild | undefined): void {
    if (before !== undefined) this.remove(before);
    if (after !== undefined) this.add(after);
  }

  private remove({ buildId, appId, channel }: ServingBuild): void {
    const build = this.byId.get(buildId);
    if (build === undefined) return;
    this.byId.delete(buildId);
    this.byBundleId.delete(build.facts.bundleId);
    this.byApp.get(appId)?.delete(build);
    const builds = this.apps.get(appId)?.[channel];
    if (builds === undefined) return;
    for (const list of [builds.all, builds.mandatory]) {
      const index = list.indexOf(build);
      if (index >= 0) list.splice(index, 1);
    }
  }

  private add(facts: ServingBuild): void {
    const build = serve(facts);
    this.byId.set(facts.buildId, build);
    this.byBundleId.set(facts.bundleId, build);
    const siblings = this.byApp.get(facts.appId) ?? new Set();
    this.byApp.set(facts.appId, siblings.add(build));
    if (facts.status !== 'active') return;
    let channels = this.apps.get(facts.appId);
    if (channels === undefined) {
      channels = { production: empty(), staging: empty(), development: empty() };
      this.apps.set(facts.appId, channels);
    }
    const builds = channels[facts.channel];
    insert(builds.all, build);
    if (build.mandatory) insert(builds.mandatory, build);
  }
}

function empty(): ChannelBuilds {
  return { all: [], mandatory: [] };
}

function serve(facts: ServingBuild): ServedBuild {
  const { buildId, rolloutPercentage, rolloutEnabled, mandatory } = facts;
  const version = versionOf(facts.version);
  if (version === undefined) throw new Error(`Build ${buildId} has the version "${facts.version}", which is none.`);
  const minNativeVersion = facts.minNativeVersion === null ? undefined : versionOf(facts.minNativeVersion);
  return { buildId, version, minNativeVersion, rolloutPercentage, rolloutEnabled, mandatory, facts };
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
