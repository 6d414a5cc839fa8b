import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import { credentialHash, credentialPreview, newCredential } from '@sluice/contracts';
import { DomainError, newUlid } from '@sluice/kernel';
import { sealThenAppend, VAULT, type Vault } from '@sluice/vault';
import { API_KEY_SEALS, type ApiKeySecret } from './domain/api-keys';

/** Plaintexts of API keys. */
@Injectable()
export class ApiKeySecrets {
  constructor(
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Passes a fresh secret to `append`, which appends the event that names its seal; see {@link sealThenAppend}. */
  async issue<Result extends { readonly repeated: boolean }>(
    append: (secret: ApiKeySecret) => Promise<Result>,
  ): Promise<Result & { readonly plaintext: string }> {
    const plaintext = newCredential('svc_app_');
    const sealId = this.settings.apiKeyRecovery ? `${API_KEY_SEALS}${newUlid()}` : null;
    const secret = { preview: credentialPreview('svc_app_', plaintext), hash: credentialHash(plaintext), sealId };
    const result = await sealThenAppend(this.vault, sealId, Buffer.from(plaintext), () => append(secret));
    return { ...result, plaintext };
  }

  /** @throws DomainError PLAINTEXT_UNAVAILABLE */
  async plaintext(sealId: string | null): Promise<string> {
    const plaintext = sealId === null ? undefined : await this.vault.open(sealId);
    if (plaintext !== undefined) return plaintext.toString();
    throw new DomainError('PLAINTEXT_UNAVAILABLE', 'The plaintext of this API key is not kept. Rotate it instead.');
  }
}
