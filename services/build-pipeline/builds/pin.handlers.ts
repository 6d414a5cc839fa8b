import { Inject, Injectable } from '@nestjs/common';
import { type Caller, recordPins, type RequestOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { HandlesCommand } from '@sluice/messaging';
import { requireFormat, TARGETING_FORMAT } from '@sluice/service-host';
import { BuildResources } from './build-resources';
import { channelDecider, channelStream } from './domain/channel';

/** Keeps in the history of a build who changed its pins. Which devices these are is stored with the device API. */
@Injectable()
export class PinHandlers {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly builds: BuildResources,
  ) {}

  @HandlesCommand(recordPins)
  async record(request: RequestOf<typeof recordPins>, caller: Caller) {
    const { appId, id: buildId, ...pins } = request;
    await requireFormat(this.commands, TARGETING_FORMAT);
    const { channel } = await this.builds.find(appId, buildId);
    const command = { type: 'RecordPins', buildId, ...pins } as const;
    await this.commands.handle(channelDecider, channelStream(appId, channel), command, caller);
    return { recorded: true as const };
  }
}
