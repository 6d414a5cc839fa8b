import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ApiKey, revokeApiKey } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { ApiKeyChanges } from './api-key-changes';

export class RevokeApiKey extends CommandOf(revokeApiKey) {}

@CommandHandler(RevokeApiKey)
export class RevokeApiKeyHandler implements ICommandHandler<RevokeApiKey> {
  constructor(private readonly keys: ApiKeyChanges) {}

  execute({ request: { appId, id }, caller }: RevokeApiKey): Promise<ApiKey> {
    return this.keys.change(appId, { type: 'RevokeApiKey', id }, caller);
  }
}
