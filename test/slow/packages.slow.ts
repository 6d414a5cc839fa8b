import { execFile, type ExecFileOptions } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createDashboardClient } from '@sluice/client';
import { VERSION } from '@sluice/config';
import { temporaryDirectory } from '@sluice/testing';
import { transform } from 'esbuild';
import { standalone, type Deployment } from '../support/deployment';
import { zipOf } from '../support/zip';

interface Published {
  /** Its folder in libs. */
  readonly name: string;
  /** Those of its `exports` that work without optional peers, when not all do. */
  readonly entries?: readonly string[];
  /** Documents and what they print: of the README its first TypeScript snippet is run, of a guide all as one program. */
  readonly examples: Readonly<Record<string, RegExp>>;
  /** TypeScript in front of an example: what it takes from the reader's own program. */
  readonly prelude?: string;
  /** The examples call a server: the one at https://updates.example.com has the app com.example.shop. */
  readonly callsServer?: true;
}

/** The most that a package with a command may install. */
const MAX_PACKAGES = 40;
const MAX_BYTES = 20_000_000;

/** `npm run pack` makes the tarball of each. */
const PUBLISHED: readonly Published[] = [
  { name: 'cli', examples: {} },
  {
    name: 'client',
    examples: {
      'libs/client/README.md': /^(\d+%\n)+build \d+ is processing\n1\.4\.0 \w+\n$/,
      'docs/guides/typescript-client.md':
        /^reader \[ 'manage' \]\n(\d+ of \d+ bytes\n)+2\.0\.0 rolling_out 50\n422 VALIDATION_FAILED \{ name: \[.*\] \} \w{32}\n\d+\n\d+ \d+\n$/,
    },
    callsServer: true,
  },
  {
    name: 'device',
    // device-package.e2e.ts runs it with a server.
    prelude: `
      process.env['APP_KEY'] = 'svc_app_key';
      const { publicKey } = (await import('node:crypto')).generateKeyPairSync('rsa', { modulusLength: 2048 });
      await (await import('node:fs/promises')).writeFile('public.pem', publicKey.export({ type: 'spki', format: 'pem' }));
      globalThis.fetch = () => Promise.resolve(new Response('{}', { status: 401 }));`,
    examples: { 'libs/device/README.md': /^Running 1\.0\.0 from app\nNo update: rejected\n$/ },
  },
  {
    name: 'error-tracking',
    entries: ['.', './core'],
    examples: { 'libs/error-tracking/README.md': /^$/ },
    prelude: 'const pay = (): Promise<void> => Promise.resolve();',
  },
];

const ROOT = resolve(__dirname, '../..');
const MODULES = join(ROOT, 'node_modules');
/** Without what Jest's own npm and Node were started with. */
const OUTSIDE = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== 'NODE_OPTIONS' && !name.startsWith('npm_')),
);

/** What it prints. @throws Error with what a command that fails has printed */
async function execute(command: string, args: readonly string[], options: ExecFileOptions = {}): Promise<string> {
  try {
    return String((await promisify(execFile)(command, args, options)).stdout);
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly publishConfig: unknown;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** The folders of what a package depends on, and of what those depend on, as they are installed here. */
function dependenciesOf(folder: string, found = new Set<string>()): Set<string> {
  const require = createRequire(join(folder, 'package.json'));
  for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
    const places = require.resolve.paths(name) ?? [];
    const dependency = [...places, MODULES].map((place) => join(place, name)).find((path) => existsSync(path))!;
    if (found.has(dependency)) continue;
    found.add(dependency);
    dependenciesOf(dependency, found);
  }
  return found;
}

it('covers every package that npm run pack makes', () => {
  const libs = readdirSync(join(ROOT, 'libs')).filter((name) => existsSync(join(ROOT, 'libs', name, 'package.json')));
  expect(PUBLISHED.map(({ name }) => name).sort()).toEqual(libs);
});

/** The examples of all packages, each in the folder where its package is installed. */
const sources: string[] = [];

describe.each(PUBLISHED)('@sluice/$name', ({ name, entries, examples, prelude = '', callsServer }) => {
  const source = join(ROOT, 'libs', name);
  const manifest = manifestOf(source);
  const tarball = join(ROOT, 'dist/packages', `sluice-${name}-${VERSION}.tgz`);
  const built = Object.entries(manifest.exports ?? {}).flatMap(([path, target]) =>
    typeof target === 'object' ? [path] : [],
  );
  let app: string;
  let env: Readonly<Record<string, string>> = {};
  let deployment: Deployment | undefined;

  /** For each program, an app of its own. */
  async function onServer(program: string): Promise<string> {
    const [server] = deployment!.gateways as [string];
    const owner = createDashboardClient({ server, ownerKey: env['OWNER_KEY']! });
    const { data: shop } = await owner.post('/apps', { body: { name: 'Shop' } });
    return program.replaceAll('https://updates.example.com', server).replaceAll('com.example.shop', shop.app_id);
  }

  const run = (command: string, ...args: string[]): Promise<string> => {
    const npm = { npm_config_cache: join(app, '.npm'), npm_config_offline: 'true' };
    return execute(command, args, { cwd: app, env: { ...OUTSIDE, ...npm, ...env } });
  };
  const node = (...args: string[]): Promise<string> => run(process.execPath, ...args);

  async function write(path: string, text: string): Promise<string> {
    await writeFile(join(app, path), text);
    return join(app, path);
  }

  /** The imports of a document's snippets, and what follows them. */
  function exampleOf(path: string): { imports: string; body: string } {
    const blocks = [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)];
    const text = blocks.map(([, block = '']) => block).slice(0, path.endsWith('README.md') ? 1 : undefined);
    const lines = text.join('').split('\n');
    const isImport = (line: string) => line.startsWith('import ');
    const rest = lines.filter((line) => !isImport(line));
    return { imports: `${lines.filter(isImport).join('\n')}\n`, body: `${prelude}\n${rest.join('\n')}` };
  }

  beforeAll(async () => {
    app = join(temporaryDirectory(), 'app');
    await mkdir(app);
    await write('package.json', '{ "name": "app", "private": true }');
    // Its dependencies are those of this checkout: nothing is downloaded.
    const dependencies = [...dependenciesOf(source)];
    await run('npm', 'install', '--no-audit', '--no-fund', '--install-links', tarball, ...dependencies);
    for (const [index, path] of Object.keys(examples).entries()) {
      const { imports, body } = exampleOf(path);
      sources.push(await write(`${index}.mts`, `${imports}${body}`));
      sources.push(await write(`${index}.cts`, `${imports}void (async () => {${body}})();`));
    }
    if (callsServer !== true) return;
    deployment = await standalone.deploy();
    const ownerKey = await deployment.ownerKey();
    const owner = createDashboardClient({ server: deployment.gateways[0]!, ownerKey });
    const { data } = await owner.post('/tokens', { body: { name: 'reader', permissions: ['manage'], all_apps: true } });
    env = { OWNER_KEY: ownerKey, SLUICE_TOKEN: data.token };
    await writeFile(join(app, 'bundle.zip'), await zipOf({ 'index.html': '<h1>Shop</h1>' }));
  }, 60_000);

  afterAll(() => deployment?.destroy());

  it('states the version of this release, its licence, and that it is public', () => {
    const { version, license, publishConfig } = manifestOf(join(app, 'node_modules/@sluice', name));
    expect({ version, license, publishConfig }).toEqual({
      ...{ version: VERSION, license: 'Apache-2.0', publishConfig: { access: 'public' } },
    });
  });

  it('depends on the versions that this release is tested with', () => {
    const { dependencies = {} } = manifestOf(ROOT);
    for (const [dependency, range] of Object.entries(manifest.dependencies ?? {}))
      expect([dependency, range]).toEqual([dependency, dependencies[dependency]]);
  });

  it('holds its licence, its README and what is built, and nothing else', async () => {
    const paths = (await run('tar', 'tzf', tarball)).trim().split('\n');
    expect(paths).toEqual(expect.arrayContaining(['package/LICENSE', 'package/README.md', 'package/package.json']));
    const expected = /^package\/(LICENSE|README\.md|(cjs\/)?package\.json|.*\.js|.*\.d\.ts|.*\.schema\.json)$/;
    expect(paths.filter((path) => !expected.test(path))).toEqual([]);
  });

  it('has nothing for publint to report', async () => {
    const report = await node(join(MODULES, 'publint/src/cli.js'), tarball, '--strict');
    expect(report).toContain('All good!');
  });

  for (const command of Object.keys(manifest.bin ?? {})) {
    it(`is small, and runs \`${command}\``, async () => {
      const modules = join(app, 'node_modules');
      const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const bytes = files.reduce((sum, { parentPath, name: file }) => sum + statSync(join(parentPath, file)).size, 0);
      const packages = files.filter(
        ({ parentPath, name: file }) => file === 'package.json' && /node_modules\/(@[^/]+\/)?[^/@]+$/.test(parentPath),
      );
      expect(packages.length).toBeLessThanOrEqual(MAX_PACKAGES);
      expect(bytes).toBeLessThanOrEqual(MAX_BYTES);

      const started = performance.now();
      expect(await run('npx', command, '--version')).toBe(`${VERSION}\n`);
      expect(await run('npx', command, '--help')).toContain(`Usage: ${command}`);
      const seconds = ((performance.now() - started) / 1_000).toFixed(1);
      process.stderr.write(
        `@sluice/${name}: ${packages.length} packages, ${(bytes / 1e6).toFixed(1)} MB; --version and --help took ${seconds} s\n`,
      );
    });
  }

  if (built.length > 0) {
    it('has types that are right for every kind of import', async () => {
      const report = await node(join(MODULES, '@arethetypeswrong/cli/dist/index.js'), tarball, '--no-color');
      expect(report).toContain('No problems found');
    });

    it('exports the same to ES modules and to CommonJS', async () => {
      const list = JSON.stringify((entries ?? built).map((path) => join('@sluice', name, path)));
      const esm = await write(
        'use.mjs',
        `for (const entry of ${list}) console.log(entry, Object.keys(await import(entry)).filter((name) => name !== 'default').sort());`,
      );
      const cjs = await write(
        'use.cjs',
        `for (const entry of ${list}) console.log(entry, Object.keys(require(entry)).sort());`,
      );
      const exported = await node(esm);
      expect(exported).toContain(`@sluice/${name} [`);
      expect(await node(cjs)).toBe(exported);
    });

    it.each(Object.entries(examples).map(([path, prints], index) => [path, prints, index] as const))(
      'has an example in %s that runs as an ES module and as CommonJS',
      async (_, prints, index) => {
        for (const [extension, format] of [
          ['m', 'esm'],
          ['c', 'cjs'],
        ] as const) {
          const text = readFileSync(join(app, `${index}.${extension}ts`), 'utf8');
          const { code } = await transform(text, { loader: 'ts', format });
          const program = callsServer === true ? await onServer(code) : code;
          expect(await node(await write(`${index}.${extension}js`, program))).toMatch(prints);
        }
      },
    );
  }
});

it('publishes types with which every example compiles, as an ES module and as CommonJS', async () => {
  expect(sources.length).toBeGreaterThan(PUBLISHED.length);
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  await execute(process.execPath, [
    ...[join(MODULES, 'typescript/bin/tsc'), ...options, '--typeRoots', join(MODULES, '@types'), ...sources],
  ]);
}, 60_000);
