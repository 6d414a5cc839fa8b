import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type ReplyOf, revealApiKey } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { QueryOf } from '@sluice/messaging';
import { apiKeys, apiKeysStream, usableKey } from './domain/api-keys';
import { ApiKeySecrets } from './api-key-secrets';

export class RevealApiKey extends QueryOf(revealApiKey) {}

/** Reads the stream, not the read model: never an old secret. */
@QueryHandler(RevealApiKey)
export class RevealApiKeyHandler implements IQueryHandler<RevealApiKey> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly secrets: ApiKeySecrets,
  ) {}

  async execute({ request: { appId, id } }: RevealApiKey): Promise<ReplyOf<typeof revealApiKey>> {
    const sealed = async () => {
      const { state } = await this.commands.load(apiKeys, apiKeysStream(appId));
      return usableKey(state, id).sealId;
    };
    let sealId = await sealed();
    for (;;) {
      try {
        return { id, plaintext_key: await this.secrets.plaintext(sealId) };
      } catch (error) {
        // A rotation meanwhile has put another secret into its place.
        const now = await sealed();
        if (now === sealId) throw error;
        sealId = now;
      }
    }
  }
}
