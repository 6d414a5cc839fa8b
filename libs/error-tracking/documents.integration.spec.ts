import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const README = join(__dirname, 'README.md');
const GUIDE = join(__dirname, '..', '..', 'docs', 'guides', 'error-tracking.md');
/** What a snippet uses of the reader's own app. */
const APP = `declare function pay(): Promise<void>;
declare function askTheUser(): Promise<boolean>;
`;

/** The faults of the TypeScript snippets of a document. */
function faultsIn(document: string): string[] {
  const snippets = [...readFileSync(document, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
    ([, text = '']) => text,
  );
  // The others may import the first one.
  const nameOf = (index: number) => join(__dirname, index === 0 ? 'tracking.ts' : `snippet-${index}.ts`);
  const files = new Map(snippets.map((text, index) => [nameOf(index), moduleOf(text)]));
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    paths: {
      '@sluice/error-tracking': [join(__dirname, 'index.ts')],
      '@sluice/error-tracking/*': [join(__dirname, '*.ts')],
    },
  };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (name) => files.has(name) || disk.fileExists(name),
    readFile: (name) => files.get(name) ?? disk.readFile(name),
    getSourceFile: (name, version, ...rest) => {
      const text = files.get(name);
      return text === undefined ? disk.getSourceFile(name, version, ...rest) : ts.createSourceFile(name, text, version);
    },
  };
  const program = ts.createProgram([...files.keys()], options, host);
  expect(files.size).toBeGreaterThan(2);
  return [...files.keys()].flatMap((name) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(name))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  );
}

/** A snippet as a module; one that lists the blocks of providers is a call for each. */
function moduleOf(text: string): string {
  if (text.includes('import ')) return APP + text;
  const calls = [...text.matchAll(/^(provider_\d): .*$/gm)].map(
    ([block, name]) => `createErrorTracking({ errorTracking: { providers: ['${name}'], ${block} } });`,
  );
  return `import { createErrorTracking } from '@sluice/error-tracking';\n${APP}${calls.join('\n')}`;
}

it.each([
  ['README.md', README],
  ['docs/guides/error-tracking.md', GUIDE],
])(
  'has snippets in %s that compile',
  (_, document) => {
    expect(faultsIn(document)).toEqual([]);
  },
  60_000,
);
