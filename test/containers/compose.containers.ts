import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { SERVICES } from '@sluice/contracts';
import { temporaryDirectory } from '@sluice/testing';
import { copyWithSecrets, readEnvFile, ROOT } from '../deploy/made-secrets';
import { freePort } from '../support/free-port';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

/** Distinguishes it from an installation of the same compose file on this machine. */
const PROJECT = 'sluice-containers-test';
const ENGINES = ['nats', 'eventstore', 'mongo', 'minio'];
const MINUTE = 60_000;

const run = promisify(execFile);
const answers = (...args: string[]) => spawnSync('docker', args, { timeout: 30_000 }).status === 0;
const missing = !answers('info')
  ? 'no Docker daemon'
  : !answers('compose', 'version')
    ? 'no docker compose'
    : undefined;
const suite = missing === undefined ? describe : describe.skip;

suite(missing === undefined ? 'the compose file' : `the compose file (${missing})`, () => {
  let folder: string;
  let env: Record<string, string>;
  let key: string;

  const compose = async (...args: string[]) => {
    const file = join(folder, 'deploy', 'compose.yaml');
    const { stdout } = await run('docker', ['compose', '-p', PROJECT, '-f', file, ...args], {
      env: { ...process.env, ...env },
      maxBuffer: 64 * 1_048_576,
    });
    return stdout.trim();
  };
  const command = async <T>(...args: string[]) => {
    const { code, stdout, stderr } = await sluice([...args, '--json'], env);
    if (code !== 0) throw new Error(`sluice ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout) as T;
  };
  const check = (device: string) =>
    fetch(`${env['SLUICE_SERVER']}/api/v1/updates/check`, {
      headers: { 'X-API-Key': key, 'X-Device-ID': device, 'X-Current-Version': '0.9.0', 'X-Platform': 'ios' },
    }).then(
      async (response) => `${response.status} ${String(((await response.json()) as { version?: string }).version)}`,
      (error: unknown) => String(error),
    );

  beforeAll(async () => {
    folder = temporaryDirectory();
    await copyWithSecrets(folder, 'compose');
    const port = await freePort();
    const file = join(folder, 'deploy', 'compose.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(':8080:8080', `:${port}:8080`));
    const version = process.env['SLUICE_VERSION'];
    if (version === undefined) {
      const image = ['--file', 'deploy/Dockerfile', '--tag', 'sluice:containers-test', '.'];
      await run('docker', ['build', ...image], { cwd: ROOT, maxBuffer: 64 * 1_048_576 });
    }
    const address = `http://127.0.0.1:${port}`;
    env = { SLUICE_VERSION: version ?? 'containers-test', PUBLIC_URL: address, SLUICE_SERVER: address };
    const { OWNER_KEY } = await readEnvFile(join(folder, 'deploy', 'secrets', 'registry.env'));
    env['OWNER_KEY'] = OWNER_KEY!;
    // Without what only watches: its images are large, and nothing here asks it.
    await compose('up', '--no-build', '--detach', '--wait', 'proxy', ...SERVICES).catch(async (error: unknown) => {
      throw new Error(`${String(error)}\n${await compose('logs', '--tail', '40')}`);
    });
  }, 30 * MINUTE);

  afterAll(() => compose('down', '--volumes', '--timeout', '20'), 3 * MINUTE);

  it('adds at most 175 MB to its base image, and runs as no root', async () => {
    const [, base = ''] = /^ARG BASE_IMAGE=(.+)$/m.exec(await readFile(join(ROOT, 'deploy', 'Dockerfile'), 'utf8'))!;
    const inspect = async (image: string, format: string) =>
      (await run('docker', ['image', 'inspect', '--format', format, image])).stdout.trim();
    const image = `sluice:${env['SLUICE_VERSION']}`;
    const [size, baseSize] = await Promise.all([inspect(image, '{{.Size}}'), inspect(base, '{{.Size}}')]);
    const added = (Number(size) - Number(baseSize)) / 1e6;
    process.stderr.write(`image: ${added.toFixed(0)} MB on top of ${base}\n`);
    expect(added).toBeLessThan(175);
    expect(await inspect(image, '{{.Config.User}}')).toBe('1000:1000');
  });

  it(
    'takes a release from nothing to a device, at one address',
    async () => {
      env['SLUICE_TOKEN'] = (
        await command<{ token: string }>('token', 'create', '--name', 'laptop', '--all-apps')
      ).token;
      const app = 'com.example.shop';
      await command('app', 'create', '--name', 'Shop', '--bundle-id', app);
      const created = ['key', 'create', '--app', app, '--name', 'installs'];
      key = (await command<{ plaintext_key: string }>(...created)).plaintext_key;
      const zip = join(folder, 'shop.zip');
      await writeFile(zip, await zipOf({ 'index.html': '<h1>Hello</h1>' }));
      const upload = ['upload', zip, '--app', app, '--version', '1.0.0', '--channel', 'staging', '--wait'];
      const { build } = await command<{ build: { id: number } }>(...upload);
      await command('build', 'promote', String(build.id), '--app', app, '--to', 'production');
      const device = ['--key', key, '--device', 'phone', '--current', '0.9.0'];
      const loaded = join(folder, 'loaded.zip');
      expect(await command('check', ...device, '--download', loaded)).toMatchObject({ available: true });
      expect((await readFile(loaded)).equals(await readFile(zip))).toBe(true);
    },
    5 * MINUTE,
  );

  it(
    'is found well by sluice doctor',
    async () => {
      const { code, stdout } = await sluice(['doctor', '--json'], env);
      expect([code, stdout]).toEqual([0, expect.not.stringContaining('"error"')]);
    },
    2 * MINUTE,
  );

  it(
    'keeps answering devices while everything but their own service restarts, one after the other',
    async () => {
      const restarts = new AbortController();
      const answered: string[] = [];
      const devices = (async () => {
        for (let n = 0; !restarts.signal.aborted; n += 1) {
          answered.push(await check(`device-${n % 100}`));
          await delay(50);
        }
      })();
      const others = SERVICES.filter((name) => name !== 'device-updates');
      try {
        for (const name of [...ENGINES, ...others]) {
          await compose('restart', '--timeout', '20', name);
          await compose('up', '--no-build', '--detach', '--wait', name);
        }
      } finally {
        restarts.abort();
        await devices;
      }
      expect(answered.length).toBeGreaterThan(0);
      expect(answered.filter((answer) => answer !== '200 1.0.0')).toEqual([]);
      await command('app', 'list');
    },
    20 * MINUTE,
  );

  it(
    'gets its device plane back behind the proxy after a restart, and stops cleanly',
    async () => {
      await compose('restart', '--timeout', '20', 'device-updates');
      await compose('up', '--no-build', '--detach', '--wait', 'device-updates', 'proxy');
      expect(await check('device')).toBe('200 1.0.0');
      await compose('stop', '--timeout', '20', ...SERVICES);
      for (const name of SERVICES) {
        const id = await compose('ps', '--all', '--quiet', name);
        const { stdout } = await run('docker', ['inspect', '--format', '{{.State.ExitCode}}', id]);
        expect([name, stdout.trim()]).toEqual([name, '0']);
      }
    },
    5 * MINUTE,
  );
});
