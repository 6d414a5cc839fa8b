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
