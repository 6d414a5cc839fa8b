import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ApiKey, Caller, RequestOf, restrictApiKey } from '@sluice/contracts';
import { ApiKeyChanges } from './api-key-changes';

export class RestrictApiKey extends Command<ApiKey> {
  constructor(
    readonly request: RequestOf<typeof restrictApiKey>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(RestrictApiKey)
export class RestrictApiKeyHandler implements ICommandHandler<RestrictApiKey> {
  constructor(private readonly keys: ApiKeyChanges) {}

  execute({ request: { appId, id, restrictions }, caller }: RestrictApiKey): Promise<ApiKey> {
    return this.keys.change(appId, { type: 'RestrictApiKey', id, restrictions }, caller);
  }
}
