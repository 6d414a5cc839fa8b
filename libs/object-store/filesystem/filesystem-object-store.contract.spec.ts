import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { temporaryDirectory } from '@sluice/testing';
import { objectStoreContract } from '../contract/object-store.contract';
import { openFilesystemObjectStore } from './filesystem-object-store';

describe('the object store on a filesystem', () => {
  const folders: string[] = [];
  const openStore = () => {
    const path = temporaryDirectory();
    folders.push(path);
    return openFilesystemObjectStore({ path });
  };

  objectStoreContract(openStore);

  it('limits the readers that read simultaneously, and each gets its bytes in order', async () => {
    const store = await openStore();
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251));
    await store.put('bundle', Readable.from([bytes]));

    const probe = await open(join(folders.at(-1)!, 'bundle'));
    const handles = Object.getPrototypeOf(probe) as FileHandle;
    await probe.close();
    let reading = 0;
    let most = 0;
    const spy = jest.spyOn(handles, 'read');
    const read = spy.getMockImplementation() as unknown as (...args: unknown[]) => Promise<unknown>;
    spy.mockImplementation(function (this: FileHandle, ...args: unknown[]) {
      most = Math.max(most, (reading += 1));
      return read.apply(this, args).finally(() => (reading -= 1)) as never;
    });
    try {
      const readers = await Promise.all(Array.from({ length: 50 }, () => store.get('bundle')));
      const whole = await Promise.all(readers.map((reader) => buffer(reader)));
      expect(whole.every((each) => each.equals(bytes))).toBe(true);
      expect(spy.mock.calls.length).toBeGreaterThan(50);
      expect(most).toBeLessThanOrEqual(3);
    } finally {
      spy.mockRestore();
      await store.close();
    }
  });
});
