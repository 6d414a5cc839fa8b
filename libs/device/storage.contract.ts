import type { UpdateStorage } from './storage';

/** What the updater relies on. `open` opens the same storage again, as after a restart of the app. */
export function describeStorage(name: string, given: () => { readonly open: () => UpdateStorage }): void {
  describe(name, () => {
    const text = async (storage: UpdateStorage, id: string) => new TextDecoder().decode(await storage.read(id));
    const bytes = (content: string) => new TextEncoder().encode(content);

    it('has no record and no bundle at first', async () => {
      const storage = given().open();
      const records: unknown[] = [];
      await storage.updateState((record) => (records.push(record), 'first'));
      await storage.updateState((record) => (records.push(record), 'second'));
      expect(records).toEqual([undefined, 'first']);
      expect([await storage.bundles(), await storage.sizeOf('a'), await text(storage, 'a')]).toEqual([[], 0, '']);
      await storage.delete('a');
    });

    it('keeps the record and bytes over a restart', async () => {
      const { open } = given();
      await open().updateState(() => 'kept');
      await open().append('a', bytes('one '));
      await open().append('a', bytes('two'));
      await open().updateState((record) => `${record ?? ''} on`);
      let record: string | undefined;
      await open().updateState((stored) => (record = stored ?? ''));
      expect([record, await text(open(), 'a'), await open().sizeOf('a')]).toEqual(['kept on', 'one two', 7]);
    });

    it('keeps bundles apart, and deletes one', async () => {
      const storage = given().open();
      for (const id of ['a', 'b', '..', 'a/b']) await storage.append(id, bytes(id));
      expect([...(await storage.bundles())].sort()).toEqual(['..', 'a', 'a/b', 'b']);
      await storage.delete('a');
      expect([...(await storage.bundles())].sort()).toEqual(['..', 'a/b', 'b']);
      expect([await text(storage, 'a/b'), await storage.sizeOf('a')]).toEqual(['a/b', 0]);
      await storage.append('a', bytes('new'));
      expect(await text(storage, 'a')).toBe('new');
    });
  });
}
