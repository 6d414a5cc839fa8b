import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { disconnectMerchant, type ReplyOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { merchant, merchantStream, STORE_ID } from '../settings/domain/merchant';
import { Revocations } from './revocations';
import { SavedSettings } from '../settings/saved-settings';

export class Disconnect extends CommandOf(disconnectMerchant) {}

@CommandHandler(Disconnect)
export class DisconnectHandler implements ICommandHandler<Disconnect> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly saved: SavedSettings,
    private readonly revocations: Revocations,
  ) {}

  async execute({ caller }: Disconnect): Promise<ReplyOf<typeof disconnectMerchant>> {
    await this.saved.ofWorkingModule();
    const command = { type: 'Disconnect' } as const;
    const { events } = await this.commands.handle(merchant, merchantStream(STORE_ID), command, caller);
    for (const { type, data } of events) {
      if (type === 'MerchantDisconnected' && !(await this.revocations.revoke(data.connectionId))) {
        return { revocation: 'unconfirmed' };
      }
    }
    return { revocation: 'confirmed' };
  }
}
