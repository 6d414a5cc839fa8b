import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  type Caller,
  type Channel,
  getRecall,
  recallBuild,
  type ReplyOf,
  type RequestOf,
  retryBuild,
  unrecallBuild,
} from '@sluice/contracts';
import { COMMANDS, type CommandHandling, createSequence, type Sequence } from '@sluice/event-store';
import { channelName, type Clock, DomainError, stableUuid } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { CLOCK, requireFormat } from '@sluice/service-host';
import { channelsOf } from './app-channels';
import { BuildResources } from './build-resources';
import { buildNotFound, buildOf, type ChannelBuild, channelDecider, channelStream, recallPlan } from './domain/channel';
import { PlanEffects } from '../plans/plan-effects';
import { RecalledCopies } from './recalled-copies';

/** Earlier releases would continue to offer a recalled build, and can't read that one was retried. */
export const RECALL_FORMAT = 2;

@Injectable()
export class RecallHandlers {
  private readonly ids: Sequence;

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly builds: BuildResources,
    private readonly copies: RecalledCopies,
    private readonly plans: PlanEffects,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'downloadMode' | 'downloadUrlTtlSeconds'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.ids = createSequence({ commands, name: 'builds' });
  }

  @HandlesCommand(recallBuild)
  async recall(request: RequestOf<typeof recallBuild>, caller: Caller): Promise<ReplyOf<typeof recallBuild>> {
    const { appId, id: buildId, ...wish } = request;
    await requireFormat(this.commands, RECALL_FORMAT);
    const { channel } = await this.builds.find(appId, buildId);
    const republishedId = await this.ids.next(caller);
    const bundleId = stableUuid('bundle', republishedId);
    const { state, events } = await this.commands.handle(
      channelDecider,
      channelStream(appId, channel),
      { type: 'RecallBuild', buildId, republishedId, bundleId, ...wish },
      caller,
    );
    await this.plans.endedBy(events);
    const recalled = events.find((event) => event.type === 'BuildRecalled');
    if (recalled?.data.everywhere === true) await this.copies.recall(recalled);
    const copies = await this.copies.of(buildOf(state, buildId));
    const { republishedId: servedBy = null } = state.recalls.get(buildId) ?? {};
    const presigned = this.settings.downloadMode !== 'stream';
    return {
      build: await this.builds.resource(state, buildId),
      republished: servedBy === null ? null : await this.builds.resource(state, servedBy),
      also_in: copies.others.map(copyOf),
      also_recalled: copies.recalled.map(copyOf),
      presigned_until: presigned ? this.inSeconds(this.settings.downloadUrlTtlSeconds) : null,
    };
  }

  @HandlesQuery(getRecall)
  async get({ appId, id: buildId }: RequestOf<typeof getRecall>): Promise<ReplyOf<typeof getRecall>> {
    const stream = channelStream(appId, await this.channelOf(appId, buildId));
    const { state } = await this.commands.load(channelDecider, stream);
    const { channel, version, checksum, recall, target, targetVersion, replacement } = recallPlan(buildId, state);
    const copies = await this.copies.of({ appId, channel, checksum });
    return {
      build: { id: buildId, channel: channelName(channel), version },
      recalled_at: recall?.at ?? null,
      reason: recall?.reason ?? null,
      target: target ?? null,
      target_version: targetVersion ?? null,
      replacement: replacement ?? null,
      also_in: copies.others.map(copyOf),
      also_recalled: copies.recalled.map(copyOf),
    };
  }

  private inSeconds(seconds: number): string {
    return new Date(this.clock.now().getTime() + seconds * 1_000).toISOString();
  }

  @HandlesCommand(unrecallBuild)
  async unrecall(request: RequestOf<typeof unrecallBuild>, caller: Caller): Promise<ReplyOf<typeof unrecallBuild>> {
    const { appId, id: buildId } = request;
    const stream = channelStream(appId, await this.channelOf(appId, buildId));
    const command = { type: 'UnrecallBuild', buildId } as const;
    const { state } = await this.commands.handle(channelDecider, stream, command, caller);
    const isThere = state.builds.get(buildId) !== undefined;
    return { id: buildId, build: isThere ? await this.builds.resource(state, buildId) : null };
  }

  @HandlesCommand(retryBuild)
  async retry(request: RequestOf<typeof retryBuild>, caller: Caller): Promise<ReplyOf<typeof retryBuild>> {
    const { appId, id: buildId } = request;
    await requireFormat(this.commands, RECALL_FORMAT);
    const { channel } = await this.builds.find(appId, buildId);
    const command = { type: 'RetryBuild', buildId } as const;
    const { state } = await this.commands.handle(channelDecider, channelStream(appId, channel), command, caller);
    return this.builds.resource(state, buildId);
  }

  /** A recall outlives its build. @throws DomainError BUILD_NOT_FOUND; UnavailableError */
  private async channelOf(appId: number, buildId: number): Promise<Channel> {
    try {
      return (await this.builds.find(appId, buildId)).channel;
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'BUILD_NOT_FOUND')) throw error;
    }
    for (const channel of await channelsOf(this.commands, appId)) {
      const { state } = await this.commands.load(channelDecider, channelStream(appId, channel));
      if (state.recalls.get(buildId) !== undefined) return channel;
    }
    throw buildNotFound(buildId);
  }
}

function copyOf({ buildId: id, channel, version }: ChannelBuild) {
  return { id, channel: channelName(channel), version };
}
