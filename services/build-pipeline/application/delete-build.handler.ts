import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, deleteBuild, ReplyOf, RequestOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { channelDecider, channelStream } from '../domain/channel';
import { Builds } from './builds';

export class DeleteBuild extends Command<ReplyOf<typeof deleteBuild>> {
  constructor(
    readonly request: RequestOf<typeof deleteBuild>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(DeleteBuild)
export class DeleteBuildHandler implements ICommandHandler<DeleteBuild> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly builds: Builds,
  ) {}

  async execute({ request, caller }: DeleteBuild): Promise<ReplyOf<typeof deleteBuild>> {
    const { appId, id, ifRevision } = request;
    const { channel } = await this.builds.find(appId, id);
    await this.commands.handle(
      channelDecider,
      channelStream(appId, channel),
      { type: 'DeleteBuild', buildId: id, ifRevision },
      caller,
    );
    return { deleted: true, id };
  }
}
