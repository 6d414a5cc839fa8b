import { Injectable } from '@nestjs/common';
import { DomainError } from '@sluice/kernel';
import type { Merchant, MerchantConnection } from '../settings/domain/merchant';
import { RemoteError } from '../remotes/remote-catalog';
import { SealedTokens } from './connection-tokens';
import { Connections } from './connections';
import { CLIENT_MISSING, CONTENT_SCOPE, OAuthClient } from '../oauth-client/oauth-client';
import { toClientError } from './remote-refusals';
import { Revocations } from './revocations';

/** One row of the diagnostics (spec 5). */
export interface Check {
  readonly id: string;
  readonly area: 'connection' | 'tokens' | 'mappings' | 'sync';
  readonly status: 'ok' | 'warning' | 'error';
  /** Whether it could be looked into. */
  readonly tried: boolean;
  /** A sentence for a person: what is wrong and what to do, that all is well, or why it could not be tried. */
  readonly message: string;
  /** How many are concerned; 0 where all is well. */
  readonly count: number;
  readonly repairable: boolean;
}

const PATIENCE_MS = 5_000;
const NOT_CONNECTED = 'Not tried: the store is not connected.';
/** What may be wrong with the account itself, as a call of it is refused. */
const ACCOUNT_FAULTS = ['account_not_chosen', 'account_inaccessible', 'remote_unavailable', 'remote_quota_exceeded'];
const NOT_REACHED = 'Not tried: what is wrong with the access hinders it.';

/** What may be wrong with the connection and its tokens. */
@Injectable()
export class ConnectionChecks {
  constructor(
    private readonly tokens: SealedTokens,
    private readonly client: OAuthClient,
    private readonly connections: Connections,
    private readonly revocations: Revocations,
  ) {}

  /** All of them, in one order. Asks the remote side, for some seconds at most. */
  async run({ connection }: Pick<Merchant, 'connection'>): Promise<Check[]> {
    const hasClient = await this.client.isConfigured();
    const fault = hasClient ? await this.remoteFault(connection) : undefined;
    const found = connection === null ? null : await this.tokens.find(connection.id);
    const unconnected = connection === null ? NOT_CONNECTED : undefined;
    // What keeps the remote side from being asked at all.
    const hindrance = unconnected ?? (hasClient ? undefined : NOT_REACHED);
    const isAccountFault = fault !== undefined && ACCOUNT_FAULTS.includes(fault.code);
    return [
      check('oauth_client_missing', 'connection', {
        fault: !hasClient,
        wrong: CLIENT_MISSING,
        well: 'An OAuth client is configured.',
      }),
      check('not_connected', 'connection', {
        fault: connection === null,
        wrong: 'The store is connected to no merchant account. Connect it.',
        well: 'The store is connected.',
      }),
      check('scope_missing', 'connection', {
        fault: connection !== null && !connection.scopes.includes(CONTENT_SCOPE),
        untried: unconnected,
        wrong: `Access was granted without ${CONTENT_SCOPE}. Connect the store again and grant all that is asked for.`,
        well: 'Nothing that is asked for was left out.',
      }),
      check('token_undecryptable', 'tokens', {
        fault: found === 'broken' || found === undefined,
        untried: unconnected,
        wrong: 'The tokens of the connection are gone or do not open. Connect the store again.',
        well: 'The tokens of the connection open.',
      }),
      check('refresh_failed', 'tokens', {
        fault: connection?.needsReauthorization === true || fault?.code === 'reauth_required',
        untried: hindrance,
        wrong: 'The remote side no longer takes the access that was granted. Connect the store again.',
        well: 'No refresh of the access was refused.',
      }),
      {
        ...check('account_inaccessible', 'connection', {
          fault: isAccountFault,
          untried: hindrance ?? (fault && NOT_REACHED),
          wrong: fault?.message ?? '',
          well: 'Nothing stands between the grant and its merchant account.',
        }),
        ...(isAccountFault && fault.code.startsWith('remote_') && { status: 'warning' }),
      },
      check('remote_sunset', 'connection', {
        fault: fault?.code === 'remote_api_sunset',
        untried: hindrance ?? (fault && NOT_REACHED),
        wrong: 'The remote interface has ended. Set REMOTE_CATALOG=merchant_api_v1.',
        well: 'The remote interface is in service.',
      }),
      await this.unconfirmedRevocations(),
    ];
  }

  private async unconfirmedRevocations(): Promise<Check> {
    const { count, givenUp } = await this.revocations.unconfirmed();
    const wrong =
      givenUp > 0
        ? 'The remote side has not confirmed for seven days that access given up is revoked. Remove Sluice from the apps of the account there.'
        : 'The remote side has not confirmed yet that access given up is revoked. It is tried again.';
    return {
      ...check('unconfirmed_revocations', 'tokens', { fault: count > 0, wrong, well: 'No revocation is open.' }),
      ...(count > 0 && { status: givenUp > 0 ? 'error' : 'warning', count }),
    };
  }

  /** What hinders calls of the remote side now. */
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

function check(
  id: string,
  area: Check['area'],
  {
    fault,
    untried,
    wrong,
    well,
  }: {
    readonly fault: boolean;
    /** Why it could not be tried. */
    readonly untried?: string | undefined;
    readonly wrong: string;
    readonly well: string;
  },
): Check {
  const told = fault
    ? ({ status: 'error', message: wrong } as const)
    : ({ status: 'ok', message: untried ?? well } as const);
  return { id, area, ...told, tried: fault || untried === undefined, count: fault ? 1 : 0, repairable: false };
}
