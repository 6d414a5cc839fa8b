import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * The text of a secret file, made (0600, fsynced) when there is none. Several processes that start
 * at once end with one file and the same text.
 */
export async function readOrCreateKeyFile(path: string, create: () => string): Promise<string> {
  const folder = dirname(path);
  const existing = await readKeyFile(path);
  if (existing !== undefined) {
    // Whoever made it may not have come so far yet.
    await syncFolder(folder);
    return existing;
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `.${randomUUID()}.draft`);
  try {
    await writeDurably(draft, `${create()}\n`);
    // A link, unlike a rename, never replaces the file of a process that was first.
    await link(draft, path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(folder);
  return (await readFile(path, 'utf8')).trim();
}

/** Puts a text into a secret file (0600), durable and whole at any moment, whatever was there before. */
export async function replaceKeyFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  const draft = join(folder, `.${randomUUID()}.draft`);
  try {
    await writeDurably(draft, `${text}\n`);
    await rename(draft, path);
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

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
