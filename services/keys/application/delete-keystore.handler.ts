import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { deleteKeystore, type ReplyOf } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { Keystores } from './keystores';

export class DeleteKeystore extends CommandOf(deleteKeystore) {}

@CommandHandler(DeleteKeystore)
export class DeleteKeystoreHandler implements ICommandHandler<DeleteKeystore> {
  constructor(private readonly keystores: Keystores) {}

  async execute({ request: { appId }, caller }: DeleteKeystore): Promise<ReplyOf<typeof deleteKeystore>> {
    await this.keystores.delete(appId, caller);
    return { deleted: true };
  }
}
