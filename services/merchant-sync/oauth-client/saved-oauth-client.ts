import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import {
  deleteOAuthClient,
  getOAuthClient,
  type ListingSecrets,
  type OAuthClientState,
  type RequestOf,
  saveOAuthClient,
} from '@sluice/contracts';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { VAULT, type Vault } from '@sluice/vault';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { STORE_ID } from '../settings/domain/merchant';

/** The client that requests access to a merchant account. */
export interface ClientIdentity {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The saved OAuth client, sealed, else that of the environment. */
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

  @HandlesQuery(getOAuthClient)
  async get(): Promise<OAuthClientState> {
    const found = await this.find();
    return { client_id: found?.clientId ?? null, source: found?.source ?? null };
  }

  /** In place of one that there is. */
  @HandlesCommand(saveOAuthClient)
  async save(request: RequestOf<typeof saveOAuthClient>): Promise<OAuthClientState> {
    const client: ClientIdentity = { clientId: request.client_id, clientSecret: request.client_secret };
    const sealed = Buffer.from(JSON.stringify(client));
    await this.secrets.update(STORE_ID, () => sealed);
    return { client_id: client.clientId, source: 'saved' };
  }

  /** Answers with that of the environment, which holds again. */
  @HandlesCommand(deleteOAuthClient)
  async forget(): Promise<OAuthClientState> {
    await this.secrets.delete(STORE_ID);
    return this.get();
  }

  private get secrets() {
    return this.vault.changing('oauthClients' satisfies ListingSecrets);
  }
}
