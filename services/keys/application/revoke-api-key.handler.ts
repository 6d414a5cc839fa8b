import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ApiKey, Caller, RequestOf, revokeApiKey } from '@sluice/contracts';
import { type DocumentStore, STATE_STORE } from '@sluice/document-store';
import { COMMANDS, type CommandHandling, EVENT_STORE, type EventStore } from '@sluice/event-store';
import { apiKeys, apiKeysStream, existingKey } from '../domain/api-keys';
import { apiKeyResource } from './api-key-resource';

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
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(STATE_STORE) private readonly state: DocumentStore,
  ) {}

  async execute({ request: { appId, id }, caller }: RevokeApiKey): Promise<ApiKey> {
    const stream = apiKeysStream(appId);
    const { state } = await this.commands.handle(apiKeys, stream, { type: 'RevokeApiKey', id }, caller);
    return apiKeyResource(this.state, { ...existingKey(state, id), createdAt: await this.createdAt(stream, id) });
  }

  private async createdAt(stream: string, id: number): Promise<string> {
    for await (const { type, data, metadata } of this.events.readStream(stream)) {
      if (type === 'ApiKeyCreated' && data['id'] === id) return metadata.at;
    }
    throw new Error(`The stream ${stream} lost the creation of its API key ${id}.`);
  }
}
