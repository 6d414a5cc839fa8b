import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  type AccessToken,
  type Caller,
  createToken,
  editToken,
  getToken,
  listTokens,
  recordTokenUse,
  type RequestOf,
  revokeToken,
  rotateToken,
} from '@sluice/contracts';
import { findPage, ReadStore, StateStore } from '@sluice/document-store';
import { COMMANDS, type CommandHandling, createSequence, type Handled, type Sequence } from '@sluice/event-store';
import { type Clock, DomainError, KeyedMutex, stableUuid, ValidationError } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { CLOCK } from '@sluice/service-host';
import { dropFormerSeals, VAULT, type Vault } from '@sluice/vault';
import { appRows, appsProjection } from '../apps/apps.projection';
import { apps, appsOf, APPS_STREAM, type RegisteredApp } from '../apps/domain/apps';
import {
  type ChangeToken,
  type ExistingToken,
  ownedToken,
  token,
  type Token,
  type TokenEvent,
  tokenStream,
} from './domain/token';
import { OneTimeSecrets } from './one-time-secrets';
import { lastUses, recordUses } from './token-usage';
import { type TokenRow, tokenRows, tokensProjection } from './tokens.projection';

@Injectable()
export class TokenHandlers {
  private readonly ids: Sequence;
  private readonly owners = new KeyedMutex();

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly readStore: ReadStore,
    private readonly stateStore: StateStore,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'tokenLimit'>,
    private readonly secrets: OneTimeSecrets,
  ) {
    this.ids = createSequence({ commands, name: 'tokens' });
  }

  /** One after another for each owner, so that they count each other. */
  @HandlesCommand(createToken)
  create({ unknownApps, ...grant }: RequestOf<typeof createToken>, caller: Caller) {
    const { ownerId } = grant;
    return this.owners.run(String(ownerId), async () => {
      // What is there already needs no app that is there still.
      if (!(await this.isIssued(caller))) {
        await this.requireApps(ownerId, grant.apps, unknownApps);
        await this.requireRoom(ownerId);
      }
      const id = await this.ids.of(caller);
      const { state, repeated, plaintext } = await this.secrets.issue('svc_pat_', caller, ({ hash, sealId }) => {
        const command = { type: 'IssueToken', grant: { ...grant, id }, secret: { hash, sealId } } as const;
        return this.commands.handle(token, tokenStream(id), command, caller);
      });
      const issued = ownedToken(state, ownerId);
      const shown = repeated ? await this.secrets.plaintext(issued.sealId) : plaintext;
      return { ...(await this.resource(issued)), token: shown };
    });
  }

  /** Whether the command was given before. */
  private async isIssued(caller: Caller): Promise<boolean> {
    const id = await this.ids.given(caller);
    return id !== undefined && (await this.commands.repeat(token, tokenStream(id), caller)) !== undefined;
  }

  /** Replicas that create tokens of one owner simultaneously may pass the limit by one each. @throws DomainError */
  private async requireRoom(ownerId: number): Promise<void> {
    const { tokenLimit } = this.settings;
    const now = this.clock.now();
    const active = (await this.unrevoked(ownerId)).filter(({ expiresAt }) => !isPast(expiresAt, now));
    if (active.length < tokenLimit) return;
    throw new DomainError(
      'TOKEN_LIMIT_REACHED',
      `The owner has ${tokenLimit} active tokens and can have no more. Revoke one that is no longer used.`,
      { limit: tokenLimit },
    );
  }

  @HandlesQuery(listTokens)
  async list({ ownerId, ...page }: RequestOf<typeof listTokens>) {
    const tokens = this.readStore.view(tokensProjection.name, tokenRows);
    const apps = this.readStore.view(appsProjection.name, appRows);
    const [{ rows, total }, owned] = await Promise.all([
      findPage(tokens, { where: { ownerId }, sort: [['number', 'asc']], ...page }),
      apps.find({ where: { ownerId }, sort: [['number', 'asc']] }),
    ]);
    const ownersApps = owned.map((row) => ({ id: row.number, tokenId: row.tokenId }));
    const now = this.clock.now();
    const ids = rows.map((row) => row.number);
    const used = await lastUses(this.stateStore, ids);
    const items = rows.map((row, index) =>
      tokenResource({ ...row, id: row.number }, ownersApps, now, used[index] ?? null),
    );
    return { items, total };
  }

  @HandlesQuery(getToken)
  async get({ id, ownerId }: RequestOf<typeof getToken>): Promise<AccessToken> {
    const { state } = await this.commands.load(token, tokenStream(id));
    return this.resource(ownedToken(state, ownerId));
  }

  @HandlesCommand(recordTokenUse)
  async recordUse({ uses }: RequestOf<typeof recordTokenUse>) {
    await recordUses(this.stateStore, uses);
    return {};
  }

  @HandlesCommand(editToken)
  async edit({ id, ownerId, reach: wanted, ...changes }: RequestOf<typeof editToken>, caller: Caller) {
    const ownAppsAfter = await this.requireApps(ownerId, wanted?.apps ?? []);
    const reach = wanted && { ...wanted, ownAppsAfter };
    const { state } = await this.change(id, { type: 'EditToken', ownerId, ...changes, reach }, caller);
    return this.resource(ownedToken(state, ownerId));
  }

  @HandlesCommand(rotateToken)
  async rotate({ id, ownerId }: RequestOf<typeof rotateToken>, caller: Caller) {
    const { state, repeated, plaintext } = await this.secrets.issue('svc_pat_', caller, ({ hash, sealId }) =>
      this.change(id, { type: 'RotateToken', ownerId, secret: { hash, sealId } }, caller),
    );
    const rotated = ownedToken(state, ownerId);
    const shown = repeated ? await this.secrets.plaintext(rotated.sealId) : plaintext;
    return { ...(await this.resource(rotated)), token: shown };
  }

  @HandlesCommand(revokeToken)
  async revoke({ id, ownerId }: RequestOf<typeof revokeToken>, caller: Caller): Promise<AccessToken> {
    const { state } = await this.change(id, { type: 'RevokeToken', ownerId }, caller);
    return this.resource(ownedToken(state, ownerId));
  }

  async revokeAll(ownerId: number, caller: Caller): Promise<void> {
    for (const { number } of await this.unrevoked(ownerId)) {
      const commandId = stableUuid('revoke', caller.commandId, String(number));
      await this.change(number, { type: 'RevokeToken', ownerId }, { ...caller, commandId });
    }
  }

  private unrevoked(ownerId: number): Promise<TokenRow[]> {
    return this.readStore.view(tokensProjection.name, tokenRows).find({ where: { ownerId, revoked: false } });
  }

  /** Carries the command out, and drops the secret that it made useless. */
  private async change(id: number, command: ChangeToken, caller: Caller): Promise<Handled<Token, TokenEvent>> {
    const handled = await this.commands.handle(token, tokenStream(id), command, caller);
    await dropFormerSeals(this.vault, handled.events);
    return handled;
  }

  private async resource(state: ExistingToken): Promise<AccessToken> {
    const ownersApps = appsOf((await this.commands.load(apps, APPS_STREAM)).state, state.ownerId);
    const [lastUsedAt = null] = await lastUses(this.stateStore, [state.id]);
    return tokenResource(state, ownersApps, this.clock.now(), lastUsedAt);
  }

  /**
   * Answers the highest id that any app was given so far.
   * @throws ValidationError for apps that are not the owner's, and for each of `unknown`
   */
  private async requireApps(ownerId: number, ids: readonly number[], unknown: readonly string[] = []): Promise<number> {
    const { state } = await this.commands.load(apps, APPS_STREAM);
    const foreign = ids.filter((id) => state.registered.get(id)?.ownerId !== ownerId);
    if (foreign.length === 0 && unknown.length === 0) return state.lastId;
    throw new ValidationError({
      apps: [...unknown.map((name) => `There is no app "${name}".`), ...foreign.map((id) => `There is no app ${id}.`)],
    });
  }
}

/**
 * The access token of the API. Its apps are those of `ownersApps` that it reaches: all of them, or
 * those selected for it and those that it registered since they were selected.
 */
function tokenResource(
  token: Omit<ExistingToken, 'sealId'>,
  ownersApps: readonly Pick<RegisteredApp, 'id' | 'tokenId'>[],
  now: Date,
  /** ISO 8601. */
  lastUsedAt: string | null,
): AccessToken {
  const isOwn = (app: (typeof ownersApps)[number]) => app.tokenId === token.id && app.id > token.ownAppsAfter;
  const reached = ownersApps.filter((app) => token.allApps || token.apps.includes(app.id) || isOwn(app));
  return {
    id: token.id,
    name: token.name,
    permissions: [...token.permissions],
    all_apps: token.allApps,
    apps: reached.map((app) => app.id),
    status: token.revoked ? 'revoked' : isPast(token.expiresAt, now) ? 'expired' : 'active',
    last_used_at: lastUsedAt,
    expires_at: token.expiresAt,
    created_at: token.createdAt,
  };
}

function isPast(time: string | null, now: Date): boolean {
  return time !== null && Date.parse(time) <= now.getTime();
}
