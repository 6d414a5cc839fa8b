import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '@sluice/object-store/filesystem';

/**
 * The text of a secret file, which is created (0600, fsynced) if it does not exist. Several processes that start
 * simultaneously end with one file and the same text.
 */
export async function readOrCreateKeyFile(path: string, create: () => string): Promise<string> {
  const folder = dirname(path);
  const existing = await readKeyFile(path);
  if (existing !== undefined) {
    // The process that made it may not have come so far yet.
    await syncFolder(folder);
    return existing;
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // A link, unlike a rename, never replaces the file of a process that was first.
  await publish(path, create(), (draft) =>
    link(draft, path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }),
  );
  return (await readFile(path, 'utf8')).trim();
}

/** Puts a text into a secret file (0600), durable and whole at any moment, whatever was there before. */
export async function replaceKeyFile(path: string, text: string): Promise<void> {
  await publish(path, text, (draft) => rename(draft, path));
}

async function publish(path: string, text: string, put: (draft: string) => Promise<void>): Promise<void> {
  const folder = dirname(path);
  const draft = join(folder, `.${randomUUID()}.draft`);
  try {
    await writeFile(draft, `${text}\n`, { flag: 'wx', mode: 0o600, flush: true });
    await put(draft);
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(folder);
}

/** The text of a secret file; undefined when there is none. */
export async function readKeyFile(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
