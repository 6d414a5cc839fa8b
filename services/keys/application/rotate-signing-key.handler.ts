import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, ConfiguredSigningKey, RequestOf, rotateSigningKey } from '@sluice/contracts';
import { SigningKeys } from './signing-keys';

export class RotateSigningKey extends Command<ConfiguredSigningKey> {
  constructor(
    readonly request: RequestOf<typeof rotateSigningKey>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(RotateSigningKey)
export class RotateSigningKeyHandler implements ICommandHandler<RotateSigningKey> {
  constructor(private readonly keys: SigningKeys) {}

  execute({ request, caller }: RotateSigningKey): Promise<ConfiguredSigningKey> {
    return this.keys.make('RotateSigningKey', request, caller);
  }
}
