import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, transformSync } from 'esbuild';

const SOURCE = join(__dirname, '..', '..', 'libs', 'device');

/** Installs `@sluice/device` in a folder, for programs that run there. Its tarball has a test of its own. */
export async function installDevicePackage(folder: string): Promise<void> {
  const installed = join(folder, 'node_modules', '@sluice', 'device');
  await build({
    ...{ absWorkingDir: SOURCE, entryPoints: ['index.ts', 'node.ts', 'web.ts'], outdir: installed },
    ...{ bundle: true, splitting: true, format: 'esm', target: 'es2022', external: ['node:*'], logLevel: 'warning' },
  });
  const exports = { '.': './index.js', './node': './node.js', './web': './web.js' };
  await writeFile(join(installed, 'package.json'), JSON.stringify({ type: 'module', exports }));
}

/** A TypeScript snippet of a document as an ES module. */
export const asModule = (snippet: string): string => transformSync(snippet, { loader: 'ts', format: 'esm' }).code;
