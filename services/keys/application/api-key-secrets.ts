import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import { credentialHash, credentialPreview, newCredential } from '@sluice/contracts';
import { DomainError, newUlid, UnavailableError } from '@sluice/kernel';
import { VAULT, type Vault } from '@sluice/vault';
import { API_KEY_SEALS, type ApiKeySecret } from '../domain/api-keys';

/** Plaintexts of API keys: made, sealed before the event that names the seal, and dropped when of no use. */
@Injectable()
export class ApiKeySecrets {
  constructor(
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Gives a fresh secret to what appends the event that names it. Unless that event was appended, or
   * may have been, the seal goes again: a refusal and a repeat leave none.
   */
  async issue<Result extends { readonly repeated: boolean }>(
    append: (secret: ApiKeySecret) => Promise<Result>,
  ): Promise<Result & { readonly plaintext: string }> {
    const plaintext = newCredential('svc_app_');
    const sealId = this.settings.apiKeyRecovery ? `${API_KEY_SEALS}${newUlid()}` : null;
    if (sealId !== null) await this.vault.seal(sealId, Buffer.from(plaintext));
    const preview = credentialPreview('svc_app_', plaintext);
    try {
      const result = await append({ preview, hash: credentialHash(plaintext), sealId });
      if (result.repeated) await this.drop(sealId);
      return { ...result, plaintext };
    } catch (error) {
      // After an unknown outcome an event may name the seal: then it stays.
      if (error instanceof DomainError && !(error instanceof UnavailableError)) await this.drop(sealId);
      throw error;
    }
  }

  /** Best effort: what stays is an orphan, which is swept, and no reason to fail an answer. */
  async drop(sealId: string | null | undefined): Promise<void> {
    if (typeof sealId === 'string') await this.vault.delete(sealId).catch(() => false);
  }

  /** @throws DomainError PLAINTEXT_UNAVAILABLE */
  async plaintext(sealId: string | null): Promise<string> {
    const plaintext = sealId === null ? undefined : await this.vault.open(sealId);
    if (plaintext !== undefined) return plaintext.toString();
    throw new DomainError('PLAINTEXT_UNAVAILABLE', 'The plaintext of this API key is not kept. Rotate it instead.');
  }
}
