import { Inject, Injectable } from '@nestjs/common';
import {
  acceptBuild,
  type Build,
  type Caller,
  changeRollout,
  closeAppChannels,
  countUnfinishedBuilds,
  findBuilds,
  foundBuildSchema,
  deleteBuild,
  editBuild,
  getBuild,
  listBuilds,
  MAX_FOUND_BUILDS,
  metadataOfBuilds,
  openingPercentage,
  promoteBuild,
  type ReplyOf,
  type RequestOf,
  type Ring,
} from '@sluice/contracts';
import { type ReadableRows, ReadStore } from '@sluice/document-store';
import { COMMANDS, type CommandHandling, createSequence, type Sequence } from '@sluice/event-store';
import { channelName, newUlid, stableUuid, STANDARD_CHANNELS, unlessUnavailable } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { DELIVERY_FORMAT, requireFormat, TARGETING_FORMAT } from '@sluice/service-host';
import { PlanEffects } from '../plans/plan-effects';
import { PlanSetter } from './plan-setter';
import { channelsOf } from './app-channels';
import { StoredMetadata } from './build-metadata';
import { BuildsAsOf, type BuildPage } from './builds-as-of';
import { BuildResources } from './build-resources';
import { type BuildRow, buildRows, buildsProjection, toBuild } from './builds.projection';
import {
  buildNotFound,
  buildOf,
  type ChannelBuild,
  type ChannelCommand,
  channelDecider,
  type ChannelState,
  channelStream,
  nativeRulesOf,
} from './domain/channel';

const UNFINISHED = ['processing', 'failed', 'paused'] as const;
const NEWEST_FIRST = [
  ['position', 'desc'],
  ['id', 'desc'],
] as const;
/** How many builds are searched for recalled ones, for each app of an overview. */
const MAX_PAUSED = 20;

@Injectable()
export class BuildHandlers {
  private readonly ids: Sequence;
  private readonly rows: ReadableRows<BuildRow>;

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    readStore: ReadStore,
    private readonly past: BuildsAsOf,
    private readonly metadata: StoredMetadata,
    private readonly builds: BuildResources,
    private readonly plans: PlanEffects,
    private readonly planSetter: PlanSetter,
  ) {
    this.ids = createSequence({ commands, name: 'builds' });
    this.rows = readStore.view(buildsProjection.name, buildRows);
  }

  @HandlesCommand(acceptBuild)
  async accept(request: RequestOf<typeof acceptBuild>, caller: Caller) {
    const { uniqueSignatures = false, metadata, plan, ring, audience, names, ...rest } = request;
    const { nativeRange, fingerprint, platform, delivery, ...facts } = rest;
    const single = platform === 'all' ? undefined : platform;
    const native = nativeRulesOf({ nativeRange, fingerprint, platform: single, delivery });
    await this.requireRing(ring);
    if (delivery !== undefined) await requireFormat(this.commands, DELIVERY_FORMAT);
    if (audience !== undefined || Object.keys(native).length > 0) {
      await requireFormat(this.commands, TARGETING_FORMAT);
    }
    if (plan !== undefined) await this.planSetter.prepare(request.appId, plan, caller);
    const uniqueAmong = uniqueSignatures && facts.signature !== null ? await this.otherChannels(facts) : undefined;
    const buildId = await this.ids.next(caller);
    const { state, events } = await this.metadata.storeThenAppend(request.objectKey, metadata, () =>
      this.commands.handle(
        channelDecider,
        channelStream(request.appId, request.channel),
        {
          ...(uniqueAmong && { uniqueAmong }),
          names,
          type: 'AcceptBuild',
          build: {
            ...{ ...facts, ...native, buildId, bundleId: stableUuid('bundle', buildId), jobId: newUlid() },
            ...(ring === 'stable' && { ring }),
            ...(plan && { plan, rolloutPercentage: openingPercentage(plan) }),
            ...(audience && { audience }),
          },
        },
        caller,
      ),
    );
    // For a repeat these are the ids that were given the first time.
    const accepted = events.find((event) => event.type === 'BuildAccepted');
    if (!accepted) throw new Error(`Command ${caller.commandId} was given before, for something else than an upload.`);
    if (accepted.data.objectKey !== request.objectKey) await this.metadata.erase(request.objectKey);
    const { buildId: id, version, channel, status } = buildOf(state, accepted.data.buildId);
    return {
      job_id: accepted.data.jobId,
      build: { id, version, channel: channelName(channel), status },
      objectKey: accepted.data.objectKey,
    };
  }

  /**
   * As they are now: of two uploads to two channels at the same moment both may pass. Within one channel its stream
   * decides.
   */
  private async otherChannels({ appId, channel }: Pick<ChannelBuild, 'appId' | 'channel'>): Promise<ChannelState[]> {
    const others = (await channelsOf(this.commands, appId)).filter((other) => other !== channel);
    return Promise.all(
      others.map(async (other) => (await this.commands.load(channelDecider, channelStream(appId, other))).state),
    );
  }

  @HandlesQuery(getBuild)
  async get({ appId, id, asOf }: RequestOf<typeof getBuild>): Promise<Build> {
    const build =
      asOf === undefined ? toBuild(await this.builds.find(appId, id)) : await this.past.one(appId, id, asOf);
    if (build === undefined) throw buildNotFound(id);
    return { ...build, metadata: (await this.builds.metadataById([id])).get(id) ?? {} };
  }

  @HandlesQuery(listBuilds)
  async list(request: RequestOf<typeof listBuilds>): Promise<ReplyOf<typeof listBuilds>> {
    const { items, total } = await this.page(request);
    const metadata = await this.builds.metadataById(items.map(({ id }) => id));
    return { items: items.map((build) => ({ ...build, metadata: metadata.get(build.id) ?? {} })), total };
  }

  private async page(request: RequestOf<typeof listBuilds>): Promise<BuildPage> {
    const { appId, channel, status, asOf, page, perPage } = request;
    if (asOf !== undefined) {
      return this.past.page({ appId, asOf, channel, status, page, perPage });
    }
    const where = {
      app_id: appId,
      ...(channel !== undefined && { channel }),
      ...(status !== undefined && { status }),
    };
    const total = await this.rows.count(where);
    const newer = (page - 1) * perPage;
    const limit = Math.min(perPage, total - newer);
    if (limit <= 0) return { items: [], total };
    // Rows before a page are passed over one by one: from the end that has fewer.
    const older = total - newer - limit;
    const [offset, direction] = older < newer ? ([older, 'asc'] as const) : ([newer, 'desc'] as const);
    const sort = [
      ['position', direction],
      ['id', direction],
    ] as const;
    const found = await this.rows.find({ where, sort, offset, limit });
    const items = found.map(toBuild);
    return { items: direction === 'asc' ? items.reverse() : items, total };
  }

  @HandlesQuery(findBuilds)
  async findOfVersion({ apps, version }: RequestOf<typeof findBuilds>): Promise<ReplyOf<typeof findBuilds>> {
    const newest = [
      ['position', 'desc'],
      ['id', 'desc'],
    ] as const;
    const found = apps.map((app_id) =>
      this.rows.find({ where: { app_id, version }, sort: newest, limit: MAX_FOUND_BUILDS }),
    );
    return (await Promise.all(found)).map((rows) => rows.map((row) => foundBuildSchema.parse(toBuild(row))));
  }

  @HandlesQuery(metadataOfBuilds)
  async metadataOf({ builds }: RequestOf<typeof metadataOfBuilds>): Promise<ReplyOf<typeof metadataOfBuilds>> {
    return Object.fromEntries(await this.builds.metadataById(builds));
  }

  /** Counts those of all apps by one query, and looks for recalled ones where some are paused. */
  @HandlesQuery(countUnfinishedBuilds)
  async countUnfinished({ apps }: RequestOf<typeof countUnfinishedBuilds>) {
    const where = { app_id: { in: apps }, status: { in: UNFINISHED } };
    const counted = await this.rows.countBy(['app_id', 'status'], where);
    return Promise.all(
      apps.map(async (app) => {
        const [processing, failed, paused] = UNFINISHED.map(
          (status) => counted.find((each) => each.app_id === app && each.status === status)?.count ?? 0,
        ) as [number, number, number];
        return { processing, failed, recalled: paused === 0 ? [] : await this.recalled(app) };
      }),
    );
  }

  private async recalled(app: number) {
    const where = { app_id: app, status: 'paused' };
    const paused = await this.rows.find({ where, sort: NEWEST_FIRST, limit: MAX_PAUSED });
    return paused
      .filter(({ recalled_at: at }) => typeof at === 'string')
      .map(toBuild)
      .map(({ id, version, channel, recall_reason }) => ({ id, version, channel, recall_reason }));
  }

  @HandlesCommand(editBuild)
  async edit({ appId, id: buildId, ...edits }: RequestOf<typeof editBuild>, caller: Caller): Promise<Build> {
    // Earlier releases would ignore what is set here. What is cleared was set before.
    if ((edits.audience ?? null) !== null || Object.keys(nativeRulesOf(edits)).length > 0) {
      await requireFormat(this.commands, TARGETING_FORMAT);
    }
    const state = await this.change(appId, { type: 'EditBuild', buildId, ...edits }, caller);
    return this.builds.resource(state, buildId);
  }

  @HandlesCommand(changeRollout)
  async changeRollout({ appId, id: buildId, ...rollout }: RequestOf<typeof changeRollout>, caller: Caller) {
    await this.requireRing(rollout.ring);
    const state = await this.change(appId, { type: 'ChangeRollout', buildId, ...rollout }, caller);
    return this.builds.resource(state, buildId);
  }

  @HandlesCommand(deleteBuild)
  async delete({ appId, id, ifRevision }: RequestOf<typeof deleteBuild>, caller: Caller) {
    await this.change(appId, { type: 'DeleteBuild', buildId: id, ifRevision }, caller);
    return { deleted: true as const, id };
  }

  /**
   * The source's channel decides first and promises the bundle, so that a deletion in parallel comes
   * before the promotion, which is refused, or after the promise, which keeps the bundle.
   */
  @HandlesCommand(promoteBuild)
  async promote(request: RequestOf<typeof promoteBuild>, caller: Caller): Promise<Build> {
    const { appId, id, targetChannel, plan, names, ...overrides } = request;
    const before = await this.commands.repeat(channelDecider, channelStream(appId, targetChannel), caller);
    const done = before?.events.find((event) => event.type === 'BuildPromoted');
    if (before && done) return this.builds.resource(before.state, done.data.buildId);

    await this.requireRing(overrides.ring);
    if (overrides.audience !== undefined) await requireFormat(this.commands, TARGETING_FORMAT);
    if (plan !== undefined) await this.planSetter.prepare(appId, plan, caller);
    const { channel } = await this.builds.find(appId, id);
    const target = await this.commands.load(channelDecider, channelStream(appId, targetChannel));
    const started = await this.commands.handle(
      channelDecider,
      channelStream(appId, channel),
      {
        type: 'StartPromotion',
        buildId: id,
        promotedId: await this.ids.next(caller),
        targetChannel,
        target: target.state,
        audience: overrides.audience,
        names,
      },
      caller,
      { waitForReaders: false },
    );
    const promise = started.events.find((event) => event.type === 'PromotionStarted');
    if (!promise) throw new Error(`Command ${caller.commandId} was given before, for something else than a promotion.`);
    const { promotedId } = promise.data;
    const promoted = await this.commands.handle(
      channelDecider,
      channelStream(appId, targetChannel),
      {
        type: 'PromoteIn',
        source: buildOf(started.state, id),
        channel: targetChannel,
        buildId: promotedId,
        bundleId: stableUuid('bundle', promotedId),
        ...overrides,
        ...(plan && { plan, rolloutPercentage: openingPercentage(plan) }),
      },
      caller,
    );
    if (plan === undefined) return this.builds.resource(promoted.state, promotedId);
    // The build as its plan leaves it.
    for (const event of promoted.events) await unlessUnavailable(this.planSetter.begin(event));
    const { state } = await this.commands.load(channelDecider, channelStream(appId, targetChannel));
    return this.builds.resource(state, promotedId);
  }

  /** An earlier release would offer the build to other devices. */
  private async requireRing(ring: Ring | undefined): Promise<void> {
    if (ring === 'stable') await requireFormat(this.commands, TARGETING_FORMAT);
  }

  /** A channel that holds nothing is closed too, so that an upload in flight finds it closed. */
  @HandlesCommand(closeAppChannels)
  async closeAppChannels({ appId, added }: RequestOf<typeof closeAppChannels>, caller: Caller) {
    for (const channel of [...STANDARD_CHANNELS, ...added]) {
      const command = { type: 'CloseChannel', appId, channel } as const;
      await this.commands.handle(channelDecider, channelStream(appId, channel), command, caller, {
        waitForReaders: false,
      });
    }
    return { closed: true as const };
  }

  /** Returns the channel of the build after the command. @throws as BuildResources.find, and the DomainError of the decider */
  private async change(
    appId: number,
    command: Extract<ChannelCommand, { readonly type: 'EditBuild' | 'ChangeRollout' | 'DeleteBuild' }>,
    caller: Caller,
  ): Promise<ChannelState> {
    const { channel } = await this.builds.find(appId, command.buildId);
    const stream = channelStream(appId, channel);
    const { state, events } = await this.commands.handle(channelDecider, stream, command, caller);
    await this.plans.endedBy(events);
    return state;
  }
}
