import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import type { ListingSecrets } from '@sluice/contracts';
import { VAULT, type Vault } from '@sluice/vault';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { STORE_ID } from '../settings/domain/merchant';

/** As whom access to a merchant account is asked for. */
export interface ClientIdentity {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The OAuth client that was saved, sealed, else that of the environment (spec 5, OAuth). */
@Injectable()
export class SavedOAuthClient {
  constructor(
    @Inject(SETTINGS) private readonly settings: Pick<MerchantSyncSettings, 'oauthClientId' | 'oauthClientSecret'>,
    @Inject(VAULT) private readonly vault: Vault,
  ) {}

  /** @throws SealBrokenError when no key opens the one that was saved */
  async find(): Promise<(ClientIdentity & { readonly source: 'saved' | 'environment' }) | undefined> {
    const found = await this.secrets.open(STORE_ID);
    if (found !== undefined) {
      return { ...(JSON.parse(found.secret.toString()) as ClientIdentity), source: 'saved' };
    }
    const { oauthClientId: clientId, oauthClientSecret: clientSecret } = this.settings;
    if (clientId === undefined || clientSecret === undefined) return undefined;
    return { clientId, clientSecret, source: 'environment' };
  }

  /** In place of one that there is. */
  async save({ clientId, clientSecret }: ClientIdentity): Promise<void> {
    const sealed = Buffer.from(JSON.stringify({ clientId, clientSecret } satisfies ClientIdentity));
    await this.secrets.update(STORE_ID, () => sealed);
  }

  async forget(): Promise<void> {
    await this.secrets.delete(STORE_ID);
  }

  private get secrets() {
    return this.vault.changing('oauthClients' satisfies ListingSecrets);
  }
}
