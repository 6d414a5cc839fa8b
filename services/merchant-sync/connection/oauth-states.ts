import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Collection, type Row, StateStore } from '@sluice/document-store';
import type { DataKeyName } from '@sluice/contracts';
import { CLOCK, type Clock } from '@sluice/service-host';
import { type DataKey, VAULT, type Vault } from '@sluice/vault';

/** A pending connection attempt; its id is the SHA-256 of its state. */
interface StateRow extends Row {
  readonly redirectUri: string;
  /** The caller who started it. */
  readonly actor: string;
  /** Of the data key that the verifier is made with; left out: 1. */
  readonly keyVersion?: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export const oauthStates: Collection<StateRow> = { name: 'oauthStates', indexes: [{ fields: ['expiresAt'] }] };

const DATA_KEY = 'oauth-verifiers' satisfies DataKeyName;
const LIFETIME_MS = 600_000;

export interface BegunConnect extends Pick<StateRow, 'redirectUri' | 'actor'> {
  /** The PKCE code verifier. */
  readonly verifier: string;
}

/** Single-use OAuth states of 256 bits, valid for ten minutes. */
@Injectable()
export class OAuthStates {
  constructor(
    private readonly stateStore: StateStore,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The address is kept in its normal form: the code is exchanged by that, and it has to be the same. */
  async begin(address: string, actor: string): Promise<BegunConnect & { readonly state: string }> {
    const redirectUri = new URL(address).href;
    const state = randomBytes(32).toString('base64url');
    const expiresAt = this.clock.now().getTime() + LIFETIME_MS;
    const { newest } = await this.vault.dataKeys(DATA_KEY);
    const row = { id: hashOf(state), redirectUri, actor, keyVersion: newest.version, expiresAt };
    await this.rows.put(row, 'absent');
    return { state, redirectUri, actor, verifier: verifierOf(state, newest) };
  }

  /** Consumes the state. Undefined when it does not exist, was used or has expired. */
  async take(state: string): Promise<BegunConnect | undefined> {
    const row = await this.rows.get(hashOf(state));
    if (row === undefined || !(await this.rows.delete(row.id))) return undefined;
    if (row.expiresAt <= this.clock.now().getTime()) return undefined;
    const key = await (await this.vault.dataKeys(DATA_KEY)).find(row.keyVersion ?? 1);
    return key && { redirectUri: row.redirectUri, actor: row.actor, verifier: verifierOf(state, key) };
  }

  /** Deletes expired states. */
  sweep(): Promise<number> {
    return this.rows.deleteWhere({ expiresAt: { lte: this.clock.now().getTime() } });
  }

  private get rows() {
    return this.stateStore.rows(oauthStates);
  }
}

/** Without the data key it can't be computed from the state, so it is not stored. */
function verifierOf(state: string, { key }: DataKey): string {
  return createHmac('sha256', key).update(state).digest('base64url');
}

const hashOf = (state: string): string => createHash('sha256').update(state).digest('hex');
