import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ApiKey, restrictApiKey } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { ApiKeyChanges } from './api-key-changes';

export class RestrictApiKey extends CommandOf(restrictApiKey) {}

@CommandHandler(RestrictApiKey)
export class RestrictApiKeyHandler implements ICommandHandler<RestrictApiKey> {
  constructor(private readonly keys: ApiKeyChanges) {}

  execute({ request: { appId, id, restrictions }, caller }: RestrictApiKey): Promise<ApiKey> {
    return this.keys.change(appId, { type: 'RestrictApiKey', id, restrictions }, caller);
  }
}
