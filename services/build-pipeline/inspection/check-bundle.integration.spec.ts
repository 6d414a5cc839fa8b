import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sweepAbandonedCopies } from './check-bundle';

it('removes the copies of checks that were killed, and neither fresh ones nor what is not its own', async () => {
  const [killed = '', fresh = '', foreign = ''] = await Promise.all(
    ['sluice-bundle-', 'sluice-bundle-', 'other-'].map((prefix) => mkdtemp(join(tmpdir(), prefix))),
  );
  try {
    await writeFile(join(killed, 'bundle.zip'), 'half a bundle');
    const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1_000);
    await Promise.all([killed, foreign].map((folder) => utimes(folder, longAgo, longAgo)));
    await sweepAbandonedCopies();
    const left = await readdir(tmpdir());
    expect(left).not.toContain(basename(killed));
    expect(left).toEqual(expect.arrayContaining([basename(fresh), basename(foreign)]));
  } finally {
    await Promise.all([killed, fresh, foreign].map((folder) => rm(folder, { recursive: true, force: true })));
  }
});
