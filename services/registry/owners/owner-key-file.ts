import { access, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { credentialHash } from '@sluice/contracts';
import { replaceKeyFile } from '@sluice/engines';
import { DomainError, UnavailableError } from '@sluice/kernel';
import type { RegistrySettings } from '../config/registry.settings';

type FileSettings = Pick<RegistrySettings, 'dataDir' | 'eventStoreUrl' | 'ownerKey'>;

/** Where the embedded engines keep the first owner's key, unless OWNER_KEY is set. */
export function ownerKeyPath({ dataDir }: Pick<RegistrySettings, 'dataDir'>): string {
  return join(dataDir, 'owner.key');
}

/**
 * Rotates the first owner's key together with its file, where there is one: a crash at any moment
 * leaves the key that counts in the folder, where the next start finds it (adoptNextKey). Of several
 * at one moment, whatever processes they are in, only the key that counts last reaches the file.
 */
export async function rotateWithFile<Result extends { readonly repeated: boolean }>(
  settings: FileSettings,
  key: string,
  rotate: () => Promise<Result>,
  /** Of the key that counts now, read from the store. */
  presentHash: () => Promise<string>,
): Promise<Result> {
  const path = ownerKeyPath(settings);
  if (settings.ownerKey !== undefined || !(await isThere(path))) return rotate();
  const next = `${path}.${credentialHash(key).slice(0, 16)}.next`;
  await replaceKeyFile(next, key);
  try {
    const result = await rotate();
    await exclusively(path, async () => {
      if ((await presentHash()) === credentialHash(key)) await replaceKeyFile(path, key);
    });
    await rm(next, { force: true });
    return result;
  } catch (error) {
    // After an unknown outcome it may be the key that counts.
    if (error instanceof DomainError && !(error instanceof UnavailableError)) await rm(next, { force: true });
    throw error;
  }
}

/** A rotation has ended, or its process has died, long before. */
const BROKEN_OFF_MS = 10 * 60_000;

/**
 * Puts a key whose rotation was broken off into the file when it is the one that counts, and drops
 * others that are old: a younger one may be of a rotation that another process still performs.
 */
export async function adoptNextKey(
  settings: FileSettings,
  /** Of the key that counts now, read from the store. */
  presentHash: () => Promise<string>,
): Promise<void> {
  const path = ownerKeyPath(settings);
  const beside = await readdir(settings.dataDir).catch(() => []);
  const prefix = `${basename(path)}.`;
  const nexts = beside.filter((each) => each.startsWith(prefix) && each.endsWith('.next'));
  if (nexts.length === 0) return;
  await exclusively(path, async () => {
    const hash = await presentHash();
    for (const name of nexts) {
      const next = join(settings.dataDir, name);
      // The rotation that it is of may end meanwhile.
      const [key, since] = await Promise.all([
        readFile(next, 'utf8').catch(() => ''),
        stat(next).then(
          ({ mtimeMs }) => mtimeMs,
          () => Infinity,
        ),
      ]);
      const counts = credentialHash(key.trim()) === hash;
      if (counts) await replaceKeyFile(path, key.trim());
      if (counts || Date.now() - since > BROKEN_OFF_MS) await rm(next, { force: true });
    }
  });
}

/** A process that died with the lock keeps others out for this long; a process that lives holds it for milliseconds. */
const LOCK_MS = 10_000;

/** One at a time of all processes of the machine. */
async function exclusively(path: string, work: () => Promise<void>): Promise<void> {
  const lock = `${path}.lock`;
  for (;;) {
    const file = await open(lock, 'wx', 0o600).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    if (file !== undefined) {
      await file.close();
      break;
    }
    const since = await stat(lock).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    );
    if (Date.now() - since > LOCK_MS) await rm(lock, { force: true });
    else await delay(20);
  }
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
