import { Inject, Injectable } from '@nestjs/common';
import type { AccessToken, Caller } from '@sluice/contracts';
import { ReadStore, StateStore } from '@sluice/document-store';
import { CLOCK } from '@sluice/service-host';
import { COMMANDS, type CommandHandling, type Handled } from '@sluice/event-store';
import { type Clock, stableUuid, ValidationError } from '@sluice/kernel';
import { dropFormerSeals, VAULT, type Vault } from '@sluice/vault';
import { apps, appsOf, APPS_STREAM } from '../apps/domain/apps';
import { type ChangeToken, type ExistingToken, token, type Token, type TokenEvent, tokenStream } from './domain/token';
import { type TokenRow, tokenRows, tokensProjection } from './tokens.projection';
import { tokenResource } from './token-resource';
import { lastUses } from './token-usage';

/** Access tokens as their streams have them. */
@Injectable()
export class Tokens {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly stateStore: StateStore,
    private readonly readStore: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(VAULT) private readonly vault: Vault,
  ) {}

  /** Carries the command out, and drops the secret that it made useless. */
  async change(id: number, command: ChangeToken, caller: Caller): Promise<Handled<Token, TokenEvent>> {
    const handled = await this.commands.handle(token, tokenStream(id), command, caller);
    await dropFormerSeals(this.vault, handled.events);
    return handled;
  }

  /** How many tokens of the owner are neither revoked nor expired. */
  async countActive(ownerId: number): Promise<number> {
    const now = this.clock.now().getTime();
    const rows = await this.unrevoked(ownerId);
    return rows.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > now).length;
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

  async resource(state: ExistingToken): Promise<AccessToken> {
    const ownersApps = appsOf((await this.commands.load(apps, APPS_STREAM)).state, state.ownerId);
    const [lastUsedAt = null] = await lastUses(this.stateStore, [state.id]);
    return tokenResource(state, ownersApps, this.clock.now(), lastUsedAt);
  }

  /**
   * Answers the highest id that any app was given so far.
   * @throws ValidationError for apps that are not the owner's, and for each of `unknown`
   */
  async requireApps(ownerId: number, ids: readonly number[], unknown: readonly string[] = []): Promise<number> {
    const { state } = await this.commands.load(apps, APPS_STREAM);
    const foreign = ids.filter((id) => state.registered.get(id)?.ownerId !== ownerId);
    if (foreign.length === 0 && unknown.length === 0) return state.lastId;
    throw new ValidationError({
      apps: [...unknown.map((name) => `There is no app "${name}".`), ...foreign.map((id) => `There is no app ${id}.`)],
    });
  }
}
