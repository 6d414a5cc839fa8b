import { spawn, type SpawnOptions, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, createReadStream, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { bench, decimals } from './bench';

/** From an empty folder to a device that has downloaded its first update, by one command. */
const ROOT = join(__dirname, '..', '..');
const EXECUTABLE = join(ROOT, 'dist', 'executable', `sluice-linux-${process.arch}`);
/** The first that `quickstart` prints after the device verified the bundle. */
const UPDATED = /^A device with version .* downloaded .* verified its checksum/m;

function run(command: string, args: readonly string[], options: SpawnOptions): void {
  const { status } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed.`);
}

/** Runs `quickstart` until the device is updated, and stops it. Returns the seconds until then. */
async function firstUpdate(command: string, args: readonly string[], options: SpawnOptions): Promise<number> {
  const begin = performance.now();
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const ended = once(child, 'close');
  let printed = '';
  const seconds = await new Promise<number>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (UPDATED.test(printed)) resolve((performance.now() - begin) / 1_000);
    });
    void ended.then(([code]) =>
      reject(new Error(`${command} ended with ${code} before a device was updated:\n${printed}`)),
    );
  });
  // With the processes that npm started.
  process.kill(-child.pid!, 'SIGTERM');
  await ended;
  return seconds;
}

async function gzippedSize(path: string): Promise<number> {
  let size = 0;
  for await (const chunk of createReadStream(path).pipe(createGzip())) size += (chunk as Buffer).length;
  return size;
}

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

const megabytes = (bytes: number) => `${decimals(bytes / 1e6)} MB`;

void bench('first-update', async ({ folder, say, judge }) => {
  run(process.execPath, ['executable.mjs'], { cwd: ROOT });
  const bare = join(folder, 'bare');
  mkdirSync(bare);
  copyFileSync(EXECUTABLE, join(bare, 'sluice'));
  say(`executable: ${megabytes(statSync(EXECUTABLE).size)}, with gzip ${megabytes(await gzippedSize(EXECUTABLE))}`);
  const seconds = await firstUpdate('./sluice', ['quickstart'], { cwd: bare, env: { PORT: '0' } });
  judge('./sluice quickstart, until a device is updated', seconds, 's', { atMost: 60 });
  if (process.env['FROM_CLONE'] !== '1') return;

  const clone = join(folder, 'clone');
  const cache = join(folder, 'npm');
  const begin = performance.now();
  run('git', ['clone', '--quiet', '--no-local', ROOT, clone], {});
  const cloned = (performance.now() - begin) / 1_000;
  const env = { ...process.env, PORT: '0', npm_config_cache: cache };
  const fromClone = cloned + (await firstUpdate('npm', ['run', '--silent', 'quickstart'], { cwd: clone, env }));
  const packages = sizeOf(join(cache, '_cacache', 'content-v2'));
  const history = sizeOf(join(clone, '.git', 'objects'));
  say(`clone: ${megabytes(history)} of history and ${megabytes(packages)} of packages, without Node and npm`);
  say(`git clone and npm run quickstart, until a device is updated: ${decimals(fromClone)} s`);
});
