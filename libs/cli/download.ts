import { createHash, createPublicKey, createVerify, type KeyObject } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import type { Context } from './context';
import { Failure } from './failure';
import { send } from './http-client';
import { startProgress } from './progress';

/** The response to an update check that offers a build. */
export interface Offer {
  readonly available: true;
  readonly version: string;
  readonly bundleId: string;
  readonly downloadUrl: string;
  readonly checksum: string;
  readonly signature: string | null;
  /** Bytes. */
  readonly size: number;
  readonly mandatory: boolean;
  readonly releaseNotes: string | null;
  readonly minNativeVersion: string | null;
  readonly nativeRange?: string;
  readonly fingerprint?: string;
  readonly platform?: string;
  readonly expiresAt: string;
}

const ATTEMPT = 'download the bundle';

/**
 * Fetches the offered bundle into `file`, which appears only once its size, SHA-256 and, given the
 * path of a public key, its RSA-SHA256 PKCS#1 v1.5 signature are right. A broken download leaves
 * `file`.part, where the next one continues; a wrong one leaves nothing.
 */
export async function downloadBundle(
  offer: Offer,
  file: string,
  publicKeyPath: string | undefined,
  context: Context,
): Promise<void> {
  const publicKey = publicKeyPath === undefined ? undefined : await readPublicKey(publicKeyPath);
  const part = `${file}.part`;
  try {
    await fetchInto(part, offer, context);
    const fault = await faultOf(part, offer, publicKey);
    if (fault !== undefined) {
      await rm(part, { force: true });
      throw new Failure({
        attempt: ATTEMPT,
        ...fault,
        advice: `${part} was deleted. Run the command again to fetch the whole bundle.`,
      });
    }
    await rename(part, file);
  } catch (error) {
    const { code, message, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new Failure({ attempt: ATTEMPT, code: code ?? 'DISK', message, cause: error });
  }
}

async function fetchInto(part: string, offer: Offer, context: Context): Promise<void> {
  const { signal } = context.terminal;
  const present = await stat(part).then(
    (facts) => facts.size,
    () => 0,
  );
  if (present === offer.size) return;
  const wanted = present < offer.size ? present : 0;
  const headers: Record<string, string> = wanted > 0 ? { range: `bytes=${wanted}-` } : {};
  const response = await send(ATTEMPT, offer.downloadUrl, { headers, signal, redirect: 'follow' });
  let size = response.status === 206 ? firstByte(response) : 0;
  if (size !== 0 && size !== wanted) {
    throw new Failure({
      attempt: ATTEMPT,
      code: 'WRONG_RANGE',
      message: `The server sent bytes from ${size}, not ${wanted}.`,
    });
  }
  if (size > 0) context.output.note(`Continuing at byte ${size} of ${part}`);

  const progress = await startProgress('Downloading', offer.size, context);
  const target = await open(part, size > 0 ? 'a' : 'w');
  try {
    for await (const bytes of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += bytes.length;
      await target.appendFile(bytes);
      progress.update(size);
      if (size > offer.size) return;
    }
  } catch (error) {
    throw brokenOff(error, part, signal);
  } finally {
    progress.stop();
    await target.close();
  }
}

function firstByte(response: Response): number {
  return Number(/^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1] ?? NaN);
}

function brokenOff(error: unknown, part: string, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if ((error as NodeJS.ErrnoException).syscall !== undefined) return error;
  return new Failure({
    attempt: ATTEMPT,
    code: 'DOWNLOAD_BROKEN_OFF',
    message: `The download broke off: ${(error as Error).message}`,
    advice: `Run the command again. It continues where ${part} ends.`,
    cause: error,
  });
}

async function faultOf(part: string, offer: Offer, publicKey: KeyObject | undefined) {
  const hash = createHash('sha256');
  const verify = createVerify('RSA-SHA256');
  let size = 0;
  for await (const bytes of createReadStream(part) as AsyncIterable<Buffer>) {
    size += bytes.length;
    hash.update(bytes);
    verify.update(bytes);
  }
  const checksum = hash.digest('hex');
  if (size !== offer.size) {
    return { code: 'SIZE_MISMATCH', message: `The bundle has ${size} bytes, but ${offer.size} were announced.` };
  }
  if (checksum !== offer.checksum) {
    return {
      code: 'CHECKSUM_MISMATCH',
      message: `The bundle's SHA-256 is ${checksum}, but ${offer.checksum} was announced.`,
    };
  }
  if (publicKey === undefined) return undefined;
  if (offer.signature === null) {
    return { code: 'SIGNATURE_MISSING', message: 'The bundle is not signed.' };
  }
  return verify.verify(publicKey, offer.signature, 'base64')
    ? undefined
    : { code: 'SIGNATURE_MISMATCH', message: "The bundle's signature was not made with this key." };
}

async function readPublicKey(path: string): Promise<KeyObject> {
  let problem: string;
  try {
    const key = createPublicKey(await readFile(path));
    if (key.asymmetricKeyType === 'rsa') return key;
    problem = `it is of type ${key.asymmetricKeyType ?? 'unknown'}, not rsa`;
  } catch (error) {
    problem = (error as Error).message;
  }
  throw new Failure({ code: 'PUBLIC_KEY_UNUSABLE', message: `${path} can't be used as a public key: ${problem}.` });
}
