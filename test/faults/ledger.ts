import { createHash } from 'node:crypto';
import { Contest } from './contest';
import { type Fact } from './fact';

export const CHANNELS = ['production', 'staging', 'development'] as const;
export type Channel = (typeof CHANNELS)[number];

/** The members of each resource that its writer decides. */
export interface AppState {
  readonly name: string;
  readonly bundle_id: string;
  readonly description: string;
  readonly platform: string;
}

export interface TokenState {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly all_apps: boolean;
  readonly status: 'active' | 'revoked';
}

export interface KeyState {
  readonly name: string;
  readonly status: 'active' | 'revoked';
}

/** As it is once its job has ended. */
export interface BuildState {
  readonly version: string;
  readonly channel: Channel;
  readonly status: 'active' | 'paused' | 'archived' | 'failed';
  readonly checksum: string;
  readonly file_size: number;
  readonly signature: string | null;
  readonly release_notes: string | null;
  readonly rollout_percentage: number;
  readonly rollout_enabled: boolean;
  readonly mandatory: boolean;
  readonly promoted_from_id: number | null;
}

/** A resource with what only an acknowledgement, or a read, shows. */
export interface Known<State extends object> {
  readonly fact: Fact<State>;
  id: number | undefined;
  /** The plaintext of a token or key. */
  secret?: string;
}

export interface KnownBuild extends Known<BuildState> {
  readonly version: string;
  readonly channel: Channel;
  /** Of an acknowledged upload. */
  jobId?: string;
  /** Its job is known to have ended. */
  ended: boolean;
}

/** Everything below an app belongs to one writer, who makes one call at a time. */
export interface KnownApp extends Known<AppState> {
  readonly bundleId: string;
  keys: (Known<KeyState> & { readonly name: string })[];
  builds: KnownBuild[];
  /** How many versions were tried. */
  versions: number;
}

/** The requests to an installation and what it acknowledged. */
export class Ledger {
  apps: KnownApp[] = [];
  tokens: (Known<TokenState> & { readonly name: string })[] = [];
  readonly contest = new Contest();
  private readonly holders = new Map<string, object>();

  /** @throws Error when another resource of the kind was given this id */
  identify(kind: 'app' | 'token' | 'key' | 'build', resource: { id: number | undefined }, id: number): void {
    const holder = this.holders.get(`${kind} ${id}`);
    if (holder !== undefined && holder !== resource) throw new Error(`The id ${id} was given to two of kind ${kind}.`);
    if (resource.id !== undefined && resource.id !== id) {
      throw new Error(`The ${kind} ${resource.id} has become ${id}.`);
    }
    this.holders.set(`${kind} ${id}`, resource);
    resource.id = id;
  }
}

/** What a device without a native version is offered in a channel. */
export function offeredTo(deviceId: string, app: KnownApp, channel: Channel): BuildState | undefined {
  const held = app.builds.flatMap(({ fact, id }) => {
    const state = fact.certain;
    const served = id !== undefined && state?.channel === channel && state.status === 'active';
    return served && state.rollout_enabled && bucket(deviceId, id) < state.rollout_percentage ? [state] : [];
  });
  return held.sort((one, other) => minor(other.version) - minor(one.version))[0];
}

function bucket(deviceId: string, buildId: number): number {
  const digest = createHash('sha256').update(`${deviceId}:${buildId}`).digest();
  return (100 * Number(digest.readBigUInt64BE() >> 11n)) / 2 ** 53;
}

/** Versions of the ledger are `1.N.0`. */
function minor(version: string): number {
  return Number(version.split('.')[1]);
}
