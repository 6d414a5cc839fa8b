import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { type RuntimeFiles, unpackRuntime } from './runtime-folder';

const CONTENT: Readonly<Record<string, string>> = {
  'console/index.html': '<h1>Console</h1>',
  'docs/index.html': '<h1>Documentation</h1>',
  'server/main.js': 'exports.serve = () => {}',
};
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const RUNTIME: RuntimeFiles = {
  hash: 'aaaa',
  files: Object.fromEntries(Object.entries(CONTENT).map(([path, text]) => [path, sha256(text)])),
  read: (path) => Buffer.from(CONTENT[path]!),
};

describe('unpackRuntime', () => {
  let dataDir: string;

  beforeEach(() => (dataDir = join(temporaryDirectory(), 'data')));

  const unpacked = () =>
    Object.fromEntries(
      Object.keys(CONTENT).map((path) => [path, readFileSync(join(dataDir, '.runtime', 'aaaa', path), 'utf8')]),
    );
  const folders = () => readdirSync(join(dataDir, '.runtime')).sort();

  it('unpacks all files for the user alone, and leaves nothing else', () => {
    expect(unpackRuntime(dataDir, RUNTIME)).toBe(join(dataDir, '.runtime', 'aaaa'));
    expect(unpacked()).toEqual(CONTENT);
    expect(folders()).toEqual(['aaaa']);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, '.runtime', 'aaaa', 'server', 'main.js')).mode & 0o777).toBe(0o600);
  });

  it('reads nothing from the executable if all files are there', () => {
    unpackRuntime(dataDir, RUNTIME);
    const read = jest.fn(RUNTIME.read);
    unpackRuntime(dataDir, { ...RUNTIME, read });
    expect(read).not.toHaveBeenCalled();
  });

  it.each([
    ['changed', (path: string) => writeFileSync(path, 'exports.serve = attack')],
    ['cut off', (path: string) => writeFileSync(path, CONTENT['server/main.js']!.slice(0, 5))],
  ])('replaces a file that is %s, and no other', (_, damage) => {
    const folder = unpackRuntime(dataDir, RUNTIME);
    damage(join(folder, 'server', 'main.js'));
    const read = jest.fn(RUNTIME.read);
    unpackRuntime(dataDir, { ...RUNTIME, read });
    expect(read.mock.calls).toEqual([['server/main.js']]);
    expect(unpacked()).toEqual(CONTENT);
  });

  it('continues where an interrupted start ended', () => {
    const interrupted = (path: string) => {
      if (path === 'docs/index.html') throw new Error('interrupted');
      return RUNTIME.read(path);
    };
    expect(() => unpackRuntime(dataDir, { ...RUNTIME, read: interrupted })).toThrow('interrupted');
    const read = jest.fn(RUNTIME.read);
    unpackRuntime(dataDir, { ...RUNTIME, read });
    expect(read.mock.calls).toEqual([['docs/index.html'], ['server/main.js']]);
    expect(unpacked()).toEqual(CONTENT);
  });

  it('deletes what no process has used for a day, and keeps the rest', () => {
    const root = join(dataDir, '.runtime');
    const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1_000);
    for (const name of ['old', 'recent']) mkdirSync(join(root, name, 'docs'), { recursive: true });
    writeFileSync(join(root, 'part'), '');
    for (const name of ['old', 'part']) utimesSync(join(root, name), twoDaysAgo, twoDaysAgo);
    unpackRuntime(dataDir, RUNTIME);
    expect(folders()).toEqual(['aaaa', 'recent']);
    const own = join(root, 'aaaa');
    utimesSync(own, twoDaysAgo, twoDaysAgo);
    unpackRuntime(dataDir, { ...RUNTIME, hash: 'bbbb' });
    expect(existsSync(own)).toBe(false);
  });

  it('marks its folder as used before it verifies it', () => {
    const folder = unpackRuntime(dataDir, RUNTIME);
    const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1_000);
    writeFileSync(join(folder, 'docs', 'index.html'), '');
    utimesSync(folder, twoDaysAgo, twoDaysAgo);
    let marked: Date | undefined;
    const read = (path: string) => {
      marked = statSync(folder).mtime;
      return RUNTIME.read(path);
    };
    unpackRuntime(dataDir, { ...RUNTIME, read });
    expect(marked!.getTime()).toBeGreaterThan(twoDaysAgo.getTime());
  });

  it('reports a folder that it can not write to', () => {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, '.runtime'), 'a file');
    expect(() => unpackRuntime(dataDir, RUNTIME)).toThrow(
      expect.objectContaining({ code: 'ENOTDIR', advice: expect.stringContaining('DATA_DIR') }) as Error,
    );
  });

  it('reports a damaged executable, and unpacks nothing of it', () => {
    const read = () => Buffer.from('something else');
    expect(() => unpackRuntime(dataDir, { ...RUNTIME, read })).toThrow('console/index.html in this file is damaged.');
    expect(existsSync(join(dataDir, '.runtime', 'aaaa', 'console', 'index.html'))).toBe(false);
  });
});
