import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ConfiguredSigningKey, rotateSigningKey } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { SigningKeys } from './signing-keys';

export class RotateSigningKey extends CommandOf(rotateSigningKey) {}

@CommandHandler(RotateSigningKey)
export class RotateSigningKeyHandler implements ICommandHandler<RotateSigningKey> {
  constructor(private readonly keys: SigningKeys) {}

  execute({ request, caller }: RotateSigningKey): Promise<ConfiguredSigningKey> {
    return this.keys.make('RotateSigningKey', request, caller);
  }
}
