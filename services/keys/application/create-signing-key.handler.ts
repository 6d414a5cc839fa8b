import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, ConfiguredSigningKey, RequestOf, createSigningKey } from '@sluice/contracts';
import { SigningKeys } from './signing-keys';

export class CreateSigningKey extends Command<ConfiguredSigningKey> {
  constructor(
    readonly request: RequestOf<typeof createSigningKey>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(CreateSigningKey)
export class CreateSigningKeyHandler implements ICommandHandler<CreateSigningKey> {
  constructor(private readonly keys: SigningKeys) {}

  execute({ request, caller }: CreateSigningKey): Promise<ConfiguredSigningKey> {
    return this.keys.make('CreateSigningKey', request, caller);
  }
}
