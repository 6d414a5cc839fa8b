import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const CONSOLE = join(__dirname, '..', '..', 'dist', 'console');
const ASSETS = join(CONSOLE, 'assets');
const AT_MOST = 300_000;
/** Of the files that the page loads before any screen. */
const AT_MOST_FIRST = 150_000;

const sizeOf = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + gzipSync(readFileSync(join(ASSETS, name))).length, 0);

describe('the files of the console', () => {
  it(`are at most ${AT_MOST} bytes gzipped, all together`, () => {
    const names = readdirSync(ASSETS);
    const total = sizeOf(names);
    process.stderr.write(`console: ${total} bytes gzipped in ${names.length} files\n`);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThanOrEqual(AT_MOST);
  });

  it(`are at most ${AT_MOST_FIRST} bytes gzipped before the first screen`, () => {
    const page = readFileSync(join(CONSOLE, 'index.html'), 'utf8');
    const first = sizeOf([...page.matchAll(/"\/console\/assets\/([^"]+)"/g)].map(([, name = '']) => name));
    process.stderr.write(`console: ${first} bytes gzipped before the first screen\n`);
    expect(first).toBeGreaterThan(50_000);
    expect(first).toBeLessThanOrEqual(AT_MOST_FIRST);
  });
});
