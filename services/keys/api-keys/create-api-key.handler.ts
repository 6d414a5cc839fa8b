import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { createApiKey, type ReplyOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling, type Sequence } from '@sluice/event-store';
import { CommandOf } from '@sluice/messaging';
import { apiKeys, apiKeysStream, existingKey } from './domain/api-keys';
import { ApiKeySecrets } from './api-key-secrets';

/** Injection token of the Sequence that API key ids come from. */
export const KEY_IDS = Symbol('KeyIds');

export class CreateApiKey extends CommandOf(createApiKey) {}

@CommandHandler(CreateApiKey)
export class CreateApiKeyHandler implements ICommandHandler<CreateApiKey> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(KEY_IDS) private readonly ids: Sequence,
    private readonly secrets: ApiKeySecrets,
  ) {}

  async execute({ request: { appId, name }, caller }: CreateApiKey): Promise<ReplyOf<typeof createApiKey>> {
    const newId = await this.ids.next(caller);
    const { events, state, repeated, plaintext } = await this.secrets.issue((secret) =>
      this.commands.handle(
        apiKeys,
        apiKeysStream(appId),
        { type: 'CreateApiKey', key: { id: newId, appId, name, ...secret } },
        caller,
      ),
    );
    const created = events.find((event) => event.type === 'ApiKeyCreated')?.data;
    if (created === undefined) throw new Error(`The command ${caller.commandId} created no API key.`);
    const { id, name: currentName, status, sealId } = existingKey(state, created.id);
    const plaintextKey = repeated ? await this.secrets.plaintext(sealId) : plaintext;
    return { id, name: currentName, status, plaintext_key: plaintextKey };
  }
}
