import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, ReplyOf, RequestOf, rotateApiKey } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { apiKeys, apiKeysStream, existingKey } from '../domain/api-keys';
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
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly secrets: ApiKeySecrets,
  ) {}

  async execute({ request: { appId, id }, caller }: RotateApiKey): Promise<ReplyOf<typeof rotateApiKey>> {
    const { events, state, repeated, plaintext } = await this.secrets.issue((secret) =>
      this.commands.handle(apiKeys, apiKeysStream(appId), { type: 'RotateApiKey', id, secret }, caller),
    );
    for (const event of events) if (event.type === 'ApiKeyRotated') await this.secrets.drop(event.data.formerSealId);
    const { name, status, sealId } = existingKey(state, id);
    return { id, name, status, plaintext_key: repeated ? await this.secrets.plaintext(sealId) : plaintext };
  }
}
