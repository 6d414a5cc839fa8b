import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Row } from '@sluice/document-store';

/** 32 bytes each. */
export interface MasterKeys {
  readonly current: Buffer;
  /** Opens what was sealed before the last change of the master key. */
  readonly previous?: Buffer | undefined;
}

export interface SealedSecret extends Row {
  /** `2:` and the id of the master key that sealed it. Without `2:` the collection is not part of the seal. */
  readonly keyId: string;
  /** Base64: 96 random bits, fresh for each seal. */
  readonly nonce: string;
  /** Base64: ciphertext, then the tag of 128 bits. */
  readonly sealed: string;
}

/**
 * AES-256-GCM: seals under the current master key, opens under either. A seal is bound to its collection and id, so
 * that whoever writes the store can't put one secret in the place of another; seals of format 1 are bound to the id.
 */
export interface Keyring {
  /** As `keyId` of what it seals now. */
  readonly currentId: string;
  seal(collection: string, id: string, secret: Buffer): SealedSecret;
  /** @throws SealBrokenError when neither key opens it in this collection */
  unseal(collection: string, secret: SealedSecret): Buffer;
}

export class SealBrokenError extends Error {
  constructor(readonly id: string) {
    super(`The sealed secret "${id}" does not open under the master keys given.`);
    this.name = 'SealBrokenError';
  }
}

const FORMAT = '2:';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createKeyring({ current, previous }: MasterKeys): Keyring {
  const currentId = FORMAT + keyIdOf(current);
  const keys = new Map([[keyIdOf(current), current]]);
  if (previous !== undefined) keys.set(keyIdOf(previous), previous);

  return {
    currentId,

    seal(collection, id, secret) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, current, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundTo(collection, id, currentId));
      const sealed = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
      return { id, keyId: currentId, nonce: nonce.toString('base64'), sealed: sealed.toString('base64') };
    },

    unseal(collection, { id, keyId, nonce, sealed }) {
      const key = keys.get(keyId.startsWith(FORMAT) ? keyId.slice(FORMAT.length) : keyId);
      if (key === undefined) throw new SealBrokenError(id);
      const bytes = Buffer.from(sealed, 'base64');
      try {
        const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64'), { authTagLength: TAG_BYTES })
          .setAAD(boundTo(collection, id, keyId))
          .setAuthTag(bytes.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
      } catch {
        throw new SealBrokenError(id);
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
  return Buffer.from(JSON.stringify(keyId.startsWith(FORMAT) ? [collection, id, keyId] : [id, keyId]));
}

function keyIdOf(masterKey: Buffer): string {
  return createHash('sha256').update('sluice master key').update(masterKey).digest('hex').slice(0, 16);
}
