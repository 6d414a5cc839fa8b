import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { temporaryDirectory } from '@sluice/testing';
import { build } from 'esbuild';
import { startCollector, type Collector } from '../../libs/error-tracking/demo/collector';

const ROOT = resolve(__dirname, '../..');
const PACKAGE = join(ROOT, 'dist/packages/error-tracking');
/** Without what Jest's own npm and Node were started with. */
const OUTSIDE = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== 'NODE_OPTIONS' && !name.startsWith('npm_')),
);
const DISPATCHED = { dispatched: ['provider_1', 'provider_8'], skipped: [], failed: [] };

let folder: string;
let app: string;
let collector: Collector;

async function run(command: string, ...args: string[]): Promise<string> {
  const env = { ...OUTSIDE, npm_config_cache: join(folder, '.npm'), npm_config_offline: 'true' };
  try {
    return (await promisify(execFile)(command, args, { cwd: app, env })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

const node = (...args: string[]): Promise<string> => run(process.execPath, ...args);

async function write(path: string, text: string): Promise<string> {
  await mkdir(dirname(join(app, path)), { recursive: true });
  await writeFile(join(app, path), text);
  return join(app, path);
}

/** Logs one error through the package and one through its entries, as a page would; needs both functions and `load`. */
const use = (): string => `
  globalThis.window = globalThis;
  globalThis.document = {};
  globalThis.location = { pathname: '/', href: 'http://app.example/' };
  Object.defineProperty(globalThis, 'navigator', { value: { userAgent: 'Linux', language: 'en' }, configurable: true });
  const log = async (create, entries) => {
    const tracking = create({
      errorTracking: {
        providers: ['provider_1', 'provider_8'],
        provider_1: { dsn: ${JSON.stringify(`${collector.address.replace('//', '//key@')}/1`)} },
        provider_8: { appSecret: 'secret', endpoint: ${JSON.stringify(collector.address)} },
      },
    }, entries);
    await tracking.initialize();
    await tracking.setConsent({ errorTracking: true });
    return tracking.logError(new Error('heard'));
  };
  const use = async () => [
    await log(createErrorTracking),
    await log(createFromEntries, { provider_1: () => load('sentry'), provider_8: () => load('app-center') }),
  ];`;

const REQUIRES = `
  const { createErrorTracking } = require('@sluice/error-tracking');
  const { createErrorTracking: createFromEntries } = require('@sluice/error-tracking/core');
  const load = async (name) => require('@sluice/error-tracking/' + name);`;
const IMPORTS = `
  import { createErrorTracking } from '@sluice/error-tracking';
  import { createErrorTracking as createFromEntries } from '@sluice/error-tracking/core';
  const load = (name) => import('@sluice/error-tracking/' + name);`;

beforeAll(async () => {
  folder = temporaryDirectory();
  app = join(folder, 'app');
  collector = await startCollector();
  await write('package.json', '{ "name": "app", "private": true }');
  const [tarball] = JSON.parse(await run('npm', 'pack', PACKAGE, '--json', '--pack-destination', folder)) as [
    { filename: string },
  ];
  await run('npm', 'install', '--no-audit', '--no-fund', join(folder, tarball.filename));
  // Of the SDKs this app has one.
  await mkdir(join(app, 'node_modules/@sentry'));
  await symlink(join(ROOT, 'node_modules/@sentry/browser'), join(app, 'node_modules/@sentry/browser'));
}, 60_000);

afterAll(() => collector.close());

it('is used from an ES module', async () => {
  const program = await write('use.mjs', `${IMPORTS}${use()}console.log(JSON.stringify(await use()))`);
  expect(JSON.parse(await node(program))).toEqual([DISPATCHED, DISPATCHED]);
});

it('is used from CommonJS, by require() of CommonJS', async () => {
  const program = await write(
    'use.cjs',
    `${REQUIRES}${use()}use().then((reports) => console.log(JSON.stringify(reports)));`,
  );
  const required = process.allowedNodeEnvironmentFlags.has('--experimental-require-module')
    ? ['--no-experimental-require-module']
    : [];
  expect(JSON.parse(await node(...required, program))).toEqual([DISPATCHED, DISPATCHED]);
});

it('is used from CommonJS under Jest', async () => {
  await write(
    'jest/use.test.js',
    `${REQUIRES}${use()}it('is used', async () => expect(await use()).toEqual(${JSON.stringify([DISPATCHED, DISPATCHED])}));`,
  );
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  await node(jest, '--rootDir', app, '--config', '{ "transform": {}, "watchman": false }', '--cacheDirectory', folder);
}, 60_000);

describe('types', () => {
  const CONSUMER = `
    import { createErrorTracking, type ErrorContext } from '@sluice/error-tracking';
    import { createErrorTracking as createFromEntries } from '@sluice/error-tracking/core';
    import { prepare } from '@sluice/error-tracking/sentry';

    const dsn = 'https://key@errors.example.com/1';
    const context: ErrorContext = { severity: 'fatal', tags: { screen: 'checkout' } };
    export const tracking = createErrorTracking({ errorTracking: { providers: ['provider_1'], provider_1: { dsn } } });
    export const logged: Promise<{ readonly dispatched: string[] }> = tracking.logError(new Error('heard'), context);
    export const same: typeof tracking = createFromEntries(
      { errorTracking: { providers: ['provider_1', 'provider_2'], provider_1: { dsn }, provider_2: {} } },
      { provider_1: () => Promise.resolve({ prepare }) },
    );
    // @ts-expect-error a provider without its block
    createErrorTracking({ errorTracking: { providers: ['provider_1'] } });
    // @ts-expect-error a provider without its entry
    createFromEntries({ errorTracking: { providers: ['provider_1'], provider_1: { dsn } } }, {});
  `;

  it.each([
    ['an ES module with nodenext', 'consumer.mts', ['--module', 'nodenext']],
    ['CommonJS with nodenext', 'consumer.cts', ['--module', 'nodenext']],
    ['CommonJS with node16', 'consumer.ts', ['--module', 'node16']],
    ['a bundler', 'consumer.ts', ['--module', 'esnext', '--moduleResolution', 'bundler']],
    ['node10', 'consumer.ts', ['--module', 'commonjs', '--moduleResolution', 'node10']],
  ])(
    'compile for %s',
    async (_, file, options) => {
      const source = await write(file, CONSUMER);
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
      await node(tsc, '--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom', ...options, source);
    },
    60_000,
  );
});

describe('in a bundle', () => {
  const CONFIG = `{ errorTracking: { providers: ['provider_1'], provider_1: { dsn: 'https://key@h/1' } } }`;
  const PAGES: Readonly<Record<string, string>> = {
    'the package': `import { createErrorTracking } from '@sluice/error-tracking';
      window.tracking = createErrorTracking(${CONFIG});`,
    'its entry sentry': `import { createErrorTracking } from '@sluice/error-tracking/core';
      window.tracking = createErrorTracking(${CONFIG}, { provider_1: () => import('@sluice/error-tracking/sentry') });`,
  };
  /** Each bundles main.js of every page into the page's folder out, minified, as the bundler does by itself. */
  const BUNDLERS = {
    Vite: async (pages: readonly string[]) => {
      const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
      for (const page of pages) await node(vite, 'build', page, '--outDir', 'out', '--logLevel', 'error');
    },
    webpack: async (pages: readonly string[]) => {
      const configs = pages.map((context) => ({
        ...{ context, entry: './main.js', mode: 'production' },
        output: { path: join(context, 'out'), filename: 'main.js', chunkFilename: '[id].js' },
      }));
      const program = `
        require(${JSON.stringify(join(ROOT, 'node_modules/webpack'))})(${JSON.stringify(configs)}, (error, stats) => {
          if (error || stats.hasErrors()) throw error ?? new Error(stats.toString());
        });`;
      await node('-e', program);
    },
    esbuild: async (pages: readonly string[]) => {
      const options = { bundle: true, splitting: true, minify: true, format: 'esm', logLevel: 'error' } as const;
      for (const page of pages) {
        await build({ ...options, entryPoints: [join(page, 'main.js')], outdir: join(page, 'out') });
      }
    },
  };

  /** Of the largest script, which holds the SDK: its bytes, and its bytes when compressed. */
  async function largest(out: string): Promise<{ bytes: number; gzip: number }> {
    const files = (await readdir(out, { recursive: true })).filter((name) => name.endsWith('.js'));
    const scripts = await Promise.all(files.map((name) => readFile(join(out, name))));
    const [script] = scripts.sort((a, b) => b.length - a.length);
    return { bytes: script!.length, gzip: gzipSync(script!).length };
  }

  let whole: { bytes: number; gzip: number };

  beforeAll(async () => {
    const page = dirname(await write('whole/main.js', `import * as sdk from '@sentry/browser'; window.sdk = sdk;`));
    await BUNDLERS.esbuild([page]);
    whole = await largest(join(page, 'out'));
    process.stdout.write(`The whole SDK: ${whole.bytes} B (${whole.gzip} B gzip)\n`);
  });

  it.each(Object.keys(BUNDLERS) as (keyof typeof BUNDLERS)[])(
    '%s leaves out the parts of provider_1 that are not used, without the SDKs of the others',
    async (bundler) => {
      const folders = new Map<string, string>();
      for (const [name, script] of Object.entries(PAGES)) {
        const page = dirname(await write(`${bundler}/${name.replaceAll(' ', '-')}/main.js`, script));
        await writeFile(join(page, 'index.html'), '<script type="module" src="./main.js"></script>');
        folders.set(name, page);
      }
      await BUNDLERS[bundler]([...folders.values()]);
      const sizes: Record<string, { bytes: number; gzip: number }> = {};
      for (const [name, page] of folders) sizes[name] = await largest(join(page, 'out'));
      const told = Object.entries(sizes).map(([name, { bytes, gzip }]) => `${name} ${bytes} B (${gzip} B gzip)`);
      process.stdout.write(`${bundler}: ${told.join(', ')}\n`);
      expect(sizes['its entry sentry']!.gzip).toBeLessThan(whole.gzip / 2);
      // esbuild takes all of what is imported dynamically.
      if (bundler !== 'esbuild') expect(sizes['the package']!.gzip).toBeLessThan(whole.gzip / 2);
    },
    120_000,
  );
});
