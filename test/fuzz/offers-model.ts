import { createHash } from 'node:crypto';

/** A naive model of which builds devices are offered: it keeps everything, and computes each answer from all of it. */

/** The last one was added by the app, as `beta`. */
export type Channel = 'production' | 'staging' | 'development' | 'beta.1';
export type Triple = readonly [number, number, number];
export type Target = Build | 'embedded' | 'none';
/** Versions from the first on, below the second if there is one. */
export type Interval = readonly [from: Triple, below: Triple | undefined];

/** Which native apps can run a build. */
export interface Rules {
  minNative: Triple | undefined;
  /** Ascending, with gaps between them. */
  range: readonly Interval[] | undefined;
  fingerprint: string | undefined;
  readonly platform: 'ios' | 'android' | undefined;
}

export interface Build extends Rules {
  id: number;
  readonly channel: Channel;
  readonly version: Triple;
  readonly checksum: string;
  status: 'processing' | 'active' | 'paused' | 'archived' | 'failed' | 'deleted';
  wasActive: boolean;
  /** Its bundle was rejected, whatever its status is now: no device can ever be offered it. */
  wasRejected?: boolean;
  percentage: number;
  /** The same devices come first for all builds of the app that have it. */
  isStable: boolean;
  enabled: boolean;
  mandatory: boolean;
  /** Undefined: all devices. */
  audience: Audience | undefined;
  /** Ids of the devices that rolled it back since it was retried. */
  readonly rolledBack: Set<string>;
  /** Ids of the devices that are pinned to it. */
  readonly pinned: Set<string>;
  /** Set: it republishes `source` for the devices of the recalled build. */
  readonly republished?: { readonly of: Build; readonly source: Build };
}

/** Devices that are in one of the groups and have one of the plans, if any are named, and a system from the first version up to before the second. */
export interface Audience {
  /** No device but the pinned ones, whatever else it says. */
  readonly pinnedOnly: boolean;
  readonly groups: readonly string[] | undefined;
  readonly plans: readonly string[] | undefined;
  readonly os: readonly [from: number, before: number] | undefined;
}

export interface Recall {
  readonly target: Target;
  readonly replacement: Build | undefined;
}

export interface Device {
  readonly id: string;
  readonly platform: 'ios' | 'android' | 'web' | 'all';
  readonly native: Triple | undefined;
  readonly fingerprint: string | undefined;
  /** Of the bundle inside its native app. */
  readonly embedded: Triple | undefined;
  readonly plan?: string | undefined;
  readonly os?: number | undefined;
  readonly channel: Channel;
  readonly current: Triple;
}

export interface Answer {
  readonly offered: { readonly id: number; readonly version: string; readonly mandatory: boolean } | undefined;
  readonly rollBackToEmbedded: boolean;
  /** The native version that would get it a newer build. */
  readonly nativeUpdate: string | undefined;
  /** Where the recall of the current version leads; undefined: the version is not recalled. */
  readonly target: number | 'embedded' | 'none' | undefined;
  /** Every build above the current version, newest first, with why it is not offered. */
  readonly newer: readonly {
    readonly id: number;
    readonly version: string;
    readonly pinned: boolean;
    readonly whyNot: readonly string[];
    /** The rules of audiences that the device does not meet. */
    readonly unmet: readonly string[];
  }[];
}

export const text = (version: Triple): string => version.join('.');

export const rangeText = (range: readonly Interval[]): string =>
  range.map(([from, below]) => `>=${text(from)}${below === undefined ? '' : ` <${text(below)}`}`).join(' || ');

export function order(left: Triple, right: Triple): number {
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

const newestFirst = (left: Build, right: Build): number => order(right.version, left.version);

/** One app. A command answers the codes with which it may be rejected, and changes nothing if there are any. */
export class AppModel {
  readonly builds: Build[] = [];
  private readonly recalls = new Map<Build, Recall>();
  /** By name, the ids of its devices. */
  readonly groups = new Map<string, readonly string[]>();
  /** Of channels; those that are left out are for all devices. */
  readonly audiences = new Map<Channel, Audience>();
  /** By the id of a device, the channel that it has chosen. */
  readonly chosen = new Map<string, Channel>();
  /** By platform, the channel of devices that name none. */
  readonly defaults = new Map<Device['platform'], Channel>();
  /** By channel, the ids of the devices that are in its audience whatever its rules. */
  readonly pinned = new Map<Channel, Set<string>>();

  constructor(
    private readonly id: number,
    private readonly platform: 'ios' | 'android' | 'both',
  ) {}

  /** Whether the command does something with the build, most likely. */
  isSuitable(build: Build, command: string): boolean {
    if (command === 'unrecall') return this.recalls.has(build);
    if (command === 'finish') return build.status === 'processing';
    if (command === 'roll back') return this.statusOf(build) === 'active';
    if (command === 'unpin') return build.pinned.size > 0;
    if (command === 'retry') return build.rolledBack.size > 0 && build.status !== 'deleted';
    if (command === 'recall') return build.wasActive && build.status !== 'deleted' && !build.republished;
    return build.status !== 'deleted' && (build.wasActive || command === 'delete');
  }

  upload(
    build: Omit<Build, 'status' | 'wasActive' | 'wasRejected' | 'enabled' | 'rolledBack' | 'pinned' | 'republished'>,
  ): string[] {
    const head = this.in(build.channel)
      .filter((other) => other.status === 'active' && other.republished === undefined)
      .filter((other) => other.platform === undefined || other.platform === build.platform)
      .sort(newestFirst)[0];
    const faults = this.heldFaults(build.channel, build.version, build.platform);
    if (head !== undefined && order(build.version, head.version) <= 0) faults.push('VERSION_NOT_NEWER');
    const fresh = { status: 'processing', wasActive: false, enabled: true } as const;
    if (faults.length === 0) this.builds.push({ ...build, ...fresh, ...noDevices() });
    return faults;
  }

  /** Its job ended. */
  finish(build: Build, succeeded: boolean): void {
    if (build.status !== 'processing') return;
    build.status = succeeded ? 'active' : 'failed';
    build.wasActive = succeeded;
    build.wasRejected = !succeeded;
  }

  promote(
    source: Build,
    channel: Channel,
    id: number,
    percentage: number,
    audience: Audience | undefined,
    isStable = source.isStable,
  ): string[] {
    if (source.status === 'deleted') return ['BUILD_NOT_FOUND'];
    const faults = this.heldFaults(channel, source.version, source.platform);
    if (source.channel === channel) faults.push('ALREADY_IN_CHANNEL');
    if (!source.wasActive) faults.push('BUILD_NOT_READY');
    for (const recalled of this.recalls.keys()) {
      if (recalled.channel === channel && recalled.checksum === source.checksum) faults.push('BUILD_RECALLED');
    }
    if (faults.length === 0) {
      const { version, checksum, mandatory } = source;
      const copy = {
        ...rulesOf(source),
        id,
        channel,
        version,
        checksum,
        mandatory,
        audience,
        percentage,
        isStable,
        enabled: true,
      };
      this.builds.push({ ...copy, status: 'active', wasActive: true, ...noDevices() });
    }
    return faults;
  }

  setStatus(build: Build, status: 'active' | 'paused' | 'archived'): string[] {
    if (build.status === 'deleted') return ['BUILD_NOT_FOUND'];
    const faults = build.republished ? ['BUILD_REPUBLISHED'] : [];
    const before = this.statusOf(build);
    if (status !== before) {
      if (this.recalls.has(build)) faults.push('BUILD_RECALLED');
      if (status === 'archived' && before === 'failed')
        faults.push(...this.heldFaults(build.channel, build.version, build.platform));
      if (status !== 'archived' && !build.wasActive) faults.push('BUILD_NOT_READY');
    }
    if (faults.length === 0) build.status = status;
    return faults;
  }

  edit(build: Build, rules: Omit<Rules, 'platform'>, mandatory: boolean): string[] {
    if (build.status === 'deleted') return ['BUILD_NOT_FOUND'];
    if (build.republished) return ['BUILD_REPUBLISHED'];
    Object.assign(build, rules, { mandatory });
    return [];
  }

  setAudience(build: Build, audience: Audience | undefined): string[] {
    if (build.status === 'deleted') return ['BUILD_NOT_FOUND'];
    if (build.republished) return ['BUILD_REPUBLISHED'];
    build.audience = audience;
    return [];
  }

  rollOut(build: Build, percentage: number, enabled: boolean, isStable = build.isStable): string[] {
    if (build.status === 'deleted') return ['BUILD_NOT_FOUND'];
    if (build.republished) return ['BUILD_REPUBLISHED'];
    Object.assign(build, { percentage, enabled, isStable });
    return [];
  }

  delete(build: Build): string[] {
    if (build.status === 'deleted') return ['BUILD_NOT_FOUND'];
    if (this.isUsed(build)) return ['BUILD_REPUBLISHED'];
    build.status = 'deleted';
    return [];
  }

  recall(build: Build, to: Target | undefined, version: Triple | undefined): string[] {
    if (build.status === 'deleted') return ['BUILD_NOT_FOUND'];
    if (build.republished) return ['BUILD_REPUBLISHED'];
    if (!build.wasActive) return ['BUILD_NOT_READY'];
    const before = this.recalls.get(build);
    const target = to ?? before?.target ?? this.defaultTarget(build);
    if (target === undefined) return ['RECALL_TARGET_MISSING'];
    if (target === before?.target) return [];
    const faults: string[] = [];
    if (typeof target === 'string') {
      if (version !== undefined) faults.push('VALIDATION_FAILED');
    } else {
      if (target === build) faults.push('VALIDATION_FAILED');
      if (target.channel !== build.channel || target.status === 'deleted') faults.push('BUILD_NOT_FOUND');
      if (target.republished) faults.push('BUILD_REPUBLISHED');
      if (!target.wasActive) faults.push('BUILD_NOT_READY');
      if (!canAnyRun(build, target)) faults.push('VALIDATION_FAILED');
      if (this.recalls.has(target)) faults.push('BUILD_RECALLED');
      if (version !== undefined) {
        faults.push(...this.heldFaults(build.channel, version, undefined));
        if (order(version, this.highest(build.channel)) < 0) faults.push('VALIDATION_FAILED');
      }
    }
    if (faults.length > 0) return faults;
    let replacement: Build | undefined;
    if (typeof target !== 'string') {
      const [major, minor, patch] = this.highest(build.channel);
      const { channel, checksum } = target;
      replacement = {
        ...rulesOf(target),
        ...{ id: 0, channel, checksum, version: version ?? [major, minor, patch + 1] },
        ...{ status: 'active', wasActive: true, percentage: 100, isStable: false, enabled: true, mandatory: true },
        audience: undefined,
        ...noDevices(),
        republished: { of: build, source: target },
      };
      this.builds.push(replacement);
    }
    this.recalls.set(build, { target, replacement });
    build.status = 'paused';
    return [];
  }

  /** Of every build in the other channels with the same bundle, to the same kind of target. */
  recallCopies(build: Build): void {
    const to = this.recalls.get(build)?.target;
    for (const copy of [...this.builds]) {
      if (copy.channel === build.channel || copy.checksum !== build.checksum || !copy.wasActive) continue;
      if (copy.status === 'deleted' || copy.republished || this.recalls.has(copy)) continue;
      const kind = typeof to === 'string' ? to : undefined;
      if (this.recall(copy, kind, undefined).length > 0) this.recall(copy, 'none', undefined);
    }
  }

  /** The recall may be of a deleted build. */
  unrecall(build: Build): string[] {
    if (!this.recalls.has(build)) return build.status === 'deleted' ? ['BUILD_NOT_FOUND'] : [];
    this.recalls.delete(build);
    return [];
  }

  /** The device reports it. */
  rollBack(build: Build, deviceId: string): void {
    if (build.status !== 'deleted' && build.status !== 'failed') build.rolledBack.add(deviceId);
  }

  setAudienceOf(channel: Channel, audience: Audience | undefined): void {
    if (audience === undefined) this.audiences.delete(channel);
    else this.audiences.set(channel, audience);
  }

  pinIn(channel: Channel, deviceId: string, isPinned: boolean): void {
    const devices = this.pinned.get(channel) ?? new Set();
    this.pinned.set(channel, devices);
    if (isPinned) devices.add(deviceId);
    else devices.delete(deviceId);
  }

  pin(build: Build, deviceId: string, isPinned: boolean): string[] {
    if (build.status === 'deleted') return ['BUILD_NOT_FOUND'];
    if (build.republished) return ['BUILD_REPUBLISHED'];
    if (isPinned) build.pinned.add(deviceId);
    else build.pinned.delete(deviceId);
    return [];
  }

  retry(build: Build): string[] {
    if (build.status === 'deleted') return ['BUILD_NOT_FOUND'];
    const faults = this.recalls.has(build) ? ['BUILD_RECALLED'] : [];
    if (!build.wasActive) faults.push('BUILD_NOT_READY');
    if (faults.length === 0) build.rolledBack.clear();
    return faults;
  }

  /** The channel of a device, and why it is this one. */
  channelOf({ id, platform }: Pick<Device, 'id' | 'platform'>, requested: Channel | undefined): [Channel, string] {
    const chosen = this.chosen.get(id);
    if (chosen !== undefined) return [chosen, 'self_assigned'];
    if (requested !== undefined) return [requested, 'requested'];
    const byDefault = this.defaults.get(platform) ?? this.defaults.get('all');
    return byDefault === undefined ? ['production', 'production'] : [byDefault, 'default'];
  }

  /** What an update check answers. */
  answer(device: Device): Answer {
    const { channel, current } = device;
    const isApplicable =
      device.platform === 'web' ||
      device.platform === 'all' ||
      this.platform === 'both' ||
      device.platform === this.platform;
    const ofChannel = this.pinned.get(channel)?.has(device.id) === true ? undefined : this.audiences.get(channel);
    const unmet = (build: Build) => [
      ...(build.republished ? [] : this.unmet(device, ofChannel).map((rule) => `channel: ${rule}`)),
      ...this.unmet(device, build.audience).map((rule) => `build: ${rule}`),
    ];
    const isSelected = (build: Build) =>
      (unmet(build).length === 0 && this.isInRollout(device.id, build)) || build.pinned.has(device.id);
    const isOffered = (build: Build) => build.enabled && isSelected(build) && !build.rolledBack.has(device.id);
    const isEmbedded = (build: Build) =>
      device.embedded !== undefined && order((build.republished?.source ?? build).version, device.embedded) <= 0;
    const suits = (build: Build) => isApplicable && misfits(device, build).length === 0 && !isEmbedded(build);
    const newer = this.in(channel)
      .filter(({ wasRejected, version }) => wasRejected !== true && order(version, current) > 0)
      .sort(newestFirst);

    const released = newer
      .filter((build) => build.republished === undefined && build.status === 'active' && !this.recalls.has(build))
      .filter((build) => isApplicable && isOffered(build) && !isEmbedded(build));
    const eligible = released.filter(suits);
    const target = this.targetOf(channel, current, device.platform);
    const replacements = newer.filter(
      (build) => build.republished !== undefined && build.republished.source === target && this.isServed(build),
    );
    const replacement = replacements.find((build) => suits(build) && !build.rolledBack.has(device.id));
    const offered = eligible[0] ?? replacement;
    const outgrown = released
      .filter((build) => offered === undefined || order(build.version, offered.version) > 0)
      .filter((build) => !misfits(device, build).includes('build_platform'))
      .find((build) => nativeFor(device, build) !== undefined);
    return {
      nativeUpdate: outgrown && nativeFor(device, outgrown),
      offered: offered && {
        ...{ id: offered.id, version: text(offered.version) },
        mandatory: eligible.length === 0 || eligible.some(({ mandatory }) => mandatory),
      },
      rollBackToEmbedded: offered === undefined && target === 'embedded' && isApplicable,
      target: typeof target === 'object' ? target.id : target,
      newer: newer.map((build) => {
        const reasons: string[] = [];
        if (this.recalls.has(build)) reasons.push('recalled');
        else if (this.statusOf(build) !== 'active') reasons.push('status');
        if (build.republished !== undefined && !replacements.includes(build)) reasons.push('recall_only');
        if (!isApplicable) reasons.push('platform');
        reasons.push(...misfits(device, build));
        if (isEmbedded(build)) reasons.push('embedded_version');
        if (!build.enabled) reasons.push('halted');
        if (unmet(build).length > 0 && !build.pinned.has(device.id)) reasons.push('audience');
        if (!this.isInRollout(device.id, build) && !build.pinned.has(device.id)) reasons.push('rollout');
        if (build.rolledBack.has(device.id)) reasons.push('rolled_back');
        if (reasons.length === 0 && build !== offered)
          reasons.push(build.republished ? 'recall_only' : 'newer_offered');
        const is = { id: build.id, version: text(build.version), pinned: build.pinned.has(device.id) };
        return { ...is, whyNot: reasons, unmet: build.pinned.has(device.id) ? [] : unmet(build) };
      }),
    };
  }

  /** The rules of the audience that the device does not meet. */
  private unmet({ id, plan, os }: Device, audience: Audience | undefined): string[] {
    if (audience === undefined) return [];
    if (audience.pinnedOnly) return ['pinned_only'];
    const { groups, plans, os: systems } = audience;
    const broken: string[] = [];
    if (groups?.some((name) => this.groups.get(name)?.includes(id) === true) === false) broken.push('groups');
    if (plans !== undefined && (plan === undefined || !plans.includes(plan))) broken.push('plan');
    if (systems !== undefined && (os === undefined || os < systems[0] || os >= systems[1])) broken.push('os');
    return broken;
  }

  /**
   * 100 × (first 53 bits of the SHA-256 of "device id:build id", or "device id:app-APP") / 2^53 is below the percentage;
   * in whole numbers.
   */
  private isInRollout(deviceId: string, { id, percentage, isStable }: Build): boolean {
    const text = `${deviceId}:${isStable ? `app-${this.id}` : id}`;
    const digest = createHash('sha256').update(text, 'utf8').digest('hex');
    return (BigInt(`0x${digest.slice(0, 14)}`) >> 3n) * 100n < BigInt(percentage) << 53n;
  }

  /** A republished build is served as long as its recall uses it, and what it republishes is not recalled. */
  private isServed(build: Build): boolean {
    return this.isUsed(build) && !this.recalls.has(build.republished!.source);
  }

  private isUsed(build: Build): boolean {
    return build.republished !== undefined && this.recalls.get(build.republished.of)?.replacement === build;
  }

  private statusOf(build: Build): Build['status'] {
    if (build.republished === undefined || build.status === 'deleted') return build.status;
    return this.isServed(build) ? 'active' : 'paused';
  }

  /** Where devices of this version go: that of its recall, and over targets that are recalled themselves. */
  private targetOf(channel: Channel, version: Triple, platform: Device['platform']): Target | undefined {
    const all = this.builds
      .filter((build) => build.channel === channel && order(build.version, version) === 0)
      .filter((build) => build.platform === undefined || build.platform === platform);
    const republished = all.find((build) => build.republished !== undefined)?.republished?.source;
    let build = all.find((build) => this.recalls.has(build)) ?? republished;
    let target: Target | undefined;
    while (typeof build === 'object') {
      const next = this.recalls.get(build)?.target;
      target = next ?? target;
      build = typeof next === 'object' ? next : undefined;
    }
    return target;
  }

  private defaultTarget(recalled: Build): Build | undefined {
    return this.in(recalled.channel)
      .filter((build) => build.wasActive && build.republished === undefined && !this.recalls.has(build))
      .filter((build) => order(build.version, recalled.version) < 0 && canAllRun(recalled, build))
      .sort(newestFirst)[0];
  }

  /** Not the deleted ones. */
  private in(channel: Channel): Build[] {
    return this.builds.filter((build) => build.channel === channel && build.status !== 'deleted');
  }

  /** That hold their version: also deleted ones that devices may still have to be brought back from. */
  private holders(channel: Channel): Build[] {
    return this.builds.filter(
      (build) =>
        build.channel === channel &&
        build.status !== 'failed' &&
        (build.status !== 'deleted' || build.republished !== undefined || this.recalls.has(build)),
    );
  }

  /** A build without a platform is for both. */
  private heldFaults(channel: Channel, version: Triple, platform: Rules['platform']): string[] {
    const isHeld = this.holders(channel)
      .filter((build) => order(build.version, version) === 0)
      .some((build) => build.platform === undefined || platform === undefined || build.platform === platform);
    return isHeld ? ['VERSION_ALREADY_EXISTS'] : [];
  }

  highest(channel: Channel): Triple {
    return this.holders(channel).sort(newestFirst)[0]?.version ?? [0, 0, 0];
  }
}

const noDevices = () => ({ rolledBack: new Set<string>(), pinned: new Set<string>() });

const rulesOf = ({ minNative, range, fingerprint, platform }: Rules): Rules => ({
  ...{ minNative, range, fingerprint, platform },
});

/** The rules of the build that the device does not meet. */
function misfits({ native, fingerprint, platform }: Device, build: Rules): string[] {
  const broken: string[] = [];
  if (build.platform !== undefined && build.platform !== platform) broken.push('build_platform');
  if (build.minNative !== undefined && native !== undefined && order(native, build.minNative) < 0) {
    broken.push('native_version');
  }
  if (build.range !== undefined && native !== undefined && !isIn(native, build.range)) broken.push('native_range');
  if (build.fingerprint !== undefined && build.fingerprint !== fingerprint) broken.push('fingerprint');
  return broken;
}

/** The lowest native version above that of the device in the range that it is not in. */
function nativeFor({ native }: Device, { range }: Rules): string | undefined {
  if (native === undefined || range === undefined || isIn(native, range)) return undefined;
  const from = range.map(([from]) => from).find((from) => order(from, native) > 0);
  return from && text(from);
}

function isIn(version: Triple, range: readonly Interval[]): boolean {
  return range.some(([from, below]) => order(version, from) >= 0 && (below === undefined || order(version, below) < 0));
}

/** Natives that ranges distinguish: whether a version is in one changes at a bound alone. */
function natives(...ranges: (readonly Interval[])[]): Triple[] {
  return [
    [0, 0, 0],
    ...ranges.flat().flatMap(([from, below]): Triple[] => (below === undefined ? [from] : [from, below])),
  ];
}

const nativesOf = ({ range, minNative }: Rules): readonly Interval[] => range ?? [[minNative ?? [0, 0, 0], undefined]];

function canAllRun(build: Rules, other: Rules): boolean {
  const [own, another] = [nativesOf(build), nativesOf(other)];
  return (
    (other.platform === undefined || other.platform === build.platform) &&
    (other.fingerprint === undefined || other.fingerprint === build.fingerprint) &&
    natives(own, another).every((native) => !isIn(native, own) || isIn(native, another))
  );
}

function canAnyRun(build: Rules, other: Rules): boolean {
  const [own, another] = [nativesOf(build), nativesOf(other)];
  return (
    (build.platform === undefined || other.platform === undefined || build.platform === other.platform) &&
    (build.fingerprint === undefined || other.fingerprint === undefined || build.fingerprint === other.fingerprint) &&
    natives(own, another).some((native) => isIn(native, own) && isIn(native, another))
  );
}
