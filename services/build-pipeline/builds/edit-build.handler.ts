import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Build, editBuild } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { buildOf, channelDecider, channelStream } from './domain/channel';
import { buildResource, Builds } from './builds';

export class EditBuild extends CommandOf(editBuild) {}

@CommandHandler(EditBuild)
export class EditBuildHandler implements ICommandHandler<EditBuild> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly builds: Builds,
  ) {}

  async execute({ request, caller }: EditBuild): Promise<Build> {
    const { appId, id: buildId, ...edits } = request;
    const { channel } = await this.builds.find(appId, buildId);
    const { state } = await this.commands.handle(
      channelDecider,
      channelStream(appId, channel),
      { type: 'EditBuild', buildId, ...edits },
      caller,
    );
    return buildResource(buildOf(state, buildId));
  }
}
