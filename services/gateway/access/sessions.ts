import { createHmac, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '@sluice/config';
import { type Collection, type Row, type Rows, StateStore } from '@sluice/document-store';
import type { DataKeyName } from '@sluice/contracts';
import { CLOCK, PeriodicTask, PUBLIC_URL, type Clock, type PublicUrl, LOGGER, type Logger } from '@sluice/service-host';
import { DomainError } from '@sluice/kernel';
import { type DataKey, VAULT, type Vault } from '@sluice/vault';
import type { FastifyRequest } from 'fastify';
import type { GatewaySettings } from '../config/gateway.settings';
import type { AccessState, KnownOwner } from './access-state';
import { listingsBase } from '../listings/plane/namespace';

/** An owner's login. `id` is the HMAC of the cookie's secret under the data key version that it names; times are milliseconds since the epoch. */
interface SessionRow extends Row {
  readonly ownerId: number;
  /** SHA-256 of the owner key at login. Rotating the key ends the session. */
  readonly keyHash: string;
  readonly startedAt: number;
  readonly endsAt: number;
}

export const sessions: Collection<SessionRow> = {
  name: 'sessions',
  indexes: [{ fields: ['endsAt'] }, { fields: ['ownerId', 'endsAt'] }],
};

/** An active login. */
export interface Session {
  readonly id: string;
  /** When it ends unless it is used earlier, in milliseconds since the epoch. */
  readonly endsAt: number;
  /** The only origin from which it may make changes. */
  readonly origin: string;
}

export const SESSION_COOKIE = 'sluice_session';
export const CSRF_HEADER = 'X-Sluice-CSRF';
const DATA_KEY = 'sessions' satisfies DataKeyName;
const SWEEP_MS = 60_000;
/** Per owner. */
const MAX_SESSIONS = 100;
/** Fraction of the idle time: a use within it is not worth a write. */
const UNWRITTEN = 1 / 20;

/**
 * Sessions of owners, in the state store. They end by idle time, by age, by logout and by a rotation of
 * the owner's key, in each case immediately on every gateway: nothing of them is kept in memory.
 */
@Injectable()
export class Sessions extends PeriodicTask {
  private readonly rows: Rows<SessionRow>;
  private readonly idleMs: number;
  private readonly ageMs: number;
  /** Of the planes that take a session; the management plane never sees the cookie. */
  private readonly cookiePaths: readonly string[];

  constructor(
    state: StateStore,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) settings: GatewaySettings,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({
      everyMs: SWEEP_MS,
      run: () => this.rows.deleteWhere({ endsAt: { lte: clock.now().getTime() } }),
      fault: 'Could not sweep ended sessions',
      logger,
    });
    this.rows = state.rows(sessions);
    this.idleMs = settings.sessionIdleSeconds * 1_000;
    this.ageMs = settings.sessionMaxSeconds * 1_000;
    this.cookiePaths = ['/api/dashboard/v1', listingsBase(settings.pluginNamespace)];
  }

  /** The URL under which browsers reach the server. */
  get origin(): string {
    return new URL(this.publicUrl()).origin;
  }

  /** Returns the session and the secret for its cookie. If an owner has too many sessions, those that expire first are deleted. */
  async begin(owner: KnownOwner): Promise<{ readonly session: Session; readonly secret: string }> {
    // The same form as other secrets, so that the log masks it wherever it appears.
    const { newest } = await this.vault.dataKeys(DATA_KEY);
    const secret = `svc_ses_${randomBytes(32).toString('hex')}${newest.version === 1 ? '' : `_${newest.version}`}`;
    const startedAt = this.clock.now().getTime();
    const row = { id: idOf(secret, newest), ownerId: owner.id, keyHash: owner.hash, startedAt };
    const endsAt = this.endOf(startedAt);
    await this.rows.put({ ...row, endsAt }, 'absent');
    const sort = [['endsAt', 'desc']] as const;
    const beyond = await this.rows.find({ where: { ownerId: owner.id }, sort, offset: MAX_SESSIONS });
    for (const { id } of beyond) await this.rows.delete(id);
    return { session: { id: row.id, endsAt, origin: this.origin }, secret };
  }

  /** The session of a cookie's secret; counts as a use. @throws DomainError SESSION_ENDED */
  async find(secret: string, state: AccessState): Promise<{ readonly owner: KnownOwner; readonly session: Session }> {
    // The data key version follows the random part. Without one, it is version 1.
    const version = Number(/^svc_ses_[0-9a-f]{64}_([1-9]\d{0,8})$/.exec(secret)?.[1] ?? 1);
    const key = await (await this.vault.dataKeys(DATA_KEY)).find(version);
    const found = key && (await this.rows.getVersioned(idOf(secret, key)));
    const owner = found && state.ownerById(found.row.ownerId);
    if (found === undefined || owner?.hash !== found.row.keyHash || found.row.endsAt <= this.clock.now().getTime()) {
      throw new DomainError('SESSION_ENDED', 'The session has ended or does not exist. Log in again.');
    }
    const endsAt = this.endOf(found.row.startedAt);
    if (endsAt - found.row.endsAt > this.idleMs * UNWRITTEN) {
      // Conditional, so that a simultaneous logout is not undone.
      await this.rows.put({ ...found.row, endsAt }, found.version);
    }
    return { owner, session: { id: found.row.id, endsAt, origin: this.origin } };
  }

  /** Whether a session is active; does not count as a use. */
  async goesOn({ id }: Session): Promise<boolean> {
    const row = await this.rows.get(id);
    return row !== undefined && row.endsAt > this.clock.now().getTime();
  }

  async end({ id }: Session): Promise<void> {
    await this.rows.delete(id);
  }

  /** Ends the sessions of every owner; returns how many there were. */
  endAll(): Promise<number> {
    return this.rows.deleteWhere({});
  }

  /** The Set-Cookie values that set the secret in the browser, or delete it if none is given. */
  cookies(secret?: string): string[] {
    const secure = this.origin.startsWith('https:') ? '; Secure' : '';
    const name = this.cookieName;
    const life = secret === undefined ? 0 : this.ageMs / 1_000;
    return this.cookiePaths.map(
      (path) => `${name}=${secret ?? ''}; Path=${path}; Max-Age=${life}; HttpOnly; SameSite=Strict${secure}`,
    );
  }

  /** The secret of the session cookie, as it was sent. */
  secretOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
    const wanted = this.cookieName;
    for (const pair of headers.cookie?.split(';') ?? []) {
      const [name, value] = pair.trim().split('=', 2);
      if (name === wanted && value !== undefined && value !== '') return value;
    }
    return undefined;
  }

  /** With this prefix, browsers accept the cookie only over https, so that no other page of the domain can set one. */
  private get cookieName(): string {
    return this.origin.startsWith('https:') ? `__Secure-${SESSION_COOKIE}` : SESSION_COOKIE;
  }

  private endOf(startedAt: number): number {
    return Math.min(this.clock.now().getTime() + this.idleMs, startedAt + this.ageMs);
  }
}

function idOf(secret: string, { key }: DataKey): string {
  return createHmac('sha256', key).update(secret).digest('hex');
}

/**
 * Of a request by cookie, a change counts only when a page of the server itself made it: `Origin`, or
 * without it `Sec-Fetch-Site`, says so, and it carries a header that no form can send.
 * @throws DomainError CSRF_REFUSED
 */
export function refuseForged({ method, headers }: FastifyRequest, { origin }: Session): void {
  if (method === 'GET' || method === 'HEAD') return;
  const own = headers.origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : headers.origin === origin;
  if (own && headers[CSRF_HEADER.toLowerCase()] !== undefined) return;
  throw new DomainError(
    'CSRF_REFUSED',
    `A change with a session cookie must come from a page of ${origin} (PUBLIC_URL) and send the header ${CSRF_HEADER}.`,
  );
}

/** A page of another site could otherwise log the browser in as another owner. @throws DomainError CSRF_REFUSED */
export function refuseForeignLogin({ headers }: FastifyRequest, origin: string): void {
  const site = headers['sec-fetch-site'];
  if (headers.origin === undefined ? site === undefined || site === 'same-origin' : headers.origin === origin) return;
  throw new DomainError('CSRF_REFUSED', `A browser must log in from a page of ${origin} (PUBLIC_URL).`);
}
