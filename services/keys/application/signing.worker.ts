import { createPrivateKey } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import type { SignatureScheme } from '../domain/signing-key';
import { signSha256 } from './digest-signature';

/** What the thread is started with; it answers the signature's bytes and ends. */
export interface Signing {
  readonly digest: Uint8Array;
  /** PKCS#8, DER. */
  readonly privateKey: Uint8Array;
  readonly scheme: SignatureScheme;
}

const { digest, privateKey, scheme } = workerData as Signing;
const key = createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' });
parentPort?.postMessage(signSha256(Buffer.from(digest), key, scheme));
