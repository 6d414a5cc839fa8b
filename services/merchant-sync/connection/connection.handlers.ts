import { Inject, Injectable } from '@nestjs/common';
import {
  type Caller,
  completeConnect,
  connectMerchant,
  disconnectMerchant,
  getMerchantAccount,
  getMerchantConnection,
  type RequestOf,
} from '@sluice/contracts';
import { type CommandHandling, COMMANDS } from '@sluice/event-store';
import { DomainError, newUlid } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { CLOCK, type Clock } from '@sluice/service-host';
import { type Grant, OAuthClient, OAuthError } from '../oauth-client/oauth-client';
import { REMOTE_CATALOG, type RemoteCatalog } from '../remotes/remote-catalog';
import { type ListingsModule, merchant, merchantStream, STORE_ID } from '../settings/domain/merchant';
import { FIRST_VALUES, SavedSettings } from '../settings/saved-settings';
import { SealedTokens } from './connection-tokens';
import { Connections } from './connections';
import { type BegunConnect, OAuthStates } from './oauth-states';
import { Revocations } from './revocations';

/** For the account lookup in the callback: a person waits, and a later lookup can find the account as well. */
const LOOK_PATIENCE_MS = 5_000;
/** For a client that requests the account. */
const ACCOUNT_PATIENCE_MS = 8_000;

/** The calls that concern the connection to a merchant account. */
@Injectable()
export class ConnectionHandlers {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(FIRST_VALUES) private readonly firstValues: ListingsModule,
    @Inject(REMOTE_CATALOG) private readonly catalog: RemoteCatalog,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly saved: SavedSettings,
    private readonly states: OAuthStates,
    private readonly client: OAuthClient,
    private readonly tokens: SealedTokens,
    private readonly connections: Connections,
    private readonly revocations: Revocations,
  ) {}

  @HandlesQuery(getMerchantConnection)
  async get() {
    const { connection } = await this.saved.ofWorkingModule();
    if (connection === null) return { connected: false, email: null };
    const found = await this.tokens.find(connection.id);
    return { connected: true, email: typeof found === 'object' ? found.tokens.email : null };
  }

  @HandlesQuery(getMerchantAccount)
  async account() {
    await this.saved.ofWorkingModule();
    const { account } = (await this.connections.openWithin(ACCOUNT_PATIENCE_MS)).connection;
    return { account_id: account.id, name: account.name };
  }

  @HandlesCommand(connectMerchant)
  async connect(request: RequestOf<typeof connectMerchant>, { actor }: Caller) {
    await this.saved.ofWorkingModule();
    await this.client.requireConfigured();
    const begun = await this.states.begin(request.redirect_uri, actor);
    return { authorization_url: await this.client.authorizationUrl(begun) };
  }

  @HandlesCommand(completeConnect)
  async complete(request: RequestOf<typeof completeConnect>, caller: Caller) {
    // The first call with a state consumes it, also while the module is off.
    const begun = request.state === undefined ? undefined : await this.states.take(request.state);
    await this.saved.ofWorkingModule();
    if (begun === undefined) throw invalidState();
    const grant = await this.grantFor(request, begun);
    const email = await this.client.email(grant.accessToken);

    const id = newUlid();
    const { accessToken, expiresAt, refreshToken } = grant;
    await this.tokens.put(id, { refreshToken, accessToken, expiresAt, email }, 'absent');
    const connectedAt = this.clock.now().toISOString();
    const connection = { id, connectedAt, adapter: this.catalog.adapter, scopes: grant.scopes };
    const command = { type: 'Connect', connection, firstValues: this.firstValues } as const;
    const before = await this.commands.load(merchant, merchantStream(STORE_ID));
    const { state } = await this.commands.handle(merchant, merchantStream(STORE_ID), command, {
      ...caller,
      actor: begun.actor,
    });
    // Neither may fail the connection, because both are retried later.
    await this.revocations.settle(before.state.connection?.id).catch(() => undefined);
    const patience = AbortSignal.timeout(LOOK_PATIENCE_MS);
    if (state.connection !== null) await this.connections.accountOf(state.connection, patience).catch(() => undefined);
    return { connected: true as const, email };
  }

  @HandlesCommand(disconnectMerchant)
  async disconnect(_request: RequestOf<typeof disconnectMerchant>, caller: Caller) {
    await this.saved.ofWorkingModule();
    const command = { type: 'Disconnect' } as const;
    const { events } = await this.commands.handle(merchant, merchantStream(STORE_ID), command, caller);
    for (const { type, data } of events) {
      if (type === 'MerchantDisconnected' && !(await this.revocations.revoke(data.connectionId))) {
        return { revocation: 'unconfirmed' as const };
      }
    }
    return { revocation: 'confirmed' as const };
  }

  /** @throws DomainError access_denied, invalid_state, remote_unavailable or oauth_client_missing */
  private async grantFor(
    { code, error }: RequestOf<typeof completeConnect>,
    { redirectUri, verifier }: BegunConnect,
  ): Promise<Grant & { readonly refreshToken: string }> {
    if (error !== undefined) throw refusedThere(error);
    if (code === undefined) throw invalidState();
    const { refreshToken, ...grant } = await this.client
      .exchange({ code, redirectUri, verifier })
      .catch((fault: unknown) => {
        throw fault instanceof OAuthError ? toGrantError(fault) : fault;
      });
    if (refreshToken === undefined) {
      throw new DomainError(
        'access_denied',
        'Google granted access only temporarily (no refresh token). Remove Sluice from the connected apps of the Google account, and connect again.',
      );
    }
    return { ...grant, refreshToken };
  }
}

function invalidState(): DomainError {
  return new DomainError(
    'invalid_state',
    'This way to a connection was not begun here, or is used up, or took longer than ten minutes. Connect again.',
  );
}

/** By the `error` that the browser was sent back with. */
function refusedThere(error: string): DomainError {
  if (error === 'server_error' || error === 'temporarily_unavailable') {
    return new DomainError('remote_unavailable', 'Google could not grant access now. Connect again.');
  }
  return new DomainError('access_denied', 'Google did not grant access. Connect again to grant it.');
}

function toGrantError({ fault, message }: OAuthError): DomainError {
  switch (fault) {
    case 'invalid_grant':
      return new DomainError('access_denied', 'Google rejected the code that it had sent. Connect again.');
    case 'invalid_client':
      return new DomainError('oauth_client_missing', message);
    case 'unavailable':
      return new DomainError('remote_unavailable', message);
  }
}
