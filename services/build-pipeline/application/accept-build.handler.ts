import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { acceptBuild, Caller, ReplyOf, RequestOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling, type Sequence } from '@sluice/event-store';
import { newUlid, stableUuid } from '@sluice/kernel';
import { buildOf, channelDecider, channelStream } from '../domain/channel';
import { BUILD_IDS } from './build-ids';

export class AcceptBuild extends Command<ReplyOf<typeof acceptBuild>> {
  constructor(
    readonly request: RequestOf<typeof acceptBuild>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(AcceptBuild)
export class AcceptBuildHandler implements ICommandHandler<AcceptBuild> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(BUILD_IDS) private readonly buildIds: Sequence,
  ) {}

  async execute({ request, caller }: AcceptBuild): Promise<ReplyOf<typeof acceptBuild>> {
    const buildId = await this.buildIds.next(caller);
    const { state, events } = await this.commands.handle(
      channelDecider,
      channelStream(request.appId, request.channel),
      {
        type: 'AcceptBuild',
        build: { ...request, buildId, bundleId: stableUuid('bundle', buildId), jobId: newUlid() },
      },
      caller,
    );
    // For a repeat these are the ids that were given the first time.
    const accepted = events.find((event) => event.type === 'BuildAccepted');
    if (!accepted) throw new Error(`Command ${caller.commandId} was given before, for something else than an upload.`);
    const { buildId: id, version, channel, status } = buildOf(state, accepted.data.buildId);
    return { job_id: accepted.data.jobId, build: { id, version, channel, status }, objectKey: accepted.data.objectKey };
  }
}
