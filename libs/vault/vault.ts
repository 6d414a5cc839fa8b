import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Collection, DocumentStore, Row } from '@sluice/document-store';

/**
 * Secrets at rest: AES-256-GCM under the master key, kept as rows of the state store.
 *
 * A secret is sealed under an id that never changes meaning, before the event that names the id is
 * appended. The id of the master key stands beside each ciphertext, and the secret's own id is
 * authenticated with it: a ciphertext moved to another id does not open.
 */
export interface Vault {
  /** Seals once: an id that holds a secret already keeps it, and the answer is false. Durable before the answer. */
  seal(id: string, secret: Buffer): Promise<boolean>;
  /** Undefined when there is no such secret. @throws SealBrokenError when the master key does not open it */
  open(id: string): Promise<Buffer | undefined>;
  delete(id: string): Promise<boolean>;
  /** 32 random bytes by name, made at first use, the same on every process and for ever. */
  dataKey(name: string): Promise<Buffer>;
}

export class SealBrokenError extends Error {
  constructor(readonly id: string) {
    super(`The sealed secret "${id}" does not open under the master key given.`);
    this.name = 'SealBrokenError';
  }
}

/** Injection token of the Vault. */
export const VAULT = Symbol('Vault');

interface SealedSecret extends Row {
  /** Which master key sealed it. */
  readonly keyId: string;
  /** Base64: 96 random bits, fresh for each seal. */
  readonly nonce: string;
  /** Base64: ciphertext, then the tag of 128 bits. */
  readonly sealed: string;
}

const secrets: Collection<SealedSecret> = { name: 'secrets', indexes: [] };
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Sealed at the first start: opens under the installation's master key alone. */
const SENTINEL_ID = 'master-key-check';
const SENTINEL = Buffer.from('sluice');

/** A vault over the state store. @param masterKey 32 bytes */
export function createVault({ state, masterKey }: { state: DocumentStore; masterKey: Buffer }): Vault {
  const rows = state.rows(secrets);
  const keyId = keyIdOf(masterKey);
  const dataKeys = new Map<string, Promise<Buffer>>();

  const open = async (id: string): Promise<Buffer | undefined> => {
    const row = await rows.get(id);
    if (row === undefined) return undefined;
    if (row.keyId !== keyId) throw new SealBrokenError(id);
    return unseal(masterKey, row);
  };

  const seal = async (id: string, secret: Buffer): Promise<boolean> => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, masterKey, nonce, { authTagLength: TAG_BYTES }).setAAD(boundTo(id, keyId));
    const sealed = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
    const row = { id, keyId, nonce: nonce.toString('base64'), sealed: sealed.toString('base64') };
    return (await rows.put(row, 'absent')) !== undefined;
  };

  const makeDataKey = async (name: string): Promise<Buffer> => {
    const id = `data-key:${name}`;
    // Whoever seals first decides; everybody else reads that one back.
    const existing = await open(id);
    if (existing !== undefined) return existing;
    await seal(id, randomBytes(KEY_BYTES));
    const key = await open(id);
    if (key === undefined) throw new SealBrokenError(id);
    return key;
  };

  return {
    seal,
    open,
    delete: (id) => rows.delete(id),
    dataKey(name) {
      let key = dataKeys.get(name);
      if (key === undefined) {
        key = makeDataKey(name);
        dataKeys.set(name, key);
        key.catch(() => dataKeys.delete(name));
      }
      return key;
    },
  };
}

/**
 * Reads the setting MASTER_KEY: 64 hexadecimal digits, or Base64 of 32 bytes.
 * @throws Error that says what was expected and never what was given
 */
export function masterKeyFrom(text: string): Buffer {
  const trimmed = text.trim();
  const key = /^[0-9a-f]{64}$/i.test(trimmed) ? Buffer.from(trimmed, 'hex') : Buffer.from(trimmed, 'base64');
  const wellFormed = key.length === KEY_BYTES && (trimmed.length === 64 || /^[A-Za-z0-9+/]{43}=$/.test(trimmed));
  if (!wellFormed) throw new Error('The setting MASTER_KEY must be 64 hexadecimal digits, or Base64 of 32 bytes.');
  return key;
}

/**
 * Refuses a master key that is not this installation's, before anything is sealed under it.
 * @throws Error that names MASTER_KEY
 */
export async function checkMasterKey(state: DocumentStore, masterKey: Buffer): Promise<void> {
  const vault = createVault({ state, masterKey });
  await vault.seal(SENTINEL_ID, SENTINEL);
  const opened = await vault.open(SENTINEL_ID).catch((error: unknown) => {
    if (error instanceof SealBrokenError) return undefined;
    throw error;
  });
  if (opened?.length !== SENTINEL.length || !timingSafeEqual(opened, SENTINEL)) {
    throw new Error('The setting MASTER_KEY is not the key that this installation was sealed under.');
  }
}

function unseal(masterKey: Buffer, { id, keyId, nonce, sealed }: SealedSecret): Buffer {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const decipher = createDecipheriv(CIPHER, masterKey, Buffer.from(nonce, 'base64'), { authTagLength: TAG_BYTES })
      .setAAD(boundTo(id, keyId))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new SealBrokenError(id);
  }
}

function boundTo(id: string, keyId: string): Buffer {
  return Buffer.from(JSON.stringify([id, keyId]));
}

function keyIdOf(masterKey: Buffer): string {
  return createHash('sha256').update('sluice master key').update(masterKey).digest('hex').slice(0, 16);
}
