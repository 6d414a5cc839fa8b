import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ApiKey, deprecateApiKey } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { ApiKeyChanges } from './api-key-changes';

export class DeprecateApiKey extends CommandOf(deprecateApiKey) {}

@CommandHandler(DeprecateApiKey)
export class DeprecateApiKeyHandler implements ICommandHandler<DeprecateApiKey> {
  constructor(private readonly keys: ApiKeyChanges) {}

  execute({ request: { appId, id }, caller }: DeprecateApiKey): Promise<ApiKey> {
    return this.keys.change(appId, { type: 'DeprecateApiKey', id }, caller);
  }
}
