import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, ReplyOf, RequestOf, storeKeystore } from '@sluice/contracts';
import { Keystores } from './keystores';

export class StoreKeystore extends Command<ReplyOf<typeof storeKeystore>> {
  constructor(
    readonly request: RequestOf<typeof storeKeystore>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(StoreKeystore)
export class StoreKeystoreHandler implements ICommandHandler<StoreKeystore> {
  constructor(private readonly keystores: Keystores) {}

  execute({ request, caller }: StoreKeystore): Promise<ReplyOf<typeof storeKeystore>> {
    return this.keystores.store(request, caller);
  }
}
