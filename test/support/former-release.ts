import { execFile, execFileSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@sluice/testing';

const ROOT = join(__dirname, '..', '..');
const run = promisify(execFile);

/** Whether this clone has the commit: a shallow one does not have old ones. */
export function hasCommit(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Builds the server as it was at a commit, with the packages that are installed now.
 * @returns the folder, for `launchProcess`; it is removed after the test file
 */
export async function buildFormerRelease(commit: string): Promise<string> {
  const folder = temporaryDirectory();
  const root = join(folder, 'sluice');
  const archive = join(folder, 'sluice.tar');
  await mkdir(root);
  await run('git', ['archive', '--output', archive, commit], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', root]);
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  await run('npm', ['run', '--silent', 'build:server'], { cwd: root });
  return root;
}
