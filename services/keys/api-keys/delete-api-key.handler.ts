import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { deleteApiKey, type ReplyOf } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { ApiKeyChanges } from './api-key-changes';

export class DeleteApiKey extends CommandOf(deleteApiKey) {}

@CommandHandler(DeleteApiKey)
export class DeleteApiKeyHandler implements ICommandHandler<DeleteApiKey> {
  constructor(private readonly keys: ApiKeyChanges) {}

  async execute({ request: { appId, id }, caller }: DeleteApiKey): Promise<ReplyOf<typeof deleteApiKey>> {
    await this.keys.apply(appId, { type: 'DeleteApiKey', id }, caller);
    return { deleted: true, id };
  }
}
