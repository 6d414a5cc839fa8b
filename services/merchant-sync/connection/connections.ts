import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import { CLOCK, type Clock } from '@sluice/service-host';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { DomainError, newCommandId, newUlid } from '@sluice/kernel';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import {
  merchant,
  type MerchantAccount,
  type MerchantCommand,
  type MerchantConnection,
  merchantStream,
  reauthRequired,
  requireGrant,
  STORE_ID,
} from '../settings/domain/merchant';
import {
  REMOTE_CATALOG,
  type RemoteAccess,
  type RemoteAccount,
  type RemoteCatalog,
  RemoteError,
  type RemoteOptions,
} from '../remotes/remote-catalog';
import { type ConnectionTokens, SealedTokens } from './connection-tokens';
import { toClientError } from './remote-refusals';
import { type Grant, OAuthClient, OAuthError } from '../oauth-client/oauth-client';

/** A connection that is ready for calls. */
export interface OpenConnection {
  readonly connection: MerchantConnection & { readonly account: MerchantAccount };
  readonly access: RemoteAccess;
  /** Email address of the person who granted access; null when Google does not return it. */
  readonly email: string | null;
}

/** A token that expires sooner is refreshed first. */
const MARGIN_MS = 60_000;
/** Longer than the authorization server is waited for. */
const LONGEST_REFRESH_MS = 15_000;
const LOOK_MS = 50;
/** For the account lookup while a client waits for the response. */
const QUICK: Pick<RemoteOptions, 'maxRetries'> = { maxRetries: 1 };

/** The connection to the merchant account, under which the merchant API is called. */
@Injectable()
export class Connections {
  /** By connection id. */
  private readonly refreshing = new Map<string, Promise<ConnectionTokens>>();

  constructor(
    @Inject(SETTINGS) private readonly settings: MerchantSyncSettings,
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(REMOTE_CATALOG) private readonly catalog: RemoteCatalog,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly tokens: SealedTokens,
    private readonly client: OAuthClient,
  ) {}

  /**
   * The current connection, with its account.
   * @throws DomainError not_connected, reauth_required, oauth_client_missing, account_not_chosen or
   *   account_inaccessible; RemoteError when the account lookup fails
   */
  async open(signal: AbortSignal = new AbortController().signal): Promise<OpenConnection> {
    const connection = requireGrant((await this.commands.load(merchant, merchantStream(STORE_ID))).state);
    await this.client.requireConfigured();
    const account = await this.accountOf(connection, signal);
    const found = await this.tokens.find(connection.id);
    return {
      connection: { ...connection, account },
      access: { ...this.accessOf(connection.id), accountId: account.id },
      email: typeof found === 'object' ? found.tokens.email : null,
    };
  }

  /**
   * As {@link open}, for a client that waits for the response.
   * @throws DomainError that names the obstacle
   */
  async openWithin(patienceMs: number): Promise<OpenConnection> {
    const signal = AbortSignal.timeout(patienceMs);
    try {
      return await this.open(signal);
    } catch (error) {
      const late = signal.aborted && error === signal.reason;
      throw toClientError(late ? new RemoteError('timeout', `It did not answer within ${patienceMs} ms.`) : error);
    }
  }

  /**
   * The account that syncs go to: MERCHANT_ACCOUNT_ID, else the only one that the grant reaches. It is looked up
   * when it is not stored yet, and then stored.
   * @throws DomainError account_not_chosen or account_inaccessible; RemoteError
   */
  async accountOf(connection: MerchantConnection, signal: AbortSignal): Promise<MerchantAccount> {
    const wanted = this.settings.merchantAccountId;
    if (connection.account !== null && (wanted ?? connection.account.id) === connection.account.id) {
      return connection.account;
    }
    const account = chosen(wanted, await this.reachable(connection.id, wanted, signal));
    await this.give({ type: 'ChooseAccount', connectionId: connection.id, account });
    return account;
  }

  /**
   * Calls the merchant API to check that the connection and its account work.
   * @throws DomainError or RemoteError that describes the fault
   */
  async probe(connection: MerchantConnection, signal: AbortSignal): Promise<void> {
    if (connection.needsReauthorization) throw reauthRequired();
    const wanted = this.settings.merchantAccountId ?? connection.account?.id;
    chosen(wanted, await this.reachable(connection.id, wanted, signal));
  }

  /** Access by the tokens that are sealed under a connection's id. */
  accessOf(connectionId: string): Omit<RemoteAccess, 'accountId'> {
    return {
      accessToken: async (rejected) => (await this.current(connectionId, rejected)).accessToken,
      refused: async () => {
        await this.give({ type: 'RequireReauthorization', connectionId });
        throw grantGone();
      },
    };
  }

  private async reachable(
    connectionId: string,
    wanted: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly RemoteAccount[]> {
    try {
      return await this.catalog.accounts(this.accessOf(connectionId), { ...QUICK, signal });
    } catch (error) {
      // No account is listed before one has registered the client, which needs the account's name.
      const unregistered = error instanceof RemoteError && error.detail.reason === 'GCP_NOT_REGISTERED';
      if (unregistered && wanted !== undefined) return [{ id: wanted, name: wanted }];
      throw error;
    }
  }

  /** @throws RemoteError */
  private async current(connectionId: string, rejected: string | undefined): Promise<ConnectionTokens> {
    const { tokens } = await this.sealed(connectionId);
    if (this.isGood(tokens, rejected)) return tokens;
    const running = this.refreshing.get(connectionId);
    if (running !== undefined) return running;
    const flight = this.refresh(connectionId, rejected).finally(() => this.refreshing.delete(connectionId));
    this.refreshing.set(connectionId, flight);
    return flight;
  }

  private isGood({ accessToken, expiresAt }: ConnectionTokens, rejected: string | undefined): boolean {
    return accessToken !== rejected && expiresAt - MARGIN_MS > this.clock.now().getTime();
  }

  /**
   * Fetches an access token, one process at a time, because a refresh token may be single-use. A new refresh
   * token in the response is sealed before anything else happens.
   */
  private async refresh(connectionId: string, rejected: string | undefined): Promise<ConnectionTokens> {
    for (;;) {
      const { tokens, version } = await this.sealed(connectionId);
      if (this.isGood(tokens, rejected)) return tokens;
      if (tokens.refreshedBy !== undefined && (await this.changed(connectionId, version))) continue;
      const refreshedBy = newUlid();
      if (!(await this.tokens.put(connectionId, { ...tokens, refreshedBy }, version))) continue;
      const outcome = await this.client.refresh(tokens.refreshToken).catch((error: unknown) => error);
      const grant = outcome instanceof Error ? {} : (outcome as Grant);
      const kept = await this.keep(connectionId, tokens, grant);
      if (!(outcome instanceof Error)) return kept;
      if (!(outcome instanceof OAuthError)) throw outcome;
      if (outcome.fault === 'unavailable') throw new RemoteError('unavailable', outcome.message);
      if (outcome.fault === 'invalid_client') throw new RemoteError('forbidden', outcome.message);
      if (kept.refreshToken !== tokens.refreshToken) continue;
      await this.give({ type: 'RequireReauthorization', connectionId });
      throw grantGone();
    }
  }

  /** Seals the refreshed tokens unless another writer was faster, and returns the tokens that are sealed then. */
  private async keep(connectionId: string, used: ConnectionTokens, grant: Partial<Grant>): Promise<ConnectionTokens> {
    for (;;) {
      const found = await this.tokens.find(connectionId);
      if (typeof found !== 'object') {
        // The connection was dropped meanwhile, and its end knew the former token alone. Whether this one may
        // be revoked is seen from who is connected by then.
        if (grant.refreshToken !== undefined) {
          const revokeSince = this.clock.now().toISOString();
          await this.tokens.put(connectionId, { ...used, refreshToken: grant.refreshToken, revokeSince }, 'absent');
        }
        throw grantGone();
      }
      const { tokens, version } = found;
      if (tokens.refreshToken !== used.refreshToken) return tokens;
      const next: ConnectionTokens = {
        refreshToken: grant.refreshToken ?? used.refreshToken,
        accessToken: grant.accessToken ?? tokens.accessToken,
        expiresAt: grant.expiresAt ?? tokens.expiresAt,
        email: tokens.email,
        ...(tokens.revokeSince !== undefined && { revokeSince: tokens.revokeSince }),
      };
      if (await this.tokens.put(connectionId, next, version)) return next;
    }
  }

  /** Waits while another process refreshes; false when that process must have died. */
  private async changed(connectionId: string, version: number): Promise<boolean> {
    const until = this.clock.monotonic() + LONGEST_REFRESH_MS;
    while (this.clock.monotonic() < until) {
      await delay(LOOK_MS);
      if ((await this.sealed(connectionId)).version !== version) return true;
    }
    return false;
  }

  /** @throws RemoteError reauth_required when there are no tokens, or none that can be decrypted */
  private async sealed(connectionId: string) {
    const found = await this.tokens.find(connectionId);
    if (found === undefined || found === 'broken') throw grantGone();
    return found;
  }

  private async give(command: MerchantCommand): Promise<void> {
    const context = { actor: 'system:connection', commandId: newCommandId() };
    await this.commands.handle(merchant, merchantStream(STORE_ID), command, context);
  }
}

function grantGone(): RemoteError {
  return new RemoteError('reauth_required', 'The access that was granted is no longer valid.');
}

function chosen(wanted: string | undefined, accounts: readonly RemoteAccount[]): MerchantAccount {
  const [first, ...others] = wanted === undefined ? accounts : accounts.filter(({ id }) => id === wanted);
  if (first === undefined) {
    throw new DomainError(
      'account_inaccessible',
      wanted === undefined
        ? 'The Google user has access to no merchant account. Connect as a user who has one.'
        : `The grant does not reach the merchant account ${wanted} that is set or was chosen. Connect as a person who may use it.`,
    );
  }
  if (others.length > 0) {
    const ids = accounts.map(({ id }) => id).slice(0, 20);
    throw new DomainError(
      'account_not_chosen',
      `The Google user has access to several merchant accounts. Set MERCHANT_ACCOUNT_ID to one of them: ${ids.join(', ')}.`,
    );
  }
  return { id: first.id, name: first.name };
}
