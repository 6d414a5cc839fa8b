// Builds the published packages and makes their tarballs: node pack.mjs [NAME...], each a folder of libs, else all.
// A folder of libs is a published package when it has a package.json, whose `exports` and `bin` name what is built of
// the TypeScript file of the same name. Writes dist/packages/NAME and the tarball dist/packages/sluice-NAME-VERSION.tgz.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { argv, exit, platform, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';

const root = fileURLToPath(new URL('.', import.meta.url));
const libs = join(root, 'libs');
const packages = join(root, 'dist', 'packages');

function fail(message) {
  stderr.write(`${message}\n`);
  exit(1);
}

/** Bundles entries of a package, with the code of other folders of libs but without its dependencies. */
async function bundle(name, declared, entryPoints, options) {
  if (entryPoints.length === 0) return;
  const { metafile } = await build({
    ...{ absWorkingDir: join(libs, name), entryPoints, bundle: true, metafile: true, target: 'es2022' },
    ...{ external: ['node:*', ...declared], logLevel: 'warning', ...options },
  });
  // It would be in the tarball without its licence.
  const copied = Object.keys(metafile.inputs).find((path) => path.includes('node_modules/'));
  if (copied !== undefined)
    fail(`libs/${name} imports ${copied}: declare the dependency in libs/${name}/package.json.`);
}

/** One set of types: the nearest package.json decides whether a .js or .d.ts file is an ES module. */
function writeTypes(name, entryPoints, outDirs) {
  const folder = join(libs, name);
  const config = [folder, root].map((path) => join(path, 'tsconfig.json')).find(existsSync);
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: ({ messageText }) => fail(messageText) };
  const { options } = ts.getParsedCommandLineOfConfigFile(config, {}, host);
  const entries = entryPoints.map((entry) => join(folder, entry));
  const program = ts.createProgram(entries, {
    ...{ ...options, types: [], noEmit: false, declaration: true, emitDeclarationOnly: true, stripInternal: true },
    ...{ incremental: false, tsBuildInfoFile: undefined, sourceMap: false, rootDir: folder, outDir: folder },
  });
  const { diagnostics } = program.emit(undefined, (path, text) => {
    for (const out of outDirs.map((outDir) => join(outDir, relative(folder, path)))) {
      mkdirSync(dirname(out), { recursive: true });
      writeFileSync(out, text);
    }
  });
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (problems.length > 0) fail(ts.formatDiagnostics(problems, ts.createCompilerHost(options)));
}

async function pack(name) {
  const folder = join(libs, name);
  const { type, exports = {}, bin = {}, ...manifest } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const sourceOf = (path) => path.replace(/\.js$/, '.ts');
  const entries = Object.values(exports).flatMap((entry) => (entry.import ? [sourceOf(entry.import.default)] : []));
  const programs = Object.values(bin);
  const out = join(packages, name);
  const cjs = join(out, 'cjs');

  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await bundle(name, declared, entries, { outdir: out, splitting: true, format: 'esm' });
  // Without import(), which Jest does not offer to CommonJS.
  const withoutImport = { 'dynamic-import': false };
  await bundle(name, declared, entries, { outdir: cjs, format: 'cjs', supported: withoutImport });
  const format = type === 'module' ? 'esm' : 'cjs';
  await bundle(name, declared, programs.map(sourceOf), { outdir: out, format, platform: 'node' });
  for (const program of programs) chmodSync(join(out, program), 0o755);
  if (entries.length > 0) {
    writeTypes(name, entries, [out, cjs]);
    writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
  }
  const written = (manifest.files ?? []).filter((file) => existsSync(join(folder, file)));
  for (const file of ['package.json', 'README.md', ...written]) cpSync(join(folder, file), join(out, file));
  cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'));

  const command = ['pack', out, '--pack-destination', packages, '--loglevel=error'];
  const { status } = spawnSync('npm', command, { stdio: ['ignore', 'inherit', 2], shell: platform === 'win32' });
  if (status !== 0) exit(status ?? 1);
}

const published = readdirSync(libs).filter((name) => existsSync(join(libs, name, 'package.json')));
const unknown = argv.slice(2).find((name) => !published.includes(name));
if (unknown !== undefined) fail(`${unknown} is not a published package. Those in libs are: ${published.join(', ')}.`);
for (const name of argv.length > 2 ? argv.slice(2) : published) await pack(name);
