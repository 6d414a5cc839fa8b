import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  type Caller,
  type createApiKey,
  credentialHash,
  credentialPreview,
  newCredential,
  type ReplyOf,
  type RequestOf,
} from '@sluice/contracts';
import { COMMANDS, type CommandHandling, type Sequence } from '@sluice/event-store';
import { DomainError, newUlid, UnavailableError } from '@sluice/kernel';
import { VAULT, type Vault } from '@sluice/vault';
import { API_KEY_SEALS, apiKeys, apiKeysStream, existingKey } from '../domain/api-keys';

/** Injection token of the Sequence that API key ids come from. */
export const KEY_IDS = Symbol('KeyIds');

export class CreateApiKey extends Command<ReplyOf<typeof createApiKey>> {
  constructor(
    readonly request: RequestOf<typeof createApiKey>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(CreateApiKey)
export class CreateApiKeyHandler implements ICommandHandler<CreateApiKey> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(KEY_IDS) private readonly ids: Sequence,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async execute({ request: { appId, name }, caller }: CreateApiKey): Promise<ReplyOf<typeof createApiKey>> {
    const plaintext = newCredential('svc_app_');
    const id = await this.ids.next(caller);
    const sealId = this.settings.apiKeyRecovery ? `${API_KEY_SEALS}${newUlid()}` : null;
    if (sealId !== null) await this.vault.seal(sealId, Buffer.from(plaintext));

    const preview = credentialPreview('svc_app_', plaintext);
    const key = { id, appId, name, preview, hash: credentialHash(plaintext), sealId };
    const { events, state, repeated } = await this.commands
      .handle(apiKeys, apiKeysStream(appId), { type: 'CreateApiKey', key }, caller)
      .catch(async (error: unknown) => {
        // After an unknown outcome an event may name the seal: then it stays.
        const refused = error instanceof DomainError && !(error instanceof UnavailableError);
        if (refused) await this.dropSeal(sealId);
        throw error;
      });
    if (repeated) await this.dropSeal(sealId);

    const created = events.find((event) => event.type === 'ApiKeyCreated')?.data;
    if (created === undefined) throw new Error(`The command ${caller.commandId} created no API key.`);
    const { status, name: currentName } = existingKey(state, created.id);
    const plaintextKey = repeated ? await this.sealedPlaintext(created.sealId) : plaintext;
    return { id: created.id, name: currentName, status, plaintext_key: plaintextKey };
  }

  /** Best effort: what stays is an orphan, which is swept, and no reason to fail the answer. */
  private async dropSeal(sealId: string | null): Promise<void> {
    if (sealId !== null) await this.vault.delete(sealId).catch(() => false);
  }

  private async sealedPlaintext(sealId: string | null): Promise<string> {
    const plaintext = sealId === null ? undefined : await this.vault.open(sealId);
    if (plaintext === undefined) {
      throw new DomainError('PLAINTEXT_UNAVAILABLE', 'The key exists, but its plaintext is not kept.');
    }
    return plaintext.toString();
  }
}
