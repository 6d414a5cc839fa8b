import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const ASSETS = join(__dirname, '..', '..', 'dist', 'console', 'assets');
const AT_MOST = 250_000;

describe('the files of the console', () => {
  it(`are at most ${AT_MOST} bytes gzipped, all together`, () => {
    const sizes = readdirSync(ASSETS).map((name) => [name, gzipSync(readFileSync(join(ASSETS, name))).length] as const);
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    process.stderr.write(`console: ${total} bytes gzipped in ${sizes.length} files\n`);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThanOrEqual(AT_MOST);
  });
});
