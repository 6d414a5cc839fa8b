import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Build, Caller, promoteBuild, RequestOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling, type Sequence } from '@sluice/event-store';
import { stableUuid } from '@sluice/kernel';
import { buildOf, channelDecider, channelStream } from '../domain/channel';
import { BUILD_IDS } from './build-ids';
import { Builds } from './builds';

export class PromoteBuild extends Command<Build> {
  constructor(
    readonly request: RequestOf<typeof promoteBuild>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(PromoteBuild)
export class PromoteBuildHandler implements ICommandHandler<PromoteBuild> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(BUILD_IDS) private readonly buildIds: Sequence,
    private readonly builds: Builds,
  ) {}

  async execute({ request, caller }: PromoteBuild): Promise<Build> {
    const { appId, id, targetChannel, ...overrides } = request;
    const { channel } = await this.builds.find(appId, id);
    const { state } = await this.commands.load(channelDecider, channelStream(appId, channel));
    const source = buildOf(state, id);
    const buildId = await this.buildIds.next(caller);
    const handled = await this.commands.handle(
      channelDecider,
      channelStream(appId, targetChannel),
      {
        type: 'PromoteIn',
        source,
        channel: targetChannel,
        buildId,
        bundleId: stableUuid('bundle', buildId),
        ...overrides,
      },
      caller,
    );
    // For a repeat this is the id that was given the first time.
    const promoted = handled.events.find((event) => event.type === 'BuildPromoted');
    if (!promoted)
      throw new Error(`Command ${caller.commandId} was given before, for something else than a promotion.`);
    return this.builds.answer({ handled, buildId: promoted.data.buildId });
  }
}
