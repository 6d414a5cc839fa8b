import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

declare global {
  /** What the Jest environment of the tests removes once the hooks of a file have run. */
  var temporaryDirectories: string[] | undefined;
}

/**
 * Makes an empty directory, another one for every call. It is removed after the last hook of the test file, so that
 * hooks can close what is open in it; outside Jest when the process exits.
 *
 * @returns its absolute path
 */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  if (globalThis.temporaryDirectories) globalThis.temporaryDirectories.push(path);
  else process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}
