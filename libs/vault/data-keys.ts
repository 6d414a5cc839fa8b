import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Rows } from '@sluice/document-store';
import { DomainError } from '@sluice/kernel';
import type { Keyring, SealedSecret } from './keyring';

export interface DataKey {
  /** From 1. */
  readonly version: number;
  /** 32 random bytes; they never change. */
  readonly key: Buffer;
  /** When a rotation made it, in milliseconds since the epoch; 0 of version 1. */
  readonly madeAt: number;
}

/**
 * The versions of one data key, as this process knows them. They are read again every 30 seconds, so another
 * process may have made one that is not here yet, or dropped one that still is.
 */
export interface DataKeys {
  /** The newest first, never empty; another array whenever anything changed, and only then. */
  readonly held: readonly DataKey[];
  readonly newest: DataKey;
  /** Undefined when that version was dropped or never made. Reads the store only for one newer than all known ones. */
  find(version: number): Promise<DataKey | undefined>;
  /** Reads the store; at most once a second: callers wait for the next turn together. */
  refresh(): Promise<void>;
}

/** A device's report is looked up under each version, so their number has a bound. */
export const MAX_DATA_KEY_VERSIONS = 8;
const KEY_BYTES = 32;
const REFRESH_MS = 30_000;
const LEAST_PAUSE_MS = 1_000;

export interface DataKeyStore {
  readonly collection: string;
  readonly rows: Rows<SealedSecret>;
  readonly keyring: Keyring;
  readonly now: () => number;
}

/** All data keys of a vault: one seal for each version, that of version 1 without a number. */
export class DataKeyVersions {
  private readonly known = new Map<string, Promise<HeldDataKeys>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly store: DataKeyStore) {}

  of(name: string): Promise<DataKeys> {
    return this.open(name);
  }

  /** @throws DomainError TOO_MANY_DATA_KEY_VERSIONS, and then none is rotated */
  async rotate(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const keys = await this.open(name);
      await keys.read();
      if (keys.held.length < MAX_DATA_KEY_VERSIONS) continue;
      throw new DomainError(
        'TOO_MANY_DATA_KEY_VERSIONS',
        `The data key "${name}" has ${keys.held.length} versions that are still in use. Rotate it again once an older version has expired.`,
      );
    }
    for (const name of names) await this.rotateOne(name);
  }

  private async rotateOne(name: string): Promise<void> {
    const { collection, rows, keyring, now } = this.store;
    const keys = await this.open(name);
    const id = idOf(name, keys.newest.version + 1);
    const madeAt = Buffer.alloc(8);
    madeAt.writeBigUInt64BE(BigInt(now()));
    // When another process rotates at the same time, one of the two seals it: there is one new version.
    await rows.put(keyring.seal(collection, id, Buffer.concat([randomBytes(KEY_BYTES), madeAt])), 'absent');
    await keys.read();
  }

  /** Deletes every version that was replaced before `replacedBefore` (milliseconds since the epoch); answers which. */
  async drop(name: string, replacedBefore: number): Promise<number[]> {
    const keys = await this.open(name);
    await keys.read();
    const { held } = keys;
    const successor = held.find(({ madeAt, version }) => version > 1 && madeAt <= replacedBefore);
    const dropped: number[] = [];
    for (const { version } of held) {
      if (successor === undefined || version >= successor.version) continue;
      if (await this.store.rows.delete(idOf(name, version))) dropped.push(version);
    }
    if (dropped.length > 0) await keys.read();
    return dropped;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private open(name: string): Promise<HeldDataKeys> {
    this.timer ??= setInterval(() => void this.refreshAll(), REFRESH_MS).unref();
    let keys = this.known.get(name);
    if (keys === undefined) {
      const opening = new HeldDataKeys(this.store, name);
      keys = opening.read().then(() => opening);
      this.known.set(name, keys);
      keys.catch(() => this.known.delete(name));
    }
    return keys;
  }

  /** What can't be read now stays as it is known until the next time. */
  private async refreshAll(): Promise<void> {
    await Promise.allSettled([...this.known.values()].map(async (keys) => (await keys).refresh()));
  }
}

class HeldDataKeys implements DataKeys {
  held: readonly DataKey[] = [];
  private reading: Promise<unknown> = Promise.resolve();
  private next: Promise<void> | undefined;
  private readAt = -Infinity;

  constructor(
    private readonly store: DataKeyStore,
    private readonly name: string,
  ) {}

  get newest(): DataKey {
    const [newest] = this.held;
    if (newest === undefined) throw new Error(`The data key "${this.name}" has no version.`);
    return newest;
  }

  async find(version: number): Promise<DataKey | undefined> {
    if (version > this.newest.version) await this.refresh();
    return this.held.find((key) => key.version === version);
  }

  /** A read that has begun may have missed what this caller wants, so the caller waits for one that begins later. */
  refresh(): Promise<void> {
    this.next ??= this.nextTurn();
    return this.next;
  }

  /** Reads without a pause. Makes version 1 when there is none. */
  async read(): Promise<void> {
    const { collection, rows, keyring } = this.store;
    let found = await this.readRows();
    if (found.length === 0) {
      await rows.put(keyring.seal(collection, idOf(this.name, 1), randomBytes(KEY_BYTES)), 'absent');
      found = await this.readRows();
    }
    if (!sameKeys(found, this.held)) this.held = found;
  }

  private async nextTurn(): Promise<void> {
    await this.reading.catch(() => undefined);
    const pause = this.readAt + LEAST_PAUSE_MS - performance.now();
    if (pause > 0) await delay(pause, undefined, { ref: false });
    this.next = undefined;
    this.readAt = performance.now();
    this.reading = this.read();
    await this.reading;
  }

  private async readRows(): Promise<DataKey[]> {
    const { collection, rows, keyring } = this.store;
    const first = idOf(this.name, 1);
    const sealed = await rows.find({ where: { id: { gte: first, lt: `${first};` } } });
    const keys = sealed.flatMap((row): DataKey[] => {
      const version = versionOf(this.name, row.id);
      if (version === undefined) return [];
      const secret = keyring.unseal(collection, row);
      const madeAt = secret.length > KEY_BYTES ? Number(secret.readBigUInt64BE(KEY_BYTES)) : 0;
      return [{ version, key: secret.subarray(0, KEY_BYTES), madeAt }];
    });
    return keys.sort((a, b) => b.version - a.version);
  }
}

function idOf(name: string, version: number): string {
  return version === 1 ? `data-key:${name}` : `data-key:${name}:${version}`;
}

/** Undefined: the seal of another key, whose name begins alike. */
function versionOf(name: string, id: string): number | undefined {
  const first = idOf(name, 1);
  if (id === first) return 1;
  const version = Number(id.slice(first.length + 1));
  return Number.isSafeInteger(version) && version > 1 && id === idOf(name, version) ? version : undefined;
}

function sameKeys(some: readonly DataKey[], others: readonly DataKey[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ version, key }, index) => version === others[index]?.version && key.equals(others[index].key))
  );
}
