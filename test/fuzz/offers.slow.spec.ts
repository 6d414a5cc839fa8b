import { isDeepStrictEqual } from 'node:util';
import { createCommandHandling, type CommandContext, type CommandHandling } from '@sluice/event-store';
import { channelName, DomainError, newCommandId, stableUuid } from '@sluice/kernel';
import { createProjections } from '@sluice/projections';
import { recordingLogger } from '@sluice/testing';
import fc from 'fast-check';
import {
  type ChannelCommand,
  channelDecider,
  channelStream,
  type RecallTarget,
} from '../../services/build-pipeline/builds/domain/channel';
import { RecalledCopies } from '../../services/build-pipeline/builds/recalled-copies';
import { channels, type ChannelsCommand, channelsStream } from '../../services/registry/channels/domain/channels';
import { Explanations } from '../../services/device-updates/serving/explanations';
import { serving } from '../../services/device-updates/serving/serving.projection';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  type DevicePlane,
  type DeviceStores,
} from '../support/device-plane';
import type { Explanation, GroupEvent } from '@sluice/contracts';
import type { UpdateAnswer } from '../support/http';
import {
  AppModel,
  rangeText,
  text,
  type Audience,
  type Build,
  type Channel,
  type Device,
  type Interval,
  type Rules,
  type Triple,
} from './offers-model';

/** `OFFER_RUNS=5000 npm run jest -- --selectProjects slow --testPathPatterns fuzz/offers` looks longer. */
const RUNS = Number(process.env.OFFER_RUNS ?? 40);
/** The same commands again. A failure prints it. */
const SEED = Number(process.env.FUZZ_SEED ?? (process.env.OFFER_RUNS === undefined ? 5 : Date.now() % 2 ** 31));
/** Long enough for a failure to shrink. */
const TIMEOUT_MS = 60_000 + RUNS * 1_000;
jest.setTimeout(TIMEOUT_MS);

const CHANNELS = ['production', 'staging'] as const;
/** With one that devices may choose. */
const WITH_ADDED = ['production', 'beta.1'] as const;
const triple: fc.Arbitrary<Triple> = fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2));
const native: fc.Arbitrary<Triple> = fc.tuple(fc.constant(5), fc.nat(2), fc.constant(0));
/** Its intervals have gaps: the product does not join ranges to find whether they cover another one. */
const range = fc.constantFrom<readonly Interval[]>(
  [[[5, 0, 0], undefined]],
  [[[5, 1, 0], undefined]],
  [
    [
      [5, 0, 0],
      [5, 2, 0],
    ],
  ],
  [
    [
      [4, 0, 0],
      [4, 1, 0],
    ],
    [
      [5, 1, 0],
      [5, 2, 0],
    ],
  ],
  [
    [
      [4, 1, 0],
      [5, 0, 0],
    ],
    [[6, 0, 0], undefined],
  ],
);
const rules: fc.Arbitrary<Rules> = fc
  .record({
    kind: fc.constantFrom('none', 'none', 'minimum', 'range', 'range'),
    native,
    range,
    fingerprint: fc.constantFrom(undefined, undefined, undefined, 'f1', 'f2'),
    platform: fc.constantFrom<Rules['platform']>(undefined, undefined, 'ios', 'android'),
  })
  .map(({ kind, native, range, ...rest }) => ({
    ...{ minNative: kind === 'minimum' ? native : undefined, range: kind === 'range' ? range : undefined, ...rest },
  }));

const someAudience: fc.Arbitrary<Audience> = fc.record({
  pinnedOnly: fc.integer({ min: 0, max: 5 }).map((digit) => digit === 0),
  groups: fc.constantFrom(undefined, ['beta'], ['beta', 'staff']),
  plans: fc.constantFrom(undefined, ['pro'], ['pro', 'free'], ['team', 'free']),
  os: fc.constantFrom<Audience['os']>([16, 18], [17, 20]),
});
/** Few, so that most devices are offered something. */
const audience: fc.Arbitrary<Audience | undefined> = fc.oneof(
  { arbitrary: fc.constant(undefined), weight: 3 },
  { arbitrary: someAudience, weight: 1 },
);
/** Of a channel: every device, a random audience, or one that only names an operating system, each as often. */
const audienceOfChannel: fc.Arbitrary<Audience | undefined> = fc.oneof(
  fc.constant(undefined),
  someAudience,
  someAudience.map((any) => ({ ...any, pinnedOnly: false, groups: undefined, plans: undefined })),
);

const KINDS = [
  ...(['upload', 'upload', 'upload', 'upload', 'finish', 'promote', 'promote', 'status', 'status', 'edit'] as const),
  ...(['rollout', 'delete', 'recall', 'recall', 'recall', 'recall', 'unrecall'] as const),
  ...(['roll back', 'roll back', 'roll back', 'retry', 'pin', 'pin', 'unpin'] as const),
];

const KINDS_OF_AUDIENCES = [
  ...(['audience', 'audience', 'audience', 'group', 'channel audience', 'channel audience'] as const),
  ...(['channel pin', 'channel unpin', 'pin'] as const),
];

const KINDS_OF_CHOICES = ['choose', 'choose', 'choose', 'leave', 'default', 'default', 'no default'] as const;

const members = {
  /** Which build, and which other one. */
  pick: fc.nat(40),
  other: fc.nat(40),
  channel: fc.constantFrom(...CHANNELS),
  /** The next one of the channel, or any. */
  version: fc.oneof({ arbitrary: fc.constant(undefined), weight: 4 }, { arbitrary: triple, weight: 1 }),
  /** Builds with the same content have the same bundle. */
  content: fc.nat(8),
  rules,
  percentage: fc.oneof(fc.constant(100), fc.constantFrom(0, 100), fc.nat(100)),
  likely: fc.integer({ min: 0, max: 9 }).map((digit) => digit < 8),
  flag: fc.boolean(),
  ring: fc.constantFrom(undefined, 'stable', 'per_build'),
  status: fc.constantFrom('active', 'active', 'paused', 'archived'),
  to: fc.constantFrom('default', 'default', 'default', 'other', 'other', 'embedded', 'none'),
};
const step: fc.Arbitrary<Step> = fc.record({ kind: fc.constantFrom(...KINDS), ...members });
const stepOfAudiences: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS, ...KINDS_OF_AUDIENCES),
  ...members,
  audience,
  audienceOfChannel,
});
const stepOfChoices: fc.Arbitrary<Step> = fc
  .record({ kind: fc.constantFrom(...KINDS, ...KINDS_OF_CHOICES), ...members })
  .map((one) => ({ ...one, channel: one.channel === 'staging' ? 'beta.1' : one.channel }));
type Step = { readonly [Name in Exclude<keyof typeof members, 'channel'>]: Generated<(typeof members)[Name]> } & {
  readonly channel: Channel;
  readonly kind: (typeof KINDS)[number] | (typeof KINDS_OF_AUDIENCES)[number] | (typeof KINDS_OF_CHOICES)[number];
  readonly audience?: Audience | undefined;
  readonly audienceOfChannel?: Audience | undefined;
};
type Generated<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Of> ? Of : never;

const device = {
  id: fc.uuid(),
  platform: fc.constantFrom('ios', 'android', 'web', 'all'),
  native: fc.option(fc.tuple(fc.constantFrom(4, 5, 5, 6), fc.nat(2), fc.constant(0)), { nil: undefined }),
  fingerprint: fc.constantFrom(undefined, 'f1', 'f1', 'f2', 'unknown'),
  embedded: fc.oneof({ arbitrary: fc.constant(undefined), weight: 2 }, { arbitrary: triple, weight: 1 }),
};
const asking: fc.Arbitrary<Asking> = fc.record(device);
const askingWithAttributes: fc.Arbitrary<Asking> = fc.record({
  ...device,
  plan: fc.constantFrom(undefined, 'pro', 'free', 'other'),
  os: fc.constantFrom(undefined, 16, 17, 18),
});

const WORTH_SEEING = [
  ...['nothing', 'nothing, recalled', 'embedded', 'republished', 'mandatory', 'optional'].map(
    (what) => `answer: ${what}`,
  ),
  ...['promote: BUILD_RECALLED', 'active: BUILD_RECALLED', 'delete: BUILD_REPUBLISHED', 'unrecall: done'],
  ...['pin: done', 'unpin: done', 'pin: BUILD_REPUBLISHED', 'pinned: optional', 'pinned: mandatory', 'pinned: newer'],
  ...['retry: done', 'retry: BUILD_RECALLED', 'rolled back: older', 'rolled back: nothing', 'rolled back: replacement'],
  ...['default', 'other', 'embedded', 'none'].map((to) => `recall to ${to}: done`),
  ...['nothing', 'optional', 'mandatory', 'republished'].map((what) => `native update: ${what}`),
  ...['build_platform', 'native_version', 'native_range', 'fingerprint', 'embedded_version'].map(
    (reason) => `only: ${reason}`,
  ),
];

const OF_CHOICES = [
  ...KINDS_OF_CHOICES,
  ...['self_assigned', 'requested', 'default', 'production'].map((from) => `channel: ${from}`),
  ...['self_assigned', 'default'].map((from) => `offered from: ${from}`),
];

const OF_AUDIENCES = [
  ...['audience: done', 'answer: outside the audience', 'answer: inside the audience'],
  ...['channel audience: done', 'channel pin: done', 'channel unpin: done', 'answer: outside the channel'],
  ...['answer: inside the channel', 'answer: pinned in the channel', 'answer: pinned to a build outside the channel'],
  ...['group: replaced', 'group: deleted', 'answer: nothing', 'answer: mandatory', 'answer: optional'],
];

type Asking = Omit<Device, 'channel' | 'current'>;

/** The process that takes the reports of these devices. */
interface Reporting {
  readonly plane: DevicePlane;
  readonly devices: readonly Asking[];
}

interface Product {
  readonly stores: DeviceStores;
  readonly commands: CommandHandling;
  readonly appId: number;
  /** Of its devices. */
  readonly key: string;
  readonly nextId: () => number;
  readonly now: () => number;
}

/** One app on the product, and the same one in the model. */
class Contest {
  private readonly model: AppModel;
  private readonly copies: RecalledCopies;
  private turn = 0;
  private groupRevision = 0;

  constructor(
    private readonly product: Product,
    platform: 'ios' | 'android' | 'both',
    private readonly channels: readonly Channel[],
  ) {
    this.model = new AppModel(product.appId, platform);
    this.copies = new RecalledCopies(product.commands);
  }

  /** How many devices have asked. */
  get turns(): number {
    return this.turn;
  }

  /** Lets a device of each version that ever was ask, and expects of the check and its explanation what the model says. */
  ask(plane: DevicePlane, devices: readonly Asking[]): string[] {
    return this.channels.flatMap((channel) => {
      const versions = this.model.builds
        .filter((build) => build.channel === channel)
        .map(({ version }) => text(version));
      return [...new Set(['0.0.0', ...versions])].flatMap((version) => {
        this.turn += 1;
        const current = version.split('.').map(Number) as unknown as Triple;
        const device = devices[this.turn % devices.length]!;
        // Where there are choices, devices name this channel or none.
        const requested = this.channels === CHANNELS || this.turn % 3 === 0 ? channel : undefined;
        const [of, from] = this.model.channelOf(device, requested);
        const seen = this.expectAnswer(plane, { ...device, channel: of, current }, requested, from);
        const isOffered = seen.some((what) => /^answer: (optional|mandatory|republished)/.test(what));
        return [...seen, `channel: ${from}`, ...(isOffered ? [`offered from: ${from}`] : [])];
      });
    });
  }

  /** Gives one command to both, and expects that both take it or both reject it. Returns what it was. */
  async take(step: Step, { plane, devices }: Reporting): Promise<string> {
    const { model } = this;
    if (step.kind === 'channel audience' || step.kind === 'channel pin' || step.kind === 'channel unpin') {
      return this.changeChannel(step, { plane, devices });
    }
    const { kind } = step;
    if (kind === 'choose' || kind === 'leave' || kind === 'default' || kind === 'no default') {
      return this.chooseChannel(step, plane, devices);
    }
    if (kind === 'upload') return this.expectSame('upload', await this.upload(step));
    const suitable = step.likely ? model.builds.filter((build) => model.isSuitable(build, step.kind)) : [];
    const candidates = suitable.length > 0 ? suitable : model.builds;
    const build = candidates[step.pick % Math.max(1, candidates.length)];
    if (build === undefined) return 'nothing to do';
    const { id, channel } = build;
    const give = (command: ChannelCommand) => this.codeOf(() => this.give(channel, command));
    switch (kind) {
      case 'finish':
        model.finish(build, step.flag);
        await this.give(channel, finished(id, step.flag));
        return 'finish';
      case 'promote':
        return this.expectSame('promote', await this.promote(build, step));
      case 'status': {
        const { status } = step;
        const expected = model.setStatus(build, status);
        return this.expectSame(status, [expected, await give({ type: 'EditBuild', buildId: id, status })]);
      }
      case 'edit': {
        const { minNative, range, fingerprint } = step.rules;
        const { flag: mandatory } = step;
        const expected = model.edit(build, { minNative, range, fingerprint }, mandatory);
        const rules = factsOf({ minNative, range, fingerprint, platform: undefined });
        const command = { type: 'EditBuild', buildId: id, ...rules, mandatory } as const;
        return this.expectSame('edit', [expected, await give(command)]);
      }
      case 'group': {
        const name = step.flag ? 'beta' : 'staff';
        const chosen = step.likely
          ? devices.map(({ id: device }) => device).filter((_, n) => (step.other >> n) % 2)
          : undefined;
        await this.setGroup(name, chosen, plane);
        return chosen === undefined ? 'group: deleted' : 'group: replaced';
      }
      case 'audience': {
        const expected = model.setAudience(build, step.audience);
        const audience = step.audience === undefined ? null : audienceOf(step.audience);
        return this.expectSame('audience', [
          expected,
          await give({ type: 'EditBuild', buildId: id, audience, names: NAMES }),
        ]);
      }
      case 'rollout': {
        const { percentage: rolloutPercentage, likely: enabled, ring } = step;
        const isStable = ring && ring === 'stable';
        const expected = model.rollOut(build, rolloutPercentage, enabled, isStable);
        const command = { type: 'ChangeRollout', buildId: id, rolloutPercentage, enabled, ring } as const;
        return this.expectSame('rollout', [expected, await give(command)]);
      }
      case 'delete':
        return this.expectSame('delete', [model.delete(build), await give({ type: 'DeleteBuild', buildId: id })]);
      case 'recall':
        return this.expectSame(`recall to ${step.to}`, await this.recall(build, step));
      case 'roll back': {
        const { appId } = this.product;
        const device = devices[step.other % devices.length]!.id;
        model.rollBack(build, device);
        const report = { kind: 'install', buildId: id, status: 'rollback' } as const;
        const { hash, otherHashes } = plane.hashes.of(appId, device);
        await plane.rolledBack.write([{ appId, device: hash, otherHashes, report }]);
        return 'roll back';
      }
      case 'pin':
      case 'unpin': {
        const isPinned = step.kind === 'pin';
        const device = devices[step.other % devices.length]!.id;
        const expected = model.pin(build, device, isPinned);
        const counts = { added: isPinned ? 1 : 0, removed: isPinned ? 0 : 1, devices: 1, until: null };
        const code = await give({ type: 'RecordPins', buildId: id, ...counts });
        if (code === undefined) await this.putPin(String(id), device, isPinned, plane);
        return this.expectSame(step.kind, [expected, code]);
      }
      case 'retry':
        return this.expectSame('retry', [model.retry(build), await give({ type: 'RetryBuild', buildId: id })]);
      case 'unrecall':
        return this.expectSame('unrecall', [model.unrecall(build), await give({ type: 'UnrecallBuild', buildId: id })]);
    }
  }

  private async changeChannel(step: Step, { plane, devices }: Reporting): Promise<string> {
    const { channel, kind, audienceOfChannel: chosen } = step;
    const { appId } = this.product;
    const give = async (command: ChannelsCommand) => {
      const context: CommandContext = { commandId: newCommandId(), actor: 'token:1' };
      await this.product.commands.handle(channels, channelsStream(appId), command, context);
    };
    if (kind === 'channel audience') {
      this.model.setAudienceOf(channel, chosen);
      const audience = chosen === undefined ? null : audienceOf(chosen);
      await give({ type: 'EditChannel', appId, name: channel, audience, names: NAMES });
      return `${kind}: done`;
    }
    const isPinned = kind === 'channel pin';
    const device = devices[step.other % devices.length]!.id;
    this.model.pinIn(channel, device, isPinned);
    const counts = { added: isPinned ? 1 : 0, removed: isPinned ? 0 : 1, devices: 1, until: null };
    await give({ type: 'RecordPins', appId, id: channel, ...counts });
    await this.putPin(channel, device, isPinned, plane);
    return `${kind}: done`;
  }

  private async putPin(target: string, device: string, isPinned: boolean, plane: DevicePlane): Promise<void> {
    const { appId } = this.product;
    const at = this.product.now();
    const pin = { appId, target, device: plane.hashes.of(appId, device).hash, at };
    await plane.pins.put([{ ...pin, expiresAt: isPinned ? at + 1_000 : at }]);
  }

  /** Undefined: deletes it. */
  async setGroup(name: string, devices: readonly string[] | undefined, plane: DevicePlane): Promise<void> {
    const { appId, stores } = this.product;
    if (devices === undefined) this.model.groups.delete(name);
    else this.model.groups.set(name, devices);
    this.groupRevision += 1;
    const event: GroupEvent =
      devices === undefined
        ? { type: 'GroupDeleted', data: { appId, name } }
        : await stores.putGroup(appId, name, this.groupRevision, devices);
    const { position } = await stores.append(`groups-${appId}`, event);
    expect(await stores.members.applied(`groups-${appId}`, position)).toBe(true);
    await plane.groups.load();
  }

  private async upload({ channel, version: wish, content, rules, percentage, ...step }: Step) {
    const { audience, flag, ring, likely } = step;
    const [major, minor, patch] = this.model.highest(channel);
    const id = this.product.nextId();
    const version = wish ?? [major, flag ? minor + 1 : minor, flag ? 0 : patch + 1];
    const checksum = `sum-of-${content === 0 ? `build-${id}` : content}`;
    const chosen = likely ? undefined : audience;
    const ofRollout = { percentage, isStable: ring === 'stable', mandatory: content % 3 === 1, audience: chosen };
    const facts = { id, channel, version, checksum, ...rules, ...ofRollout };
    const expected = this.model.upload(facts);
    const { mandatory } = facts;
    const more = { appId: this.product.appId, channel, checksum, rolloutPercentage: percentage, mandatory, ring };
    const build = {
      ...{ ...buildFacts(id, text(version), { ...more, ...factsOf(rules) }), jobId: `job-${id}` },
      ...(chosen && { audience: audienceOf(chosen) }),
    };
    const code = await this.codeOf(() => this.give(channel, { type: 'AcceptBuild', build, names: NAMES }));
    if (likely && code === undefined) {
      this.model.finish(this.model.builds.at(-1)!, true);
      await this.give(channel, finished(id, true));
    }
    return [expected, code] as const;
  }

  private async promote(source: Build, { channel: any, percentage, audience, ring, likely }: Step) {
    const channel = likely ? this.channels.find((other) => other !== source.channel)! : any;
    const id = this.product.nextId();
    const expected = this.model.promote(source, channel, id, percentage, audience, ring && ring === 'stable');
    const code = await this.codeOf(async () => {
      const target = await this.product.commands.load(channelDecider, channelStream(this.product.appId, channel));
      const start = { buildId: source.id, promotedId: id, targetChannel: channel, target: target.state };
      const { state } = await this.give(source.channel, { type: 'StartPromotion', ...start });
      const arrival = {
        ...{ buildId: id, bundleId: stableUuid('bundle', id), rolloutPercentage: percentage, ring },
        audience: audience && audienceOf(audience),
      };
      await this.give(channel, { type: 'PromoteIn', source: state.builds.get(source.id)!, channel, ...arrival });
    });
    return [expected, code] as const;
  }

  private async recall(build: Build, { other, to: kind, version, flag, likely }: Step) {
    const { builds } = this.model;
    const isOwn = (candidate: Build) => candidate.channel === build.channel;
    const candidates = likely ? builds.filter(isOwn) : builds;
    const target = kind === 'default' ? undefined : kind === 'other' ? candidates[other % candidates.length] : kind;
    const to: RecallTarget | undefined = typeof target === 'object' ? target.id : target;
    const expected = this.model.recall(build, target, version);
    const everywhere = flag && likely;
    const republishedId = this.product.nextId();
    const code = await this.codeOf(async () => {
      const { events } = await this.give(build.channel, {
        ...{ type: 'RecallBuild', buildId: build.id, reason: 'White screen.', to, everywhere },
        ...{ republishedId, bundleId: stableUuid('bundle', republishedId) },
        ...(version !== undefined && { version: text(version) }),
      });
      const recalled = events.find((event) => event.type === 'BuildRecalled');
      if (recalled?.data.everywhere === true) {
        this.model.recallCopies(build);
        await this.copies.recall(recalled);
      }
    });
    for (const channel of this.channels) await this.nameRepublished(channel);
    return [expected, code] as const;
  }

  /** The product chooses the ids of republished builds; the model knows them by their versions. */
  private async nameRepublished(channel: Channel): Promise<void> {
    const { state } = await this.product.commands.load(channelDecider, channelStream(this.product.appId, channel));
    for (const { buildId, version, recallOf } of state.builds.values()) {
      const made = this.model.builds.find(
        (build) => build.id === 0 && build.channel === channel && text(build.version) === version,
      );
      if (made !== undefined && recallOf === made.republished?.of.id) made.id = buildId;
    }
    expect(this.model.builds.filter((build) => build.id === 0 && build.channel === channel)).toEqual([]);
  }

  /** What devices choose, and what the app has for those that name no channel. */
  private async chooseChannel(step: Step, plane: DevicePlane, devices: readonly Asking[]): Promise<string> {
    const { appId, stores } = this.product;
    const { kind, channel, other } = step;
    const { id } = devices[other % devices.length]!;
    const hashes = plane.hashes.known(appId, id);
    const platform = (['ios', 'android', 'web', 'all'] as const)[other % 4]!;
    if (kind === 'choose') {
      this.model.chosen.set(id, 'beta.1');
      await plane.choices.choose(appId, hashes, 'beta.1');
    } else if (kind === 'leave') {
      this.model.chosen.delete(id);
      await plane.choices.leave(appId, hashes);
    } else {
      if (kind === 'default') this.model.defaults.set(platform, channel);
      else this.model.defaults.delete(platform);
      const defaults = [...this.model.defaults].map(([of, name]) => [of, channelName(name)] as const);
      const edited = { type: 'AppEdited', data: { id: appId, defaultChannels: Object.fromEntries(defaults) } };
      const { position } = await stores.append(`app-${appId}`, edited);
      expect(await stores.members.applied(`app-${appId}`, position)).toBe(true);
    }
    return kind;
  }

  /** @param requested what the device names; its channel is the one that it gets */
  private expectAnswer(plane: DevicePlane, device: Device, requested: Channel | undefined, from: string): string[] {
    const { appId, key } = this.product;
    const { id: deviceId, channel, platform, native, fingerprint, embedded, plan, os } = device;
    const attributes = { ...(plan !== undefined && { plan }), ...(os !== undefined && { os: String(os) }) };
    const version = spelled(device.current, this.turn);
    const { status, body } = plane.check(
      {
        ...{ 'x-api-key': key, 'x-device-id': deviceId, 'x-platform': platform, 'x-current-version': version },
        ...(native !== undefined && { 'x-app-version': text(native) }),
        ...(fingerprint !== undefined && { 'x-native-fingerprint': fingerprint }),
        ...(embedded !== undefined && { 'x-embedded-version': spelled(embedded, this.turn + 1) }),
        ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`x-attr-${name}`, value])),
      },
      requested && channelName(requested),
    );
    const check = JSON.parse(body) as UpdateAnswer & {
      rollBackToEmbedded?: true;
      nativeUpdateRequired?: { minimum: string };
    };
    const named = requested === undefined ? { channel: 'production', unnamed: true } : { channel: requested };
    const explanation = new Explanations(plane.index, plane.hashes).explain({
      ...{ appId, deviceId, ...named, platform, version, attributes },
      ...(native !== undefined && { appVersion: text(native) }),
      ...(fingerprint !== undefined && { fingerprint }),
      ...(embedded !== undefined && { embeddedVersion: text(embedded) }),
    });
    const { offered, recalled, newer, native_update_required } = explanation;
    const expected = this.model.answer(device);
    const { rollBackToEmbedded, target, nativeUpdate } = expected;
    const byId = (all: readonly (readonly [number, readonly string[]])[]) =>
      all.map(([id, reasons]) => [id, [...reasons].sort()] as const).sort(([one], [other]) => one - other);
    const build = expected.offered && plane.index.builds.find(expected.offered.id);
    const bundle = build?.facts.bundleId;
    const answers = {
      channel: [explanation.channel, explanation.channel_from],
      check: [status, check.available, check.version, check.mandatory, check.bundleId, check.rollBackToEmbedded],
      offered: offered && [offered.version, offered.mandatory, offered.build_id],
      recalled,
      nativeUpdate: [check.nativeUpdateRequired?.minimum, native_update_required?.minimum],
      versions: newer.map(({ version }) => version),
      newer: byId(
        newer.map(({ build_id, pinned, why_not, audience_unmet: unmet }) => [
          build_id,
          [`pinned: ${pinned}`, ...why_not, ...unmet.map(unmetText)],
        ]),
      ),
    };
    const said = {
      channel: [channelName(channel), from],
      check: expected.offered
        ? [200, true, expected.offered.version, expected.offered.mandatory, bundle, undefined]
        : [200, false, undefined, undefined, undefined, rollBackToEmbedded ? true : undefined],
      offered: expected.offered ? [expected.offered.version, expected.offered.mandatory, expected.offered.id] : null,
      recalled: target === undefined ? null : { target, roll_back_to_embedded: rollBackToEmbedded },
      nativeUpdate: [nativeUpdate, nativeUpdate],
      versions: expected.newer.map(({ version }) => version),
      newer: byId(
        expected.newer.map(({ id, pinned, whyNot, unmet }) => [id, [`pinned: ${pinned}`, ...whyNot, ...unmet]]),
      ),
    };
    // Faster than toEqual, which then shows the difference.
    if (!isDeepStrictEqual(answers, said)) expect({ device, ...answers }).toEqual({ device, ...said });
    const passedOver = newer.find(({ why_not }) => why_not.join() === 'rolled_back')?.build_id;
    const isReplacement = passedOver !== undefined && plane.index.builds.find(passedOver)?.isRepublished === true;
    const instead = isReplacement ? 'replacement' : build === undefined ? 'nothing' : 'older';
    const seen = passedOver === undefined ? [] : [`rolled back: ${instead}`];
    seen.push(...newer.flatMap(({ why_not }) => (why_not.length === 1 ? [`only: ${why_not[0]}`] : [])));
    if (newer.some(({ pinned, why_not }) => pinned && why_not.join() === 'newer_offered')) seen.push('pinned: newer');
    const offer =
      build?.isRepublished === true ? 'republished' : offered?.mandatory === true ? 'mandatory' : 'optional';
    const kind = build === undefined ? 'nothing' : offer;
    if (nativeUpdate !== undefined) seen.push(`native update: ${kind}`);
    if (build?.audience !== undefined) seen.push('answer: inside the audience');
    if (newer.some(({ why_not }) => why_not.join() === 'audience')) seen.push('answer: outside the audience');
    if (newer.some(({ audience_unmet: unmet }) => unmet.some(({ of }) => of === 'channel'))) {
      seen.push(build?.pinned ? 'answer: pinned to a build outside the channel' : 'answer: outside the channel');
    } else if (build !== undefined && this.model.audiences.has(channel)) {
      const isPinned = this.model.pinned.get(channel)?.has(deviceId) === true;
      seen.push(isPinned ? 'answer: pinned in the channel' : 'answer: inside the channel');
    }
    if (rollBackToEmbedded) return ['answer: embedded', ...seen];
    if (build === undefined) return [target === undefined ? 'answer: nothing' : 'answer: nothing, recalled', ...seen];
    const isPin = newer.find(({ build_id }) => build_id === offered?.build_id);
    const isByPin = isPin?.pinned === true && isPin.bucket >= isPin.rollout_percentage;
    return [`answer: ${kind}`, ...seen, ...(isByPin ? [`pinned: ${kind}`] : [])];
  }

  private expectSame(what: string, [expected, code]: readonly [readonly string[], string | undefined]): string {
    if (expected.length > 0) expect(expected).toContain(code);
    else expect(code).toBeUndefined();
    return `${what}: ${code ?? 'done'}`;
  }

  private give(channel: Channel, command: ChannelCommand) {
    const context: CommandContext = { commandId: newCommandId(), actor: 'token:1' };
    return this.product.commands.handle(channelDecider, channelStream(this.product.appId, channel), command, context);
  }

  private async codeOf(work: () => Promise<unknown>): Promise<string | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      if (error instanceof DomainError) return error.code;
      throw error;
    }
  }
}

/** As events have them. */
function factsOf({ minNative, range, fingerprint, platform }: Rules) {
  return {
    minNativeVersion: minNative === undefined ? null : text(minNative),
    nativeRange: range === undefined ? null : rangeText(range),
    fingerprint: fingerprint ?? null,
    ...(platform !== undefined && { platform }),
  };
}

/** As the product has them. */
const ATTRIBUTES = { plan: 'string', os: 'version' } as const;
const NAMES = { attributes: ATTRIBUTES, groups: ['beta', 'staff'] };
const audienceOf = ({ pinnedOnly, groups, plans, os }: Audience) =>
  pinnedOnly
    ? { pinned_only: true as const }
    : {
        ...(groups && { groups }),
        attributes: {
          ...(plans !== undefined && { plan: plans.length === 1 ? { equal: plans[0]! } : { in: plans } }),
          ...(os !== undefined && { os: { range: `>=${os[0]} <${os[1]}` } }),
        },
      };

type Unmet = Explanation['newer'][number]['audience_unmet'][number];

/** As the model has it. */
function unmetText(unmet: Unmet): string {
  if ('attribute' in unmet) return `${unmet.of}: ${unmet.attribute}`;
  return `${unmet.of}: ${'groups' in unmet ? 'groups' : 'pinned_only'}`;
}

const finished = (buildId: number, succeeded: boolean): ChannelCommand =>
  succeeded ? { type: 'ActivateBuild', buildId } : { type: 'FailBuild', buildId, error: 'Not a zip.' };

/** Spellings of the same version. */
function spelled([major, minor, patch]: Triple, turn: number): string {
  if (turn % 3 === 1) return `v${major}.${minor}${patch === 0 ? '' : `.${patch}`}`;
  return `${major}.${minor}.${patch}${turn % 3 === 2 ? '+exp.1' : ''}`;
}

describe('what devices are offered', () => {
  let stores: DeviceStores;
  const planes: DevicePlane[] = [];
  let appCount = 0;
  // Below these are the ids that recalls in other channels take from the sequence.
  let builds = 1_000_000;

  async function openPlane(): Promise<DevicePlane> {
    const plane = await startDevicePlane(stores, { limitDevicePerMinute: 1e9, limitAddressPerMinute: 1e9 });
    planes.push(plane);
    await plane.rolledBack.open();
    await plane.pins.open();
    await plane.choices.open();
    await plane.index.open();
    await plane.groups.open();
    return plane;
  }

  beforeAll(async () => {
    stores = await openDeviceStores();
  });

  afterAll(async () => {
    for (const plane of planes) await plane.close();
    await stores.close();
  });

  it('is what a naive model says after every command, in the check and in its explanation', () =>
    compare(step, asking, RUNS, WORTH_SEEING));

  it('is what it says also where builds have audiences', () =>
    compare(stepOfAudiences, askingWithAttributes, Math.ceil(RUNS / 2), OF_AUDIENCES));

  it('is what it says also where devices choose channels, and apps have default channels', () =>
    compare(stepOfChoices, asking, Math.ceil(RUNS / 4), OF_CHOICES, WITH_ADDED));

  async function compare(
    step: fc.Arbitrary<Step>,
    asking: fc.Arbitrary<Asking>,
    numRuns: number,
    worthSeeing: readonly string[],
    channels: readonly Channel[] = CHANNELS,
  ): Promise<void> {
    const { events: store, members, clock } = stores;
    // Those of another test know the pins and rollbacks of this one only after a second.
    for (const former of planes.splice(0)) await former.close();
    const plane = await openPlane();
    const commands = createCommandHandling({
      ...{ store, clock },
      visible: async (stream, position) => expect(await members.applied(stream, position)).toBe(true),
    });
    const seen = new Map<string, number>();
    const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
    const apps: { readonly contest: Contest; readonly devices: readonly Asking[] }[] = [];

    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('ios', 'both', 'both'),
        fc.array(step, { minLength: 3, maxLength: 6, size: 'max' }),
        fc.array(step, { minLength: 8, maxLength: 50, size: 'max' }),
        fc.array(asking, { minLength: 2, maxLength: 3 }),
        async (platform, uploads, steps, devices) => {
          const appId = ++appCount;
          await stores.registerApp(appId, platform);
          const declared = { type: 'AppEdited', data: { id: appId, attributes: ATTRIBUTES } };
          await stores.append(`app-${appId}`, declared);
          const key = await stores.createKey(appId, appId);
          const product = { stores, commands, appId, key, nextId: () => ++builds, now: () => clock.time };
          if (channels !== CHANNELS) {
            const added = { appId, id: 'beta.1', name: 'beta', selfAssign: true };
            await stores.append(`channels-${appId}`, { type: 'ChannelAdded', data: added });
          }
          const contest = new Contest(product, platform, channels);
          apps.push({ contest, devices });
          const reporting = { plane, devices };
          await contest.setGroup('beta', [devices[0]!.id], plane);
          for (const upload of uploads) await contest.take({ ...upload, kind: 'upload' }, reporting);
          for (const step of steps) {
            note(await contest.take(step, reporting));
            for (const answer of contest.ask(plane, devices)) note(answer);
          }
        },
      ),
      { numRuns, seed: SEED, interruptAfterTimeLimit: TIMEOUT_MS - 20_000, markInterruptAsFailure: true },
    );

    const answers = apps.reduce((sum, { contest }) => sum + contest.turns, 0);
    process.stderr.write(`offers: FUZZ_SEED=${SEED}, ${apps.length} apps, ${answers} answers are those of the model\n`);

    // A process that starts later knows the same: from the events, and from the rows of the projection.
    await openPlane();
    const { events, documents } = stores;
    const logger = recordingLogger();
    const projections = createProjections({ events, documents, projections: [serving], waitMs: 20_000, logger });
    await projections.start();
    await projections.caughtUp;
    await projections.close();
    await openPlane();
    for (const plane of planes) {
      await plane.groups.load();
      for (const { contest, devices } of apps) contest.ask(plane, devices);
    }
    // A generator that never leads there would prove nothing.
    expect(worthSeeing.filter((what) => !seen.has(what))).toEqual([]);
  }
});
