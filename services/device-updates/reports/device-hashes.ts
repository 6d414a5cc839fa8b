import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Clock } from '@sluice/kernel';
import type { DataKey, DataKeys } from '@sluice/vault';

/** A device under each version of the data key that is held. */
export interface HashedDevice {
  /** What its reports are written under. */
  readonly hash: string;
  /** What earlier reports may have been written under; empty while one version is held. */
  readonly otherHashes: readonly string[];
}

interface Version extends Pick<DataKey, 'madeAt'> {
  readonly key: KeyObject;
}

/** A new version writes from then on: every process has read it (DataKeys) and looks for what it wrote. */
const WRITES_AFTER_MS = 120_000;
const NONE: readonly string[] = [];

/**
 * All that is kept of a device's id: 128 bits of an HMAC under the vault's data key `device-id`, in
 * base64url. The app is part of it, so that nobody can follow a device from one app to another.
 */
export class DeviceHashes {
  private held: readonly DataKey[] = [];
  /** The newest first. */
  private versions: readonly Version[] = [];

  constructor(private readonly options: { readonly keys: DataKeys; readonly clock: Clock }) {}

  of(appId: number, deviceId: string): HashedDevice {
    const { held } = this.options.keys;
    if (held !== this.held) {
      this.held = held;
      this.versions = held.map(({ key, madeAt }) => ({ key: createSecretKey(key), madeAt }));
    }
    const text = `${appId}:${deviceId}`;
    const { versions } = this;
    const oldest = versions.at(-1);
    if (oldest === undefined) throw new Error('The data key device-id has no version.');
    if (versions.length === 1) return { hash: hashOf(text, oldest), otherHashes: NONE };
    const since = this.options.clock.now().getTime() - WRITES_AFTER_MS;
    const writing = versions.find(({ madeAt }) => madeAt <= since) ?? oldest;
    const others = versions.filter((version) => version !== writing);
    return { hash: hashOf(text, writing), otherHashes: others.map((version) => hashOf(text, version)) };
  }

  /** Every hash under which something may be stored of the device, with the versions that the store holds now. */
  async all(appId: number, deviceId: string): Promise<readonly string[]> {
    await this.options.keys.refresh();
    const { hash, otherHashes } = this.of(appId, deviceId);
    return [hash, ...otherHashes];
  }
}

function hashOf(text: string, { key }: Version): string {
  // A digest that Node hands over in a buffer of its own takes twice the time.
  const digest = createHmac('sha256', key).update(text, 'utf8').digest('binary');
  return Buffer.from(digest, 'binary').toString('base64url', 0, 16);
}
