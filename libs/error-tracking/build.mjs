// Builds the package into dist/error-tracking: ES modules and their types, and in cjs the same as CommonJS.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { execPath, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..', '..');
const out = join(root, 'dist', 'error-tracking');
const cjs = join(out, 'cjs');

const { exports } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const entries = Object.values(exports).flatMap(({ module }) => (module ? [module.replace(/\.js$/, '.ts')] : []));
const shared = { absWorkingDir: here, bundle: true, target: 'es2022', packages: 'external', logLevel: 'warning' };

rmSync(out, { recursive: true, force: true });
await build({ ...shared, entryPoints: [...entries, 'adapters/*.ts'], outdir: out, splitting: true, format: 'esm' });
await build({
  ...shared,
  entryPoints: entries,
  outdir: cjs,
  format: 'cjs',
  // Without import(), which Jest does not offer to CommonJS.
  supported: { 'dynamic-import': false },
});
const types = spawnSync(
  execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(here, 'tsconfig.build.json')],
  { stdio: ['ignore', 2, 2] },
);
if (types.status !== 0) exit(types.status ?? 1);
// One set of types: the nearest package.json decides whether a .js or .d.ts file is an ES module.
cpSync(cjs, out, { recursive: true, filter: (path) => statSync(path).isDirectory() || path.endsWith('.d.ts') });
writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
for (const file of [join(here, 'package.json'), join(here, 'README.md'), join(root, 'LICENSE')]) {
  copyFileSync(file, join(out, basename(file)));
}
writeFileSync(join(out, '.built'), '');
