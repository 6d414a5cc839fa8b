import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { deleteBuild, type ReplyOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { channelDecider, channelStream } from './domain/channel';
import { Builds } from './builds';

export class DeleteBuild extends CommandOf(deleteBuild) {}

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
