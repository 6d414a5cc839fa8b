import { Inject, Injectable } from '@nestjs/common';
import type { ApiKey, Caller } from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { COMMANDS, type CommandHandling, type Handled } from '@sluice/event-store';
import { dropFormerSeals, VAULT, type Vault } from '@sluice/vault';
import {
  type ApiKeyCommand,
  type ApiKeyEvent,
  type ApiKeys,
  apiKeys,
  apiKeysStream,
  existingKey,
} from './domain/api-keys';
import { apiKeyResource } from './api-key-resource';

/** Changes of an app's API keys. */
@Injectable()
export class ApiKeyChanges {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
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
    return apiKeyResource(this.state, existingKey(state, command.id));
  }
}
