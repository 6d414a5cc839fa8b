import { workerData } from 'node:worker_threads';
import { openFile, placeOf } from '@sluice/event-store/sqlite/open-file';
import { serveInOrder } from '@sluice/event-store/sqlite/ordered-thread';
import { DuplicateRowError, DocumentStoreUnavailableError } from '../port';
import type { WriteCall } from './write-operations';
import { createSchema, createWriter } from './writer';
import type { FromWriter, SentError } from './writer-thread';

/** At most this many calls share one transaction and one fsync. */
const GROUP = 512;

const { path } = workerData as { readonly path: string };
const database = openFile(path, (opened) => {
  opened.pragma('journal_mode = WAL');
  opened.pragma('synchronous = FULL');
  opened.pragma('cache_size = -16384');
  opened.pragma('wal_autocheckpoint = 4000');
  opened.pragma('journal_size_limit = 67108864');
  createSchema(opened);
  opened.pragma('busy_timeout = 5000');
});
const writer = createWriter(database);
const inPlace = placeOf(path);
const GONE: SentError = {
  kind: 'unavailable',
  message: `The database ${path} was moved or deleted: what is written now would be gone with this process. Put it back, or restart.`,
};

serveInOrder(
  GROUP,
  (calls: readonly WriteCall[]): FromWriter[] =>
    inPlace()
      ? writer.run(calls).map((outcome) => ('error' in outcome ? { error: sent(outcome.error) } : outcome))
      : calls.map(() => ({ error: GONE })),
  () => database.close(),
);

function sent(error: Error): SentError {
  if (error instanceof DuplicateRowError) return { kind: 'duplicate', collection: error.collection, id: error.id };
  return { kind: error instanceof DocumentStoreUnavailableError ? 'unavailable' : 'fault', message: error.message };
}
