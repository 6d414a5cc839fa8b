import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Clock } from '@sluice/kernel';
import type { DataKey, DataKeys } from '@sluice/vault';

/** A device's hashes under each stored version of the data key. */
export interface HashedDevice {
  /** The hash for new reports. */
  readonly hash: string;
  /** Hashes that earlier reports may have; empty while only one version is stored. */
  readonly otherHashes: readonly string[];
}

interface Version extends Pick<DataKey, 'version' | 'madeAt'> {
  readonly key: KeyObject;
}

/** How long to wait before a new version writes: every process has read it by then (DataKeys) and finds its rows. */
const WRITES_AFTER_MS = 120_000;
const ADDRESS_CHARACTERS = 11;
const NONE: readonly string[] = [];

/**
 * The only form in which a device's id is stored: 128 bits of an HMAC under the vault's data key `device-id`, in
 * base64url. It includes the app, so that a device can't be followed from one app to another.
 */
export class DeviceHashes {
  private held: readonly DataKey[] = [];
  /** Newest first. */
  private versions: readonly Version[] = [];

  constructor(private readonly options: { readonly keys: DataKeys; readonly clock: Clock }) {}

  /** Of an address, to see which reports of an app come from the same one: 64 bits. */
  ofAddress(appId: number, address: string): string {
    return this.of(appId, `address ${address}`).hash.slice(0, ADDRESS_CHARACTERS);
  }

  of(appId: number, deviceId: string): HashedDevice {
    const text = textOf(appId, deviceId);
    const writing = this.writing();
    const { versions } = this;
    if (versions.length === 1) return { hash: hashOf(text, writing), otherHashes: NONE };
    const others = versions.filter((version) => version !== writing);
    return { hash: hashOf(text, writing), otherHashes: others.map((version) => hashOf(text, version)) };
  }

  /** Hashes many devices under one version of the data key. */
  ofMany(appId: number): { readonly keyVersion: number; readonly hash: (deviceId: string) => string } {
    const writing = this.writing();
    return { keyVersion: writing.version, hash: (deviceId) => hashOf(textOf(appId, deviceId), writing) };
  }

  /** The version that new rows are written under. */
  private writing(): Version {
    const { held } = this.options.keys;
    if (held !== this.held) {
      this.held = held;
      this.versions = held.map(({ key, ...rest }) => ({ ...rest, key: createSecretKey(key) }));
    }
    const oldest = this.versions.at(-1);
    if (oldest === undefined) throw new Error('The data key device-id has no version.');
    if (this.versions.length === 1) return oldest;
    const since = this.options.clock.now().getTime() - WRITES_AFTER_MS;
    return this.versions.find(({ madeAt }) => madeAt <= since) ?? oldest;
  }

  /** Every hash under which data of the device may be stored, as far as this process has read the key versions. */
  known(appId: number, deviceId: string): readonly string[] {
    const { hash, otherHashes } = this.of(appId, deviceId);
    return [hash, ...otherHashes];
  }

  /** The same with the key versions that the store has now. */
  async all(appId: number, deviceId: string): Promise<readonly string[]> {
    await this.options.keys.refresh();
    return this.known(appId, deviceId);
  }
}

const textOf = (appId: number, deviceId: string): string => `${appId}:${deviceId}`;

function hashOf(text: string, { key }: Version): string {
  // Twice as fast as a digest in a Buffer of its own.
  const digest = createHmac('sha256', key).update(text, 'utf8').digest('binary');
  return Buffer.from(digest, 'binary').toString('base64url', 0, 16);
}
