import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ReplyOf, rotateApiKey } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { existingKey } from './domain/api-keys';
import { ApiKeyChanges } from './api-key-changes';
import { ApiKeySecrets } from './api-key-secrets';

export class RotateApiKey extends CommandOf(rotateApiKey) {}

@CommandHandler(RotateApiKey)
export class RotateApiKeyHandler implements ICommandHandler<RotateApiKey> {
  constructor(
    private readonly changes: ApiKeyChanges,
    private readonly secrets: ApiKeySecrets,
  ) {}

  async execute({ request: { appId, id }, caller }: RotateApiKey): Promise<ReplyOf<typeof rotateApiKey>> {
    const { state, repeated, plaintext } = await this.secrets.issue((secret) =>
      this.changes.apply(appId, { type: 'RotateApiKey', id, secret }, caller),
    );
    const { name, status, sealId } = existingKey(state, id);
    return { id, name, status, plaintext_key: repeated ? await this.secrets.plaintext(sealId) : plaintext };
  }
}
