import { Injectable } from '@nestjs/common';
import type { Diagnostic } from '@sluice/contracts';
import { DomainError } from '@sluice/kernel';
import type { Merchant, MerchantConnection } from '../settings/domain/merchant';
import { RemoteError } from '../remotes/remote-catalog';
import { diagnostic } from './diagnostic';
import { SealedTokens } from '../connection/connection-tokens';
import { Connections } from '../connection/connections';
import { CLIENT_MISSING, CONTENT_SCOPE, OAuthClient } from '../oauth-client/oauth-client';
import { toClientError } from '../connection/remote-refusals';
import { Revocations } from '../connection/revocations';

const PATIENCE_MS = 5_000;
const NOT_CONNECTED = 'Not tried: the shop is not connected.';
/** Error codes that concern the account itself. */
const ACCOUNT_FAULTS = ['account_not_chosen', 'account_inaccessible', 'remote_unavailable', 'remote_quota_exceeded'];
const NOT_REACHED = 'Not tried, because another check of the connection failed.';

/** Checks of the connection and its tokens. */
@Injectable()
export class ConnectionChecks {
  constructor(
    private readonly tokens: SealedTokens,
    private readonly client: OAuthClient,
    private readonly connections: Connections,
    private readonly revocations: Revocations,
  ) {}

  /** All checks, in a fixed order. Calls the merchant API, for a few seconds at most. */
  async run({ connection }: Pick<Merchant, 'connection'>): Promise<Diagnostic[]> {
    const hasClient = await this.client.isConfigured();
    const fault = hasClient ? await this.remoteFault(connection) : undefined;
    const found = connection === null ? null : await this.tokens.find(connection.id);
    const unconnected = connection === null ? NOT_CONNECTED : undefined;
    // Why Google can't be called at all.
    const hindrance = unconnected ?? (hasClient ? undefined : NOT_REACHED);
    const isAccountFault = fault !== undefined && ACCOUNT_FAULTS.includes(fault.code);
    return [
      diagnostic('oauth_client_missing', 'connection', {
        count: !hasClient,
        wrong: CLIENT_MISSING,
        well: 'An OAuth client is configured.',
      }),
      diagnostic('not_connected', 'connection', {
        count: connection === null,
        wrong: 'The shop is not connected to a merchant account. Connect it.',
        well: 'The shop is connected.',
      }),
      diagnostic('scope_missing', 'connection', {
        count: connection !== null && !connection.scopes.includes(CONTENT_SCOPE),
        untried: unconnected,
        wrong: `Access was granted without ${CONTENT_SCOPE}. Connect the shop again and grant everything that is requested.`,
        well: 'All requested scopes were granted.',
      }),
      diagnostic('token_undecryptable', 'tokens', {
        count: found === 'broken' || found === undefined,
        untried: unconnected,
        wrong: 'The tokens of the connection are missing or can’t be decrypted. Connect the shop again.',
        well: 'The tokens of the connection can be decrypted.',
      }),
      diagnostic('refresh_failed', 'tokens', {
        count: connection?.needsReauthorization === true || fault?.code === 'reauth_required',
        untried: hindrance,
        wrong: 'Google no longer accepts the access that was granted. Connect the shop again.',
        well: 'No token refresh was rejected.',
      }),
      diagnostic('account_inaccessible', 'connection', {
        count: isAccountFault,
        status: isAccountFault && fault.code.startsWith('remote_') ? 'warning' : 'error',
        untried: hindrance ?? (fault && NOT_REACHED),
        wrong: fault?.message ?? '',
        well: 'Sluice can access the merchant account.',
      }),
      diagnostic('remote_sunset', 'connection', {
        count: fault?.code === 'remote_api_sunset',
        untried: hindrance ?? (fault && NOT_REACHED),
        wrong: 'The configured merchant API has been shut down. Set REMOTE_CATALOG=merchant_api_v1.',
        well: 'The configured merchant API is available.',
      }),
      await this.unconfirmedRevocations(),
    ];
  }

  private async unconfirmedRevocations(): Promise<Diagnostic> {
    const { count, givenUp } = await this.revocations.unconfirmed();
    const wrong =
      givenUp > 0
        ? 'Google has not confirmed for seven days that former access is revoked. Remove Sluice from the connected apps of the Google account.'
        : 'Google has not confirmed yet that former access is revoked. Sluice retries.';
    const status = givenUp > 0 ? 'error' : 'warning';
    return diagnostic('unconfirmed_revocations', 'tokens', { count, status, wrong, well: 'No revocation is pending.' });
  }

  /** The fault that prevents calls of the merchant API now. */
  private async remoteFault(connection: MerchantConnection | null): Promise<DomainError | undefined> {
    if (connection === null) return undefined;
    const signal = AbortSignal.timeout(PATIENCE_MS);
    try {
      await this.connections.probe(connection, signal);
      return undefined;
    } catch (error) {
      const late = signal.aborted && error === signal.reason;
      const told = toClientError(late ? new RemoteError('timeout', 'It did not answer in time.') : error);
      if (told instanceof DomainError) return told;
      throw told;
    }
  }
}
