import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Row } from '@sluice/document-store';
import { deriveSealKey, purposeOf, type SealKeys, SENTINEL_ID } from './seal-keys';

/** A master key of 32 bytes each, or the seal keys that derive from it: these open format 3 alone, for their purposes. */
export interface MasterKeys {
  readonly current: Buffer | SealKeys;
  /** Opens what was sealed before the last change of the master key. */
  readonly previous?: Buffer | SealKeys | undefined;
}

export interface SealedSecret extends Row {
  /**
   * `3:` and the id of the seal keys, one of which sealed it. Formats 2 (`2:`) and 1 (nothing) were sealed by the master
   * key itself, whose id follows; in format 1 the collection is not part of the seal.
   */
  readonly keyId: string;
  /** Base64: 96 random bits, fresh for each seal. */
  readonly nonce: string;
  /** Base64: ciphertext, then the tag of 128 bits. */
  readonly sealed: string;
}

/**
 * AES-256-GCM: seals under the current key of the secret's purpose, opens under either. A seal is bound to its collection
 * and id, so that a writer of the store can't put one secret in the place of another; seals of format 1 are bound to
 * the id.
 */
export interface Keyring {
  /** As `keyId` of what it seals now. */
  readonly currentId: string;
  /** @throws Error when there is no key for its purpose */
  seal(collection: string, id: string, secret: Buffer): SealedSecret;
  /** @throws SealBrokenError when neither key opens it in this collection */
  unseal(collection: string, secret: SealedSecret): Buffer;
}

export class SealBrokenError extends Error {
  /** @param purpose where SEAL_KEYS was given */
  constructor(
    readonly id: string,
    purpose?: string,
  ) {
    super(
      purpose === undefined
        ? `The sealed secret "${id}" does not open under the master keys given.`
        : `The sealed secret "${id}" does not open under the key for ${purpose} in SEAL_KEYS. Run "sluice secrets reseal", or derive SEAL_KEYS again with "sluice secrets derive".`,
    );
    this.name = 'SealBrokenError';
  }
}

const FORMAT = '3:';
const FORMER_FORMAT = '2:';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createKeyring({ current, previous }: MasterKeys): Keyring {
  const currentId = keyIdOf(current);
  /** By key id: the key for a purpose. */
  const keys = new Map<string, (purpose: string) => Buffer>();
  for (const given of previous === undefined ? [current] : [current, previous]) {
    keys.set(keyIdOf(given), (purpose) => keyFor(given, purpose));
    if (!Buffer.isBuffer(given)) continue;
    for (const format of [FORMER_FORMAT, '']) keys.set(format + masterKeyIdOf(given), () => given);
  }

  return {
    currentId,

    seal(collection, id, secret) {
      const nonce = randomBytes(NONCE_BYTES);
      const key = keyFor(current, purposeOf(collection, id));
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundTo(collection, id, currentId));
      const sealed = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
      return { id, keyId: currentId, nonce: nonce.toString('base64'), sealed: sealed.toString('base64') };
    },

    unseal(collection, { id, keyId, nonce, sealed }) {
      const purpose = purposeOf(collection, id);
      const broken = () => new SealBrokenError(id, Buffer.isBuffer(current) ? undefined : purpose);
      const key = keys.get(keyId)?.(purpose);
      if (key === undefined) throw broken();
      const bytes = Buffer.from(sealed, 'base64');
      try {
        const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64'), { authTagLength: TAG_BYTES })
          .setAAD(boundTo(collection, id, keyId))
          .setAuthTag(bytes.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
      } catch {
        throw broken();
      }
    },
  };
}

/**
 * Reads the setting MASTER_KEY or MASTER_KEY_PREVIOUS: 64 hexadecimal digits, or Base64 of 32 bytes.
 * @throws Error that names the setting and says what was expected, and never what was given
 */
export function masterKeyFrom(text: string, setting: 'MASTER_KEY' | 'MASTER_KEY_PREVIOUS' = 'MASTER_KEY'): Buffer {
  const trimmed = text.trim();
  const key = /^[0-9a-f]{64}$/i.test(trimmed) ? Buffer.from(trimmed, 'hex') : Buffer.from(trimmed, 'base64');
  const wellFormed = key.length === KEY_BYTES && (trimmed.length === 64 || /^[A-Za-z0-9+/]{43}=$/.test(trimmed));
  if (!wellFormed) throw new Error(`The setting ${setting} must be 64 hexadecimal digits, or Base64 of 32 bytes.`);
  return key;
}

function boundTo(collection: string, id: string, keyId: string): Buffer {
  return Buffer.from(JSON.stringify(keyId.includes(':') ? [collection, id, keyId] : [id, keyId]));
}

function keyFor(given: Buffer | SealKeys, purpose: string): Buffer {
  const key = Buffer.isBuffer(given) ? deriveSealKey(given, purpose) : given.get(purpose);
  if (key !== undefined) return key;
  throw new Error(
    `There is no key for ${purpose} in SEAL_KEYS. Derive SEAL_KEYS for the service that needs it: sluice secrets derive`,
  );
}

/** The same for a master key and for all seal keys that derive from it. */
function keyIdOf(given: Buffer | SealKeys): string {
  return FORMAT + shortHash('sluice seal keys', keyFor(given, SENTINEL_ID));
}

function masterKeyIdOf(masterKey: Buffer): string {
  return shortHash('sluice master key', masterKey);
}

function shortHash(domain: string, key: Buffer): string {
  return createHash('sha256').update(domain).update(key).digest('hex').slice(0, 16);
}
