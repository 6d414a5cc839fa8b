// Builds the package into dist/error-tracking: index.js, an adapter for each provider beside it, and their types.
import { spawnSync } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..', '..');
const out = join(root, 'dist', 'error-tracking');

rmSync(out, { recursive: true, force: true });
await build({
  absWorkingDir: here,
  entryPoints: ['index.ts', 'adapters/*.ts'],
  outdir: out,
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  packages: 'external',
  logLevel: 'warning',
});
const types = spawnSync(
  execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(here, 'tsconfig.build.json')],
  {
    stdio: ['ignore', 2, 2],
  },
);
if (types.status !== 0) exit(types.status ?? 1);
for (const name of ['package.json', 'README.md']) copyFileSync(join(here, name), join(out, name));
writeFileSync(join(out, '.built'), '');
