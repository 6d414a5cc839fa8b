import { spawn } from 'node:child_process';
import { cp, mkdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { VERSION } from '@sluice/config';
import { temporaryDirectory } from '@sluice/testing';

const ROOT = resolve(__dirname, '../..');
/** What a build of the server needs; without a lock file nothing is installed. */
const CHECKOUT = ['package.json', 'setup.mjs', 'nest-cli.json', '.swcrc', 'tsconfig.json', 'libs', 'services'];
const BROWSER_CODE = /libs\/(console|error-tracking)$/;

describe('npx sluice in a checkout', () => {
  let checkout: string;
  /** Without what Jest's own npm and Node were started with. */
  const outside = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name !== 'NODE_OPTIONS' && !name.startsWith('npm_')),
  );

  async function run(command: string, ...args: string[]): Promise<string> {
    const child = spawn(command, args, {
      cwd: checkout,
      env: { ...outside, npm_config_cache: join(checkout, '.npm'), npm_config_offline: 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return out === '' ? errors : out.trim();
  }

  beforeAll(async () => {
    checkout = temporaryDirectory();
    for (const path of CHECKOUT) {
      await cp(join(ROOT, path), join(checkout, path), {
        recursive: true,
        preserveTimestamps: true,
        filter: (source) => !BROWSER_CODE.test(source),
      });
    }
    await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  });

  it('runs after the first build, and after each rebuild', async () => {
    await run(process.execPath, 'setup.mjs');
    expect(await run('npx', 'sluice', '--version')).toBe(VERSION);

    const now = new Date();
    await utimes(join(checkout, 'services/gateway/main.ts'), now, now);
    await run(process.execPath, 'setup.mjs');
    expect(await run('npx', 'sluice', '--version')).toBe(VERSION);

    await run('npm', 'run', 'build:server');
    expect(await run('npx', 'sluice', '--version')).toBe(VERSION);

    const page = join(checkout, 'dist/console/index.html');
    await mkdir(join(checkout, 'dist/console'));
    await writeFile(page, 'the built console');
    await run('npx', 'nest', 'build', 'gateway');
    expect(await readFile(page, 'utf8')).toBe('the built console');
  }, 180_000);
});
