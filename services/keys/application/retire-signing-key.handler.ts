import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ListedSigningKey, retireSigningKey } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { SigningKeys } from './signing-keys';

export class RetireSigningKey extends CommandOf(retireSigningKey) {}

@CommandHandler(RetireSigningKey)
export class RetireSigningKeyHandler implements ICommandHandler<RetireSigningKey> {
  constructor(private readonly keys: SigningKeys) {}

  execute({ request: { appId, id }, caller }: RetireSigningKey): Promise<ListedSigningKey> {
    return this.keys.retire(appId, id, caller);
  }
}
