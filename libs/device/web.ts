import { concat, type UpdateStorage } from './storage.js';

const STATE = 'state';
const PARTS = 'parts';
/** How long a page that reloads may take to release its locks. */
const PATIENCE_MS = 2_000;

/** Keeps everything in IndexedDB, shared by all pages and workers of an origin. `name` is the database. */
export function webStorage(name = 'sluice-device'): UpdateStorage {
  let opening: Promise<IDBDatabase> | undefined;
  const database = () => {
    opening ??= open(name).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };

  /** Resolves once the transaction is durable. */
  async function inTransaction<T>(
    store: typeof STATE | typeof PARTS,
    mode: IDBTransactionMode,
    use: (objects: IDBObjectStore, keep: (result: T) => void) => void,
  ): Promise<T | undefined> {
    const transaction = (await database()).transaction(store, mode, { durability: 'strict' });
    return new Promise((resolve, reject) => {
      let result: T | undefined;
      const fail = () => reject(transaction.error ?? new Error('The transaction was aborted.'));
      transaction.oncomplete = () => resolve(result);
      transaction.onerror = fail;
      transaction.onabort = fail;
      use(transaction.objectStore(store), (kept) => (result = kept));
    });
  }

  return {
    async updateState(change) {
      await inTransaction(STATE, 'readwrite', (objects) => {
        const reading = objects.get(STATE);
        reading.onsuccess = () => {
          const record = reading.result as string | undefined;
          const next = change(record);
          if (next !== record) objects.put(next, STATE);
        };
      });
    },
    async bundles() {
      const keys = await inTransaction<IDBValidKey[]>(PARTS, 'readonly', (objects, keep) => {
        const reading = objects.getAllKeys();
        reading.onsuccess = () => keep(reading.result);
      });
      return [...new Set((keys ?? []).map((key) => (key as PartKey)[0]))];
    },
    async sizeOf(id) {
      const size = await inTransaction<number>(PARTS, 'readonly', (objects, keep) => withEnd(objects, id, keep));
      return size ?? 0;
    },
    async append(id, bytes) {
      await inTransaction(PARTS, 'readwrite', (objects) =>
        withEnd(objects, id, (end) => objects.put(new Uint8Array(bytes), [id, end] satisfies PartKey)),
      );
    },
    async read(id) {
      const parts = await inTransaction<Uint8Array[]>(PARTS, 'readonly', (objects, keep) => {
        const reading = objects.getAll(partsOf(id));
        reading.onsuccess = () => keep(reading.result as Uint8Array[]);
      });
      return concat(parts ?? []);
    },
    async delete(id) {
      await inTransaction(PARTS, 'readwrite', (objects) => objects.delete(partsOf(id)));
    },
    hold: (lock) => hold(`${name} ${lock}`),
  };
}

/** The bundle's id and the offset of the part. */
type PartKey = [id: string, offset: number];

const partsOf = (id: string) => IDBKeyRange.bound([id, 0], [id, Infinity]);

/** Where the stored bytes of a bundle end. */
function withEnd(objects: IDBObjectStore, id: string, use: (end: number) => void): void {
  const reading = objects.openCursor(partsOf(id), 'prev');
  reading.onsuccess = () => {
    const last = reading.result;
    use(last === null ? 0 : (last.key as PartKey)[1] + (last.value as Uint8Array).length);
  };
}

function open(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore(STATE);
      opening.result.createObjectStore(PARTS);
    };
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error ?? new Error('IndexedDB is not available.'));
  });
}

/** Pages without the Web Locks API are taken to be alone. */
async function hold(lock: string): Promise<(() => void) | undefined> {
  const { locks } = navigator as Partial<Pick<Navigator, 'locks'>>;
  if (locks === undefined) return () => undefined;
  return new Promise((resolve) => {
    const held = () => new Promise<void>((release) => resolve(release));
    locks.request(lock, { signal: AbortSignal.timeout(PATIENCE_MS) }, held).catch(() => resolve(undefined));
  });
}
