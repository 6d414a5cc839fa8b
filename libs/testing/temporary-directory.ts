import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux's file system in memory. */
const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 6 * 1024 ** 3;

declare global {
  /** What the Jest environment of the tests removes once the hooks of a file have run. */
  var temporaryDirectories: string[] | undefined;
}

/**
 * Makes an empty directory, another one for every call. It is removed after the last hook of the test file, so that
 * hooks can close what is open in it; outside Jest when the process exits. In Jest it is in memory where that has room: stores
 * wait for the disk at every commit, and tests end processes, never the machine.
 *
 * @returns its absolute path
 */
export function temporaryDirectory(): string {
  const isTest = globalThis.temporaryDirectories !== undefined;
  const path = mkdtempSync(join(isTest && hasRoom() ? IN_MEMORY : tmpdir(), 'sluice-test-'));
  if (globalThis.temporaryDirectories) globalThis.temporaryDirectories.push(path);
  else process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return Math.min(bavail * bsize, process.availableMemory()) >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
