import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((path) => existsSync(join(ROOT, path)));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (path: string) =>
  [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const links = documents.flatMap((path) =>
  [...read(path).matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].map(([, link]) => [path, link!] as const),
);

it('finds links in the documents', () => {
  expect(links.length).toBeGreaterThan(20);
});

it.each(links)('%s links to %s, which exists', (path, link) => {
  const [file, anchor] = link.split('#') as [string, string?];
  const target = file === '' ? path : posix.join(dirname(path), file);
  expect([target, existsSync(join(ROOT, target))]).toEqual([target, true]);
  if (anchor !== undefined) expect(anchorsOf(target)).toContain(anchor);
});

it('has a README that can be read in a minute', () => {
  const text = read('README.md');
  expect(text.split('\n').length).toBeLessThanOrEqual(151);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_000);
});

const NAME = /[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+/g;

it('names only settings and codes that exist in the code', () => {
  const sources = ['*.ts', '*.tsx', '*.mjs', '*.cjs', '*.yaml', '*.yml', 'Dockerfile', '*.sh', '.ci/*', 'package.json'];
  const arguments_ = ['grep', '-ohE', '--untracked', '[A-Z][A-Z0-9]*(_[A-Z0-9]+)+', '--', ...sources];
  const existing = new Set(
    execFileSync('git', arguments_, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e8 }).split('\n'),
  );
  const missing = documents
    .filter((path) => path !== 'CHANGELOG.md')
    .flatMap((path) => {
      const text = read(path);
      // A snippet may assign a variable of its own.
      const unknown = (name: string) => !existing.has(name) && !text.includes(`${name}=`);
      return [...text.matchAll(NAME)].filter(([name]) => unknown(name)).map(([name]) => `${path}: ${name}`);
    });
  expect([...new Set(missing)]).toEqual([]);
});
