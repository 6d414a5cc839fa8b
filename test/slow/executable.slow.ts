import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile, mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { VERSION } from '@sluice/config';
import { temporaryDirectory } from '@sluice/testing';
import { runProgram, shellBlocks } from '../support/shell';

const ROOT = join(__dirname, '..', '..');
const PAGE = 'docs/operations/executable.md';
const [BUILD = '', ...COMMANDS] = shellBlocks(PAGE);
const NOBODY = 65_534;
const EMULATOR = ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'];

jest.setTimeout(180_000);

const supported = process.platform === 'linux' && process.arch === 'x64';
const emulated =
  spawnSync('qemu-aarch64', ['--version']).status === 0 && existsSync('/usr/aarch64-linux-gnu/lib/libstdc++.so.6');

const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

class Running {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;
  /** The address of the server, once it is ready. */
  readonly ready: Promise<string>;

  constructor(private readonly child: ChildProcess) {
    this.ended = once(child, 'close').then(([code]) => ({
      ...{ code: code as number | null, stdout: this.stdout, stderr: this.stderr },
    }));
    child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.ready = new Promise((resolve, reject) => {
      createInterface({ input: child.stderr! }).on('line', (line) => {
        this.stderr += `${line}\n`;
        if (line.includes('"Sluice is ready"')) resolve((JSON.parse(line) as { address: string }).address);
      });
      void this.ended.then(({ code }) => reject(new Error(`It ended with ${code}:\n${this.stdout}${this.stderr}`)));
    });
    this.ready.catch(() => undefined);
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }
}

const running: Running[] = [];

/** Starts a program with no other environment than that given. */
function start(
  [program = '', ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  uid?: number,
): Running {
  const owner = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], ...owner });
  const one = new Running(child);
  running.push(one);
  return one;
}

/** Resolves once `isTrue`, which is looked at often. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20));
}

(supported ? describe : describe.skip)('the executable, on Linux on x64', () => {
  let folder: string;
  let sluice: string;
  const data = (...parts: string[]) => join(folder, 'data', ...parts);

  const serve = (env: Readonly<Record<string, string>> = {}, uid?: number) =>
    start([sluice, 'start'], folder, { PORT: '0', ...env }, uid);
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    start([sluice, ...args], folder, env).ended;
  const json = async <Result>(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Result> => {
    const { code, stdout, stderr } = await run([...args, '--json'], env);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return JSON.parse(stdout) as Result;
  };

  /** What is unpacked below a data folder: when each file was written, and its SHA-256. */
  function unpacked(runtime = data('.runtime')) {
    const files = readdirSync(runtime, { recursive: true })
      .map(String)
      .filter((path) => statSync(join(runtime, path)).isFile());
    return new Map(files.map((path) => [path, [statSync(join(runtime, path)).mtimeMs, sha256(join(runtime, path))]]));
  }
  const hashes = (runtime?: string) => new Map([...unpacked(runtime)].map(([path, [, hash]]) => [path, hash]));

  beforeAll(async () => {
    await runProgram(['bash', '-ec', BUILD], {
      cwd: ROOT,
      env: { HOME: process.env['HOME'] ?? ROOT, npm_config_offline: 'false' },
    });
    folder = temporaryDirectory();
    sluice = join(folder, 'sluice');
    await copyFile(join(ROOT, 'dist/executable/sluice-linux-x64'), sluice);
  });

  afterEach(() => Promise.all(running.splice(0).map((one) => one.stop('SIGKILL'))));

  it('lists server and CLI in its help, and unpacks nothing for it', async () => {
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${VERSION}\n` });
    const { stdout } = await run(['--help']);
    for (const command of ['start', 'quickstart', 'upload', 'check']) expect(stdout).toMatch(`\n  ${command} `);
    expect(await run(['bogus'])).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown command') });
    expect(readdirSync(folder)).toEqual(['sluice']);
  });

  it('serves console and documentation, and takes a build from its CLI to a device', async () => {
    const server = start([sluice], folder, { PORT: '0' });
    const address = await server.ready;
    for (const [path, text] of [
      ['/console/', '<title>Sluice</title>'],
      ['/docs/operations/executable', 'quickstart'],
      ['/health/ready', '"ready"'],
    ] as const) {
      const response = await fetch(address + path);
      expect([path, response.status, await response.text()]).toEqual([path, 200, expect.stringContaining(text)]);
    }

    const env: Record<string, string> = { SLUICE_SERVER: address };
    const { token } = await json<{ token: string }>(['token', 'create', '--name', 'test', '--all-apps'], env);
    env['SLUICE_TOKEN'] = token;
    const app = 'com.example.shop';
    await json(['app', 'create', '--name', 'Shop', '--bundle-id', app], env);
    // On the thread for RSA.
    await json(['signing-key', 'create', '--app', app], env);
    const { plaintext_key: key } = await json<{ plaintext_key: string }>(
      ['key', 'create', '--app', app, '--name', 'installs'],
      env,
    );
    await mkdir(join(folder, 'www'));
    await writeFile(join(folder, 'www', 'index.html'), '<h1>Hello</h1>');
    await json(['upload', 'www', '--app', app, '--version', '1.0.0', '--channel', 'production', '--wait'], env);
    const check = ['check', '--key', key, '--device', 'phone', '--current', '0.9.0', '--download', 'update.zip'];
    expect(await json(check, env)).toMatchObject({ available: true, version: '1.0.0', file: 'update.zip' });
    expect(statSync(join(folder, 'update.zip')).size).toBeGreaterThan(100);
    // In the process that counts.
    const statistics = await fetch(`${address}/api/public/v1/apps/${app}/adoption`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(statistics.status).toBe(200);

    expect(await server.stop()).toMatchObject({ code: 0 });
    expect(server.stderr).not.toMatch(/"level":"(warn|error|fatal)"/);
  });

  it('uses again what it unpacked, also from a read-only folder', async () => {
    const before = unpacked();
    // The superuser can write to every folder.
    const user = process.getuid?.() === 0 ? NOBODY : undefined;
    const paths = [
      folder,
      sluice,
      data(),
      ...readdirSync(data(), { recursive: true }).map((path) => data(String(path))),
    ];
    if (user !== undefined) for (const path of paths) chownSync(path, user, user);
    await runProgram(['chmod', '-R', 'a-w', data('.runtime')], { cwd: folder });
    const server = serve({}, user);
    expect((await fetch(`${await server.ready}/console/`)).status).toBe(200);
    expect(await server.stop()).toMatchObject({ code: 0 });
    expect(unpacked()).toEqual(before);
    await runProgram(['chmod', '-R', 'u+w', data('.runtime')], { cwd: folder });
  });

  it('replaces damaged and missing files', async () => {
    const before = hashes();
    const addon = [...before.keys()].find((path) => path.endsWith('index.node'))!;
    const worker = [...before.keys()].find((path) => path.endsWith('inspection.worker.js'))!;
    await truncate(data('.runtime', addon), 1_000_000);
    await writeFile(data('.runtime', worker), 'process.exit(1)');
    await rm(data('.runtime', addon.split('/')[0]!, 'docs'), { recursive: true });
    const server = serve();
    expect((await fetch(`${await server.ready}/docs/concepts`)).status).toBe(200);
    expect(await server.stop()).toMatchObject({ code: 0 });
    expect(hashes()).toEqual(before);
  });

  it('unpacks in several processes at the same time, some of which are killed, and reports a port in use', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const runtime = join(folder, 'several', '.runtime');
    const env = { DATA_DIR: 'several', PORT: String(port) };
    const killed = [1, 2].map(() => serve(env));
    await until(() => existsSync(runtime) && readdirSync(runtime, { recursive: true }).length > 10);
    const others = [1, 2].map(() => serve(env));
    for (const one of killed) await one.stop('SIGKILL');
    for (const other of others) {
      const { code, stdout, stderr } = await other.ended;
      const { msg } = JSON.parse(stderr) as { msg: string };
      expect({ code, stdout, msg }).toEqual({
        code: 1,
        stdout: '',
        msg: `Sluice can not start. Port ${port} of 127.0.0.1 is already in use (EADDRINUSE). Stop the program that uses it, or set PORT or METRICS_PORT to a free port.`,
      });
    }
    listener.close();
    for (const [path, hash] of hashes()) expect([path, sha256(join(runtime, path))]).toEqual([path, hash]);
  });

  it('reports a data folder that it can not write to', async () => {
    await writeFile(join(folder, 'file'), '');
    const { code, stderr } = await run(['start'], { DATA_DIR: 'file/data' });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: could not unpack files to .*ENOTDIR.*DATA_DIR/s),
    ]);
  });

  it('shows a release and an update by one command', async () => {
    const env = { DATA_DIR: 'quickstart', PORT: '0' };
    const server = start([sluice, 'quickstart'], folder, env);
    await Promise.race([until(() => server.stdout.includes('repeat commands')), server.ready]);
    const exported = Object.fromEntries(
      [...server.stdout.matchAll(/export (\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
    );
    expect(server.stdout).toContain('A device with version 0.9.0 downloaded 1.0.0');
    const builds = ['build', 'list', '--app', 'com.example.quickstart', '--channel', 'production'];
    expect(await json(builds, exported)).toEqual([expect.objectContaining({ version: '1.0.0' })]);
    expect(await server.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });
    const again = await run(['quickstart'], env);
    expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('needs an empty DATA_DIR') });
  });

  it(`runs the commands of ${PAGE}`, async () => {
    const [, starting = '', commands = ''] = COMMANDS;
    expect(COMMANDS.map((block) => block.trim())).toEqual(['./sluice quickstart', './sluice start', commands.trim()]);
    expect(readFileSync(join(ROOT, PAGE), 'utf8')).toContain(`ExecStart=/usr/local/bin/${starting.slice('./'.length)}`);
    const server = serve({ DATA_DIR: 'documented' });
    const env = { SLUICE_SERVER: await server.ready, DATA_DIR: 'documented' };
    const output = await runProgram(['bash', '-e', '-o', 'pipefail', '-c', commands], { cwd: folder, env });
    expect(output).toMatch(/com\.example\.shop[\s\S]*com\.example\.shop/);
    await server.stop();
  });

  (emulated ? it : it.skip)('starts on arm64, under qemu-aarch64', async () => {
    const file = join(ROOT, 'dist/executable/sluice-linux-arm64');
    const PATH = process.env['PATH']!;
    expect(await start([...EMULATOR, file, '--version'], folder, { PATH }).ended).toMatchObject({
      ...{ code: 0, stdout: `${VERSION}\n` },
    });
    const server = start([...EMULATOR, file], folder, { PATH, PORT: '0', DATA_DIR: 'arm64' });
    const response = await fetch(`${await server.ready}/docs/concepts`);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Concepts')]);
    expect(await server.stop()).toMatchObject({ code: 0 });
  });
});
