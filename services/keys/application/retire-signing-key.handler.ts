import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, ListedSigningKey, RequestOf, retireSigningKey } from '@sluice/contracts';
import { SigningKeys } from './signing-keys';

export class RetireSigningKey extends Command<ListedSigningKey> {
  constructor(
    readonly request: RequestOf<typeof retireSigningKey>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(RetireSigningKey)
export class RetireSigningKeyHandler implements ICommandHandler<RetireSigningKey> {
  constructor(private readonly keys: SigningKeys) {}

  execute({ request: { appId, id }, caller }: RetireSigningKey): Promise<ListedSigningKey> {
    return this.keys.retire(appId, id, caller);
  }
}
