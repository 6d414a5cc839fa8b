import { createHash, hkdfSync } from 'node:crypto';

/** The vault's own collection, which holds secrets of several purposes. */
export const SECRETS = 'secrets';
/** Sealed at the first start: opens under keys of the installation alone. Every SEAL_KEYS holds its key. */
export const SENTINEL_ID = 'master-key-check';

/** By purpose, 32 bytes that derive from the master key. */
export type SealKeys = ReadonlyMap<string, Buffer>;

const KEY_BYTES = 32;

/** What a secret is for: the name of its data key, the kind of its id (`KIND-ULID`), or its collection. */
export function purposeOf(collection: string, id: string): string {
  if (collection !== SECRETS) return collection;
  return /^data-key:[^:]+|^.+(?=-[0-9A-HJKMNP-TV-Z]{26}$)/.exec(id)?.[0] ?? id;
}

/** HKDF-SHA256. Does not lead back to the master key, nor to the key of another purpose. */
export function deriveSealKey(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `sluice/seal/${purpose}`, KEY_BYTES));
}

/** The value of SEAL_KEYS: `PURPOSE=KEY,…,checksum=…`, each key as 64 hexadecimal digits. */
export function deriveSealKeys(masterKey: Buffer, purposes: readonly string[]): string {
  const keys = [SENTINEL_ID, ...purposes].map((purpose) => {
    return `${purpose}=${deriveSealKey(masterKey, purpose).toString('hex')}`;
  });
  return `${keys.join(',')},checksum=${checksumOf(keys.join(','))}`;
}

export interface SealKeysSetting {
  readonly setting: 'SEAL_KEYS' | 'SEAL_KEYS_PREVIOUS';
  readonly service: string;
  /** For each of which there must be a key. */
  readonly purposes: readonly string[];
}

/**
 * Reads a setting that deriveSealKeys made.
 * @throws Error that names the setting, what is wrong, and the command that makes it again; never what was given
 */
export function sealKeysFrom(text: string, { setting, service, purposes }: SealKeysSetting): SealKeys {
  const remedy = `Derive it again: sluice secrets derive --service ${service}`;
  const [, entries, checksum] = /^((?:[^=,]+=[0-9a-f]{64},)+)checksum=(\w+)$/.exec(text.trim()) ?? [];
  if (entries === undefined || checksum !== checksumOf(entries.slice(0, -1))) {
    throw new Error(`The setting ${setting} is incomplete or was changed. ${remedy}`);
  }
  const pairs = [...entries.matchAll(/([^=,]+)=(\w+),/g)];
  const keys = new Map(pairs.map(([, purpose = '', key = '']) => [purpose, Buffer.from(key, 'hex')]));
  const missing = [SENTINEL_ID, ...purposes].filter((purpose) => !keys.has(purpose));
  if (missing.length === 0) return keys;
  throw new Error(`The setting ${setting} has no key for ${missing.join(', ')}. ${remedy}`);
}

function checksumOf(keys: string): string {
  return createHash('sha256').update(keys).digest('hex').slice(0, 16);
}
