import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = join(__dirname, '..', '..');

/** Copies `deploy` and `k8s` into the folder and makes secrets there, as an operator does. */
export async function copyWithSecrets(folder: string, kind: 'compose' | 'development'): Promise<void> {
  for (const part of ['deploy', 'k8s']) {
    const filter = (path: string) => !/\.env$|\/deploy\/secrets$/.test(path) || path.endsWith('settings.env');
    await cp(join(ROOT, part), join(folder, part), { recursive: true, filter });
  }
  await promisify(execFile)(process.execPath, [join(folder, 'deploy', 'make-secrets.mjs'), kind]);
}

/** A file of lines `NAME=value`. */
export async function readEnvFile(path: string): Promise<Record<string, string>> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
