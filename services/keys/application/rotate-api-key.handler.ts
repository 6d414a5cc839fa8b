import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, ReplyOf, RequestOf, rotateApiKey } from '@sluice/contracts';
import { existingKey } from '../domain/api-keys';
import { ApiKeyChanges } from './api-key-changes';
import { ApiKeySecrets } from './api-key-secrets';

export class RotateApiKey extends Command<ReplyOf<typeof rotateApiKey>> {
  constructor(
    readonly request: RequestOf<typeof rotateApiKey>,
    readonly caller: Caller,
  ) {
    super();
  }
}

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
