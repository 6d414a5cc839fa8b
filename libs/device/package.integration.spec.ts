import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import ts from 'typescript';

/** What a snippet uses of the reader's own app. */
const APP = `declare const PUBLIC_KEY: string;
declare function runApp(files: Map<string, Uint8Array> | undefined): Promise<void>;
`;

/** Bytes of these entries in one file, minified and gzipped. */
async function weight(...entries: string[]): Promise<number> {
  const contents = entries.map((entry) => `export * from './${entry}.js';`).join('\n');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: __dirname },
    ...{ bundle: true, minify: true, write: false, format: 'esm', target: 'es2022', external: ['node:*'] },
  });
  return gzipSync(outputFiles[0]!.contents).length;
}

it('has less than 12 kB, minified and gzipped, and 10 kB without its storage', async () => {
  expect(await weight('index', 'web', 'node')).toBeLessThan(12_000);
  expect(await weight('index')).toBeLessThan(10_000);
});

it('describes each option of createUpdater in README.md', () => {
  const options = [
    ['plane.ts', 'PlaneOptions'],
    ['updater.ts', 'UpdaterOptions extends PlaneOptions'],
  ].flatMap(([file, name]) => {
    const text = readFileSync(join(__dirname, file!), 'utf8');
    const [, members = ''] = new RegExp(`export interface ${name!} {\n([^]*?)^}`, 'm').exec(text) ?? [];
    return [...members.matchAll(/^ {2}readonly (\w+)(\??):/gm)].map(([, option, mark]) => [option, mark === '']);
  });
  const table = readFileSync(join(__dirname, 'README.md'), 'utf8')
    .split('\n## ')
    .find((text) => text.startsWith('Options\n'));
  const rows = [...table!.matchAll(/^\| `(\w+)` +\| (required )?/gm)];
  expect(rows.map(([, option, required]) => [option, required !== undefined]).sort()).toEqual(options.sort());
});

it.each([
  ['README.md', join(__dirname, 'README.md'), 3],
  ['docs/guides/clients.md', join(__dirname, '..', '..', 'docs', 'guides', 'clients.md'), 1],
])(
  'has snippets in %s that compile',
  (_, document, count) => {
    const snippets = [...readFileSync(document, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)];
    expect(snippets).toHaveLength(count);
    const files = new Map(
      snippets.map(([, text = ''], index) => [join(__dirname, `snippet-${index}.ts`), `${APP}${text}`]),
    );
    const options: ts.CompilerOptions = {
      ...{ strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, types: ['node'] },
      ...{ module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, skipLibCheck: true },
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      paths: { '@sluice/device': [join(__dirname, 'index.ts')], '@sluice/device/*': [join(__dirname, '*.ts')] },
    };
    const disk = ts.createCompilerHost(options);
    const host: ts.CompilerHost = {
      ...disk,
      fileExists: (name) => files.has(name) || disk.fileExists(name),
      readFile: (name) => files.get(name) ?? disk.readFile(name),
      getSourceFile: (name, version, ...rest) => {
        const text = files.get(name);
        return text === undefined
          ? disk.getSourceFile(name, version, ...rest)
          : ts.createSourceFile(name, text, version);
      },
    };
    const program = ts.createProgram([...files.keys()], options, host);
    const faults = [...files.keys()].flatMap((name) => ts.getPreEmitDiagnostics(program, program.getSourceFile(name)));
    expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  },
  60_000,
);
