import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import { refuseForeignEvents, StateStore } from '@sluice/document-store';
import { CLOCK, type Clock, PeriodicTask, LOGGER, type Logger } from '@sluice/service-host';
import { COMMANDS, type CommandHandling, EVENT_STORE, type EventStore } from '@sluice/event-store';
import { ulidTime } from '@sluice/kernel';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { merchant, merchantStream, STORE_ID } from '../settings/domain/merchant';
import { type ConnectionTokens, SealedTokens } from './connection-tokens';
import { OAuthClient } from '../oauth-client/oauth-client';
import { OAuthStates } from './oauth-states';

/** A callback that sealed its tokens has appended its event, or given up, long before. */
const CONNECTING_MS = 600_000;
const TRIES_FOR_MS = 7 * 86_400_000;
/** Of REMOTE_RETRY_BASE_MS, between two rounds. */
const PAUSES = 600;

/**
 * Revokes the tokens that no connection refers to: those of a dropped connection, for seven days or until
 * Google confirms it; and those of a process that died before it appended their event. Replicas may run it
 * concurrently.
 *
 * A revocation ends every access that a person gave this client. So the tokens of a person who has
 * connected again are deleted without being revoked.
 */
@Injectable()
export class Revocations extends PeriodicTask {
  constructor(
    @Inject(SETTINGS) private readonly settings: MerchantSyncSettings,
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly state: StateStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) logger: Logger,
    private readonly tokens: SealedTokens,
    states: OAuthStates,
    private readonly client: OAuthClient,
  ) {
    super({
      everyMs: settings.remoteRetryBaseMs * PAUSES,
      run: async () => {
        await states.sweep();
        await this.settle();
      },
      fault: 'Revoking unused tokens failed',
      logger,
    });
  }

  /** Revokes the tokens of a dropped connection. Returns whether Google confirmed it; if not, it is retried. */
  async revoke(connectionId: string): Promise<boolean> {
    const found = await this.tokens.find(connectionId);
    if (found === undefined) return true;
    if (found === 'broken') {
      // No other try would open them.
      await this.tokens.delete(connectionId);
      return false;
    }
    const { tokens, version } = found;
    if (tokens.revokeSince === undefined) {
      await this.tokens.put(connectionId, { ...tokens, revokeSince: this.clock.now().toISOString() }, version);
      // Read them again, because a refresh or a reseal may have been faster.
      return this.revoke(connectionId);
    }
    if (!(await this.client.isConfigured()) || !(await this.client.revoke(tokens.refreshToken))) return false;
    // Tokens that a refresh wrote meanwhile have to be revoked too.
    return (await this.tokens.delete(connectionId, version)) || this.revoke(connectionId);
  }

  /**
   * One round over all tokens that no connection refers to.
   * @param replaced the connection that was just replaced
   * @throws UnavailableError when the current connection can't be read
   */
  async settle(replaced?: string): Promise<void> {
    const { events, state, settings, clock } = this;
    const { eventStorePrefix } = settings;
    await refuseForeignEvents({ sweep: 'oauth-tokens', state, events, eventStorePrefix });
    const ids = await this.tokens.ids();
    const { connection } = (await this.commands.load(merchant, merchantStream(STORE_ID))).state;
    const current = connection === null ? undefined : await this.tokens.find(connection.id);
    const now = clock.now().getTime();
    for (const id of ids) {
      if (id === connection?.id) continue;
      const found = await this.tokens.find(id);
      const dropped = typeof found === 'object' && found.tokens.revokeSince !== undefined;
      // They may be of a callback that has not appended its event yet.
      if (!dropped && id !== replaced && now - ulidTime(id) < CONNECTING_MS) continue;
      if (typeof found !== 'object') await this.tokens.delete(id);
      else if (samePerson(found.tokens, current)) await this.tokens.delete(id, found.version);
      else if (!isGivenUp(found.tokens, now)) await this.revoke(id);
    }
  }

  /** How many revocations Google has not confirmed, and how many of them are given up. */
  async unconfirmed(): Promise<{ readonly count: number; readonly givenUp: number }> {
    const now = this.clock.now().getTime();
    const found = await Promise.all((await this.tokens.ids()).map((id) => this.tokens.find(id)));
    const waiting = found.filter((entry) => typeof entry === 'object' && entry.tokens.revokeSince !== undefined);
    const givenUp = waiting.filter((entry) => typeof entry === 'object' && isGivenUp(entry.tokens, now));
    return { count: waiting.length, givenUp: givenUp.length };
  }
}

/** True also where either address is unknown: a leftover token is better than a broken connection. */
function samePerson({ email }: ConnectionTokens, current: Awaited<ReturnType<SealedTokens['find']>>): boolean {
  if (current === undefined) return false;
  return current === 'broken' || email === null || current.tokens.email === null || current.tokens.email === email;
}

function isGivenUp({ revokeSince }: ConnectionTokens, now: number): boolean {
  return revokeSince !== undefined && now - Date.parse(revokeSince) > TRIES_FOR_MS;
}
