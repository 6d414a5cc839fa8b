import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ApiKey, Caller, RequestOf, deprecateApiKey } from '@sluice/contracts';
import { ApiKeyChanges } from './api-key-changes';

export class DeprecateApiKey extends Command<ApiKey> {
  constructor(
    readonly request: RequestOf<typeof deprecateApiKey>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(DeprecateApiKey)
export class DeprecateApiKeyHandler implements ICommandHandler<DeprecateApiKey> {
  constructor(private readonly keys: ApiKeyChanges) {}

  execute({ request: { appId, id }, caller }: DeprecateApiKey): Promise<ApiKey> {
    return this.keys.change(appId, { type: 'DeprecateApiKey', id }, caller);
  }
}
