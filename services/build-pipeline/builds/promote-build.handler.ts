import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Build, promoteBuild } from '@sluice/contracts';
import { COMMANDS, type CommandHandling, type Sequence } from '@sluice/event-store';
import { stableUuid } from '@sluice/kernel';
import { CommandOf } from '@sluice/messaging';
import { buildOf, channelDecider, channelStream } from './domain/channel';
import { BUILD_IDS } from './build-ids';
import { buildResource, Builds } from './builds';

export class PromoteBuild extends CommandOf(promoteBuild) {}

@CommandHandler(PromoteBuild)
export class PromoteBuildHandler implements ICommandHandler<PromoteBuild> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(BUILD_IDS) private readonly buildIds: Sequence,
    private readonly builds: Builds,
  ) {}

  /**
   * The source's channel decides first and promises the bundle, so that a deletion in parallel comes
   * before the promotion, which is refused, or after the promise, which keeps the bundle.
   */
  async execute({ request, caller }: PromoteBuild): Promise<Build> {
    const { appId, id, targetChannel, ...overrides } = request;
    const before = await this.commands.repeat(channelDecider, channelStream(appId, targetChannel), caller);
    const promoted = before?.events.find((event) => event.type === 'BuildPromoted');
    if (before && promoted) return buildResource(buildOf(before.state, promoted.data.buildId));

    const { channel } = await this.builds.find(appId, id);
    const target = await this.commands.load(channelDecider, channelStream(appId, targetChannel));
    const started = await this.commands.handle(
      channelDecider,
      channelStream(appId, channel),
      {
        type: 'StartPromotion',
        buildId: id,
        promotedId: await this.buildIds.next(caller),
        targetChannel,
        target: target.state,
      },
      caller,
      { waitForReaders: false },
    );
    const promise = started.events.find((event) => event.type === 'PromotionStarted');
    if (!promise) throw new Error(`Command ${caller.commandId} was given before, for something else than a promotion.`);
    const { promotedId } = promise.data;
    const { state } = await this.commands.handle(
      channelDecider,
      channelStream(appId, targetChannel),
      {
        type: 'PromoteIn',
        source: buildOf(started.state, id),
        channel: targetChannel,
        buildId: promotedId,
        bundleId: stableUuid('bundle', promotedId),
        ...overrides,
      },
      caller,
    );
    return buildResource(buildOf(state, promotedId));
  }
}
