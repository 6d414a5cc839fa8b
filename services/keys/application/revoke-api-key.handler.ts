import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ApiKey, Caller, RequestOf, revokeApiKey } from '@sluice/contracts';
import { ApiKeyChanges } from './api-key-changes';

export class RevokeApiKey extends Command<ApiKey> {
  constructor(
    readonly request: RequestOf<typeof revokeApiKey>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(RevokeApiKey)
export class RevokeApiKeyHandler implements ICommandHandler<RevokeApiKey> {
  constructor(private readonly keys: ApiKeyChanges) {}

  execute({ request: { appId, id }, caller }: RevokeApiKey): Promise<ApiKey> {
    return this.keys.change(appId, { type: 'RevokeApiKey', id }, caller);
  }
}
