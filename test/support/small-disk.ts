import { spawnSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';

/** A file system of its own, in memory. */
export interface SmallDisk {
  /** Where it is mounted. */
  readonly path: string;
  /** Takes every byte that is left, until `free`. */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** @throws Error while a file on it is open for writing, which the system does not allow */
  setReadOnly(readOnly: boolean): void;
  unmount(): void;
}

const run = (command: string, ...args: readonly string[]) => spawnSync(command, args, { encoding: 'utf8' });

/** @throws Error when this process may not mount */
export function mountSmallDisk(bytes: number): SmallDisk {
  const path = temporaryDirectory();
  const mount = (...options: readonly string[]): void => {
    const { status, error, stderr } = run('mount', ...options, path);
    if (status !== 0) throw new Error(`mount ${options.join(' ')} failed: ${error?.message ?? stderr}`);
  };
  mount('-t', 'tmpfs', '-o', `size=${bytes}`, 'sluice-test');
  const ballast = join(path, 'ballast');
  return {
    path,
    async fill() {
      const file = await open(ballast, 'a');
      for (const size of [65_536, 4_096, 1]) {
        const chunk = Buffer.alloc(size, 1);
        while (
          await file.write(chunk).then(
            ({ bytesWritten }) => bytesWritten > 0,
            () => false,
          )
        );
      }
      await file.close();
    },
    free: () => rm(ballast, { force: true }),
    setReadOnly: (readOnly) => mount('-o', `remount,${readOnly ? 'ro' : 'rw'}`),
    unmount() {
      // Lazily: SQLite keeps a closed file open until its statements are collected.
      const { status, stderr } = run('umount', '--lazy', path);
      if (status !== 0) throw new Error(`umount failed: ${stderr}`);
    },
  };
}

export function mayMount(): boolean {
  try {
    mountSmallDisk(65_536).unmount();
    return true;
  } catch {
    return false;
  }
}

/** Lets a process write nothing more into any file, or anything again. Reads still succeed. */
export function allowWrites(pid: number, allowed: boolean): void {
  const { status, error, stderr } = run(
    'prlimit',
    '--pid',
    String(pid),
    `--fsize=${allowed ? 'unlimited' : '0'}:unlimited`,
  );
  if (status !== 0) throw new Error(`prlimit failed: ${error?.message ?? stderr}`);
}

export function mayForbidWrites(): boolean {
  return run('prlimit', '--version').status === 0;
}
