import { Inject, Injectable } from '@nestjs/common';
import type { ApiKey, Caller } from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { COMMANDS, type CommandHandling, EVENT_STORE, type EventStore, type Handled } from '@sluice/event-store';
import { dropFormerSeals, VAULT, type Vault } from '@sluice/vault';
import {
  type ApiKeyCommand,
  type ApiKeyEvent,
  type ApiKeys,
  apiKeys,
  apiKeysStream,
  existingKey,
} from '../domain/api-keys';
import { apiKeyResource, type ApiKeyTimes } from './api-key-resource';

/** Changes of an app's API keys. */
@Injectable()
export class ApiKeyChanges {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly state: StateStore,
    @Inject(VAULT) private readonly vault: Vault,
  ) {}

  /** Carries the command out, and drops the plaintext that it made useless. */
  async apply(appId: number, command: ApiKeyCommand, caller: Caller): Promise<Handled<ApiKeys, ApiKeyEvent>> {
    const handled = await this.commands.handle(apiKeys, apiKeysStream(appId), command, caller);
    await dropFormerSeals(this.vault, handled.events);
    return handled;
  }

  /** As {@link apply}; answers the safe view of the key as it stands then. */
  async change(appId: number, command: ApiKeyCommand & { readonly id: number }, caller: Caller): Promise<ApiKey> {
    const { state } = await this.apply(appId, command, caller);
    const key = existingKey(state, command.id);
    return apiKeyResource(this.state, { ...key, ...(await this.timesOf(apiKeysStream(appId), command.id)) });
  }

  private async timesOf(stream: string, id: number): Promise<ApiKeyTimes> {
    let createdAt: string | undefined;
    let rotatedAt: string | null = null;
    for await (const { type, data, metadata } of this.events.readStream(stream)) {
      if (data['id'] !== id) continue;
      if (type === 'ApiKeyCreated') createdAt = metadata.at;
      else if (type === 'ApiKeyRotated') rotatedAt = metadata.at;
    }
    if (createdAt === undefined) throw new Error(`The stream ${stream} lost the creation of its API key ${id}.`);
    return { createdAt, rotatedAt };
  }
}
