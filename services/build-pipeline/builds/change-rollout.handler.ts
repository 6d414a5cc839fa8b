import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Build, changeRollout } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { buildOf, channelDecider, channelStream } from './domain/channel';
import { buildResource, Builds } from './builds';

export class ChangeRollout extends CommandOf(changeRollout) {}

@CommandHandler(ChangeRollout)
export class ChangeRolloutHandler implements ICommandHandler<ChangeRollout> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly builds: Builds,
  ) {}

  async execute({ request, caller }: ChangeRollout): Promise<Build> {
    const { appId, id: buildId, ...rollout } = request;
    const { channel } = await this.builds.find(appId, buildId);
    const { state } = await this.commands.handle(
      channelDecider,
      channelStream(appId, channel),
      { type: 'ChangeRollout', buildId, ...rollout },
      caller,
    );
    return buildResource(buildOf(state, buildId));
  }
}
