import { createHash } from 'node:crypto';
import type { IndexedFile } from '@sluice/contracts';

/** Holds a signature of the hash, and so can't be part of it. */
export const SIGNATURE_FILE = '.codepushrelease';

/** The hash by which CodePush's clients identify a package: of the paths and contents of its files. */
export function packageHash(files: readonly Pick<IndexedFile, 'path' | 'sha256'>[]): string {
  const lines = files.filter(({ path }) => !isIgnored(path)).map(({ path, sha256 }) => `${path}:${sha256}`);
  // By UTF-16 code units of the whole lines, as the clients sort them.
  return createHash('sha256').update(JSON.stringify(lines.sort())).digest('hex');
}

function isIgnored(path: string): boolean {
  return path.startsWith('__MACOSX/') || /(^|\/)\.DS_Store$/.test(path) || isSignature(path);
}

function isSignature(path: string): boolean {
  return path === SIGNATURE_FILE || path.endsWith(`/${SIGNATURE_FILE}`);
}
