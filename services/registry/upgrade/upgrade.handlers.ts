import { Inject, Injectable } from '@nestjs/common';
import { type Caller, finishUpgrade, type RequestOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { HandlesCommand } from '@sluice/messaging';
import { installation, INSTALLATION_STREAM } from '@sluice/service-host';

@Injectable()
export class UpgradeHandlers {
  constructor(@Inject(COMMANDS) private readonly commands: CommandHandling) {}

  @HandlesCommand(finishUpgrade)
  async finish(request: RequestOf<typeof finishUpgrade>, caller: Caller) {
    return (await this.commands.handle(installation, INSTALLATION_STREAM, request, caller)).state;
  }
}
