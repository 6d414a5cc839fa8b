import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { VERSION } from '@sluice/config';
import { temporaryDirectory } from '@sluice/testing';
import { transform } from 'esbuild';

interface Published {
  /** Its folder in libs. */
  readonly name: string;
  /** Those of its `exports` that work without optional peers, when not all do. */
  readonly entries?: readonly string[];
  /** TypeScript in front of the README's example: what the example takes from the reader's own program. */
  readonly prelude?: string;
  /** What the example prints, of a package with `exports`. */
  readonly prints?: RegExp;
}

/** The most that a package with a command may install. */
const MAX_PACKAGES = 40;
const MAX_BYTES = 20_000_000;

/** `npm run pack` makes the tarball of each. */
const PUBLISHED: readonly Published[] = [
  { name: 'cli' },
  {
    name: 'device',
    // Its test in test/e2e runs it with a server.
    prelude: `
      process.env['APP_KEY'] = 'svc_app_key';
      const { publicKey } = (await import('node:crypto')).generateKeyPairSync('rsa', { modulusLength: 2048 });
      await (await import('node:fs/promises')).writeFile('public.pem', publicKey.export({ type: 'spki', format: 'pem' }));
      globalThis.fetch = () => Promise.resolve(new Response('{}', { status: 401 }));`,
    prints: /^Running 1\.0\.0 from app\nNo update: rejected\n$/,
  },
  {
    name: 'error-tracking',
    entries: ['.', './core'],
    prelude: 'const pay = (): Promise<void> => Promise.resolve();',
    prints: /^$/,
  },
];

const ROOT = resolve(__dirname, '../..');
const MODULES = join(ROOT, 'node_modules');
/** Without what Jest's own npm and Node were started with. */
const OUTSIDE = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== 'NODE_OPTIONS' && !name.startsWith('npm_')),
);

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly publishConfig: unknown;
  readonly engines: unknown;
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

describe.each(PUBLISHED)('@sluice/$name', ({ name, entries, prelude = '', prints = /^$/ }) => {
  const source = join(ROOT, 'libs', name);
  const manifest = manifestOf(source);
  const tarball = join(ROOT, 'dist/packages', `sluice-${name}-${VERSION}.tgz`);
  const built = Object.entries(manifest.exports ?? {}).flatMap(([path, target]) =>
    typeof target === 'object' ? [path] : [],
  );
  let app: string;

  async function run(command: string, ...args: string[]): Promise<string> {
    const env = { ...OUTSIDE, npm_config_cache: join(app, '.npm'), npm_config_offline: 'true' };
    try {
      return (await promisify(execFile)(command, args, { cwd: app, env })).stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
    }
  }

  const node = (...args: string[]): Promise<string> => run(process.execPath, ...args);

  async function write(path: string, text: string): Promise<string> {
    await writeFile(join(app, path), text);
    return join(app, path);
  }

  /** The imports of the README's first example, and what follows them. */
  function example(): { imports: string; body: string } {
    const [, text = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(join(source, 'README.md'), 'utf8')) ?? [];
    const [imports] = /^(import .*;\n+)*/.exec(text)!;
    return { imports, body: `${prelude}\n${text.slice(imports.length)}` };
  }

  beforeAll(async () => {
    app = join(temporaryDirectory(), 'app');
    await mkdir(app);
    await write('package.json', '{ "name": "app", "private": true }');
    // Its dependencies are those of this checkout: nothing is downloaded.
    const dependencies = [...dependenciesOf(source)];
    await run('npm', 'install', '--no-audit', '--no-fund', '--install-links', tarball, ...dependencies);
  }, 60_000);

  it('states the version of this release, its licence, its Node and that it is public', () => {
    const { version, license, publishConfig, engines } = manifestOf(join(app, 'node_modules/@sluice', name));
    const { engines: ours } = manifestOf(ROOT);
    expect({ version, license, publishConfig, engines }).toEqual({
      ...{ version: VERSION, license: 'Apache-2.0', publishConfig: { access: 'public' }, engines: ours },
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

    it('has an example that compiles and runs as an ES module and as CommonJS', async () => {
      const { imports, body } = example();
      const sources = {
        'example.mts': `${imports}${body}`,
        'example.cts': `${imports}void (async () => {${body}})();`,
      };
      for (const [path, text] of Object.entries(sources)) await write(path, text);
      const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
      const typeRoots = ['--typeRoots', join(MODULES, '@types')];
      await node(join(MODULES, 'typescript/bin/tsc'), ...options, ...typeRoots, ...Object.keys(sources));
      for (const [path, text] of Object.entries(sources)) {
        const format = path.endsWith('.mts') ? 'esm' : 'cjs';
        const { code } = await transform(text, { loader: 'ts', format });
        expect(await node(await write(path.replace('ts', 'js'), code))).toMatch(prints);
      }
    }, 60_000);
  }
});
