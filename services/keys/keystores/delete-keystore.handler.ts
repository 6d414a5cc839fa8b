import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { deleteKeystore, type ReplyOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { VAULT, type Vault } from '@sluice/vault';
import { keystore, keystoreStream } from './domain/keystore';
import { dropFormerKeystores } from './keystores';

export class DeleteKeystore extends CommandOf(deleteKeystore) {}

@CommandHandler(DeleteKeystore)
export class DeleteKeystoreHandler implements ICommandHandler<DeleteKeystore> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(VAULT) private readonly vault: Vault,
  ) {}

  async execute({ request: { appId }, caller }: DeleteKeystore): Promise<ReplyOf<typeof deleteKeystore>> {
    const { events } = await this.commands.handle(keystore, keystoreStream(appId), { type: 'DeleteKeystore' }, caller);
    await dropFormerKeystores(this.vault, this.objects, events);
    return { deleted: true };
  }
}
