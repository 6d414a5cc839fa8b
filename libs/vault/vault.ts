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
  /** Undefined when there is no such secret. @throws SealBrokenError when no master key opens it */
  open(id: string): Promise<Buffer | undefined>;
  delete(id: string): Promise<boolean>;
  /** 32 random bytes by name, made at first use, the same on every process and for ever. */
  dataKey(name: string): Promise<Buffer>;
}

export class SealBrokenError extends Error {
  constructor(readonly id: string) {
    super(`The sealed secret "${id}" opens under none of the master keys given.`);
    this.name = 'SealBrokenError';
  }
}

/** Injection token of the Vault. */
export const VAULT = Symbol('Vault');
