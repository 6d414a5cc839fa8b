import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ConfiguredSigningKey, createSigningKey } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { SigningKeys } from './signing-keys';

export class CreateSigningKey extends CommandOf(createSigningKey) {}

@CommandHandler(CreateSigningKey)
export class CreateSigningKeyHandler implements ICommandHandler<CreateSigningKey> {
  constructor(private readonly keys: SigningKeys) {}

  execute({ request, caller }: CreateSigningKey): Promise<ConfiguredSigningKey> {
    return this.keys.make('CreateSigningKey', request, caller);
  }
}
