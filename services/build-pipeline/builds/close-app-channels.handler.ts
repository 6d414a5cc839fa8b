import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channelSchema, closeAppChannels, type ReplyOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { channelDecider, channelStream } from './domain/channel';

export class CloseAppChannels extends CommandOf(closeAppChannels) {}

/** A channel that holds nothing is closed too, so that an upload in flight finds it closed. */
@CommandHandler(CloseAppChannels)
export class CloseAppChannelsHandler implements ICommandHandler<CloseAppChannels> {
  constructor(@Inject(COMMANDS) private readonly commands: CommandHandling) {}

  async execute({ request: { appId }, caller }: CloseAppChannels): Promise<ReplyOf<typeof closeAppChannels>> {
    for (const channel of channelSchema.options) {
      const command = { type: 'CloseChannel', appId, channel } as const;
      await this.commands.handle(channelDecider, channelStream(appId, channel), command, caller, {
        waitForReaders: false,
      });
    }
    return { closed: true };
  }
}
