/**
 * Where the updater keeps its state and the bytes of bundles. `memoryStorage`, `webStorage` of `@sluice/device/web` and
 * `nodeStorage` of `@sluice/device/node` implement it; an app with another place to store files implements it itself.
 */
export interface UpdateStorage {
  /**
   * Replaces the state record by `change(record)`, atomically and durably: after a crash the record is the former or the
   * new one as a whole. `record` is undefined before the first call. The updater makes one call at a time; storage that
   * several pages or processes share must isolate their calls too. `change` never throws. A record that did not change need
   * not be written.
   */
  updateState(change: (record: string | undefined) => string): Promise<void>;
  /** The ids of the bundles of which any bytes are stored. */
  bundles(): Promise<readonly string[]>;
  /** How many bytes of a bundle are stored; 0 for none. */
  sizeOf(id: string): Promise<number>;
  /** Adds bytes behind those that are stored. A crash may leave a part of them. */
  append(id: string, bytes: Uint8Array): Promise<void>;
  /** All stored bytes of a bundle, empty for none. */
  read(id: string): Promise<Uint8Array>;
  /** Deletes the bytes of a bundle, if there are any. */
  delete(id: string): Promise<void>;
  /**
   * For storage that several pages or processes share: takes a lock that the end of the page or process releases.
   * Resolves with its release, or undefined while another holds it.
   */
  hold?(name: string): Promise<(() => void) | undefined>;
}

/** Keeps everything in memory: for tests, and for apps that start from the embedded bundle each time. */
export function memoryStorage(): UpdateStorage {
  let record: string | undefined;
  const bundles = new Map<string, Uint8Array>();
  const bytesOf = (id: string) => bundles.get(id) ?? new Uint8Array();
  return {
    updateState: (change) => {
      record = change(record);
      return Promise.resolve();
    },
    bundles: () => Promise.resolve([...bundles.keys()]),
    sizeOf: (id) => Promise.resolve(bytesOf(id).length),
    append: (id, bytes) => {
      bundles.set(id, concat([bytesOf(id), bytes]));
      return Promise.resolve();
    },
    read: (id) => Promise.resolve(bytesOf(id).slice()),
    delete: (id) => {
      bundles.delete(id);
      return Promise.resolve();
    },
  };
}

/** @internal One array of all the bytes, in order. */
export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
