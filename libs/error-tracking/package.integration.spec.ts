import { execFileSync } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { temporaryDirectory } from '../testing/temporary-directory';
import { build } from 'esbuild';

let folder: string;

beforeAll(async () => {
  folder = temporaryDirectory();
  await build({
    absWorkingDir: __dirname,
    entryPoints: ['index.ts', 'core.ts', 'adapters/*.ts'],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    packages: 'external',
  });
});

const text = (file: string): Promise<string> => readFile(join(folder, file), 'utf8');

/** Bytes that are transferred when a file is loaded, with its static imports. */
async function weight(file: string): Promise<number> {
  const script = await text(file);
  const parts = [...script.matchAll(/from"(\.{1,2}\/[^"]+)"/g)].map(([, path]) => join(file, '..', path ?? ''));
  const rest = await Promise.all(parts.map(weight));
  return rest.reduce((sum, part) => sum + part, gzipSync(script).length);
}

it('has a core of at most 6 kB, and adapters of at most 2 kB, minified and gzipped', async () => {
  const adapters = (await readdir(join(folder, 'adapters'))).map((name) => `adapters/${name}`);
  expect(adapters).toHaveLength(7);
  expect(await weight('index.mjs')).toBeLessThanOrEqual(6_000);
  expect(await weight('core.mjs')).toBeLessThan(await weight('index.mjs'));
  const heavy = await Promise.all(adapters.map(async (name) => [name, await weight(name)] as const));
  expect(heavy.filter(([, bytes]) => bytes > 2_000)).toEqual([]);
});

it('keeps every SDK out of itself, behind a literal dynamic import', async () => {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.mjs'));
  const scripts = (await Promise.all(files.map(text))).join('\n');
  const sdks = (how: RegExp) =>
    [...scripts.matchAll(how)].flatMap(([, name]) => (/^\./.test(name!) ? [] : name)).sort();
  expect(sdks(/from"([^"]+)"/g)).toEqual([]);
  expect(sdks(/import\("([^"]+)"\)/g)).toEqual([
    '@bugsnag/browser',
    '@datadog/browser-rum',
    '@sentry/browser',
    'logrocket/setup',
    'raygun4js',
    'rollbar',
  ]);
});

it('can be bundled where not one SDK is installed', async () => {
  const { errors, outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ['index.mjs'],
    outdir: 'app',
    bundle: true,
    splitting: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
  });
  expect(errors).toEqual([]);
  expect(outputFiles.map(({ text: script }) => script).join('\n')).toContain('import("rollbar")');
});

it('does nothing and throws nothing on a server', () => {
  const program = `
    const { createErrorTracking } = await import(${JSON.stringify(join(folder, 'index.mjs'))});
    const tracking = createErrorTracking({ errorTracking: { providers: ['provider_2'], provider_2: {} } });
    await tracking.setConsent({ errorTracking: true });
    console.log(JSON.stringify([await tracking.initialize(), await tracking.logError(new Error('x'))]));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual([
    { success: false, activeProviders: [], warnings: [] },
    { dispatched: [], skipped: [{ id: 'provider_2', reason: 'server' }], failed: [] },
  ]);
});
