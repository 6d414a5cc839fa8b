import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, deleteApiKey, ReplyOf, RequestOf } from '@sluice/contracts';
import { ApiKeyChanges } from './api-key-changes';

export class DeleteApiKey extends Command<ReplyOf<typeof deleteApiKey>> {
  constructor(
    readonly request: RequestOf<typeof deleteApiKey>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(DeleteApiKey)
export class DeleteApiKeyHandler implements ICommandHandler<DeleteApiKey> {
  constructor(private readonly keys: ApiKeyChanges) {}

  async execute({ request: { appId, id }, caller }: DeleteApiKey): Promise<ReplyOf<typeof deleteApiKey>> {
    await this.keys.apply(appId, { type: 'DeleteApiKey', id }, caller);
    return { deleted: true, id };
  }
}
