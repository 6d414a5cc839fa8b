import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '../testing/temporary-directory';
import { zipOf } from '../../test/support/zip';
import { nodeStorage } from './node';
import { sha256 } from './plane.fixture';
import { memoryStorage } from './storage';
import { describeStorage } from './storage.contract';

describeStorage('memoryStorage', () => {
  const storage = memoryStorage();
  return { open: () => storage };
});

describeStorage('nodeStorage', () => {
  const folder = join(temporaryDirectory(), 'updates');
  return { open: () => nodeStorage(folder) };
});

describe('nodeStorage', () => {
  const bundleOf = async (files: Record<string, string>) => {
    const bytes = await zipOf(files);
    const facts = { id: 'a', version: '1.0.0', sha256: sha256(bytes), size: bytes.length };
    return { ...facts, read: () => Promise.resolve(bytes) };
  };

  it('unpacks a bundle once, into a folder that is complete or absent', async () => {
    const folder = temporaryDirectory();
    const storage = nodeStorage(folder);
    const target = await storage.unpack(await bundleOf({ 'index.html': '1', 'js/app.js': '2' }));
    expect([dirname(target), await readdir(target, { recursive: true })]).toEqual([
      folder,
      ['index.html', 'js', join('js', 'app.js')],
    ]);
    const unread = { ...(await bundleOf({})), read: () => Promise.reject(new Error('read again')) };
    expect(await storage.unpack(unread)).toBe(target);
    await storage.delete('a');
    expect(await readdir(folder)).toEqual([]);
    await expect(storage.unpack(unread)).rejects.toThrow('read again');
    await expect(storage.unpack(await bundleOf({ 'a/b': '1', a: '2' }))).rejects.toThrow();
    expect(await readdir(folder)).toEqual([]);
    expect(await readdir(await storage.unpack(await bundleOf({})))).toEqual([]);
  });

  it('ignores what a crash left of a write', async () => {
    const folder = temporaryDirectory();
    const storage = nodeStorage(folder);
    await storage.updateState(() => 'whole');
    await writeFile(join(folder, 'state.json.new'), 'ha');
    await storage.updateState((record) => `${record ?? ''} again`);
    expect(await readdir(folder)).toEqual(['state.json']);
    let record: string | undefined;
    await storage.updateState((stored) => (record = stored ?? ''));
    expect(record).toBe('whole again');
  });
});
