import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Collection, type DocumentStore, type Row, STATE_STORE } from '@sluice/document-store';
import { CLOCK, type Clock } from '@sluice/engines';
import { VAULT, type Vault } from '@sluice/vault';

/** A way to a connection that was begun; its id is the SHA-256 of its state. */
interface StateRow extends Row {
  readonly redirectUri: string;
  /** Who began it. */
  readonly actor: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export const oauthStates: Collection<StateRow> = { name: 'oauthStates', indexes: [{ fields: ['expiresAt'] }] };

const LIFETIME_MS = 600_000;

export interface BegunConnect extends Pick<StateRow, 'redirectUri' | 'actor'> {
  /** Of PKCE. */
  readonly verifier: string;
}

/** States of 256 bits that each work once, for ten minutes (spec 5, OAuth). */
@Injectable()
export class OAuthStates {
  constructor(
    @Inject(STATE_STORE) private readonly stateStore: DocumentStore,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The address is kept in its normal form: the code is exchanged by that, and it has to be the same. */
  async begin(address: string, actor: string): Promise<BegunConnect & { readonly state: string }> {
    const redirectUri = new URL(address).href;
    const state = randomBytes(32).toString('base64url');
    const expiresAt = this.clock.now().getTime() + LIFETIME_MS;
    await this.rows.put({ id: hashOf(state), redirectUri, actor, expiresAt }, 'absent');
    return { state, redirectUri, actor, verifier: await this.verifierOf(state) };
  }

  /** Uses it up. Undefined when there is no such state, or when it is used or too old. */
  async take(state: string): Promise<BegunConnect | undefined> {
    const row = await this.rows.get(hashOf(state));
    if (row === undefined || !(await this.rows.delete(row.id))) return undefined;
    if (row.expiresAt <= this.clock.now().getTime()) return undefined;
    return { redirectUri: row.redirectUri, actor: row.actor, verifier: await this.verifierOf(state) };
  }

  /** Deletes those that are too old. */
  sweep(): Promise<number> {
    return this.rows.deleteWhere({ expiresAt: { lte: this.clock.now().getTime() } });
  }

  private get rows() {
    return this.stateStore.rows(oauthStates);
  }

  /** Nobody without the data key can tell it from the state, so that it need not be kept. */
  private async verifierOf(state: string): Promise<string> {
    return createHmac('sha256', await this.vault.dataKey('oauth-verifiers'))
      .update(state)
      .digest('base64url');
  }
}

const hashOf = (state: string): string => createHash('sha256').update(state).digest('hex');
