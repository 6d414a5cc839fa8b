import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { SignatureScheme } from './domain/signing-key';
import { signSha256 } from './digest-signature';

/** A key pair: the public half as PEM of the SubjectPublicKeyInfo, the private half as PKCS#8, DER. */
export interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: Uint8Array;
}

export interface KeyToSignWith {
  /** PKCS#8, DER. */
  readonly privateKey: Uint8Array;
  readonly scheme: SignatureScheme;
}

/** What a thread can be asked for, and what it answers: `sign` gives one signature for each key, in their order. */
export interface RsaTasks {
  readonly generate: { readonly request: { readonly bits: number }; readonly reply: KeyPair };
  readonly sign: {
    readonly request: { readonly digest: Uint8Array; readonly keys: readonly KeyToSignWith[] };
    readonly reply: readonly Uint8Array[];
  };
}

export type RsaTask = {
  [Name in keyof RsaTasks]: { readonly id: number; readonly name: Name; readonly request: RsaTasks[Name]['request'] };
}[keyof RsaTasks];

export type RsaAnswer =
  { readonly id: number; readonly reply: unknown } | { readonly id: number; readonly fault: string };

/** Synchronous on purpose: the asynchronous forms run in libuv's pool, which the file system shares. */
function perform(task: RsaTask): RsaTasks[keyof RsaTasks]['reply'] {
  if (task.name === 'sign') {
    const { digest, keys } = task.request;
    return keys.map(({ privateKey, scheme }) =>
      signSha256(
        Buffer.from(digest),
        createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' }),
        scheme,
      ),
    );
  }
  return generateKeyPairSync('rsa', {
    modulusLength: task.request.bits,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
}

parentPort?.on('message', (task: RsaTask) => {
  const { id } = task;
  try {
    parentPort?.postMessage({ id, reply: perform(task) } satisfies RsaAnswer);
  } catch (error) {
    parentPort?.postMessage({ id, fault: (error as Error).message } satisfies RsaAnswer);
  }
});
