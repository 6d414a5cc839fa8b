import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ReplyOf, storeKeystore } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { Keystores } from './keystores';

export class StoreKeystore extends CommandOf(storeKeystore) {}

@CommandHandler(StoreKeystore)
export class StoreKeystoreHandler implements ICommandHandler<StoreKeystore> {
  constructor(private readonly keystores: Keystores) {}

  execute({ request, caller }: StoreKeystore): Promise<ReplyOf<typeof storeKeystore>> {
    return this.keystores.store(request, caller);
  }
}
