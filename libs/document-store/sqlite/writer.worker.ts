import { statSync } from 'node:fs';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openFile } from '@sluice/event-store/sqlite/open-file';
import { DuplicateRowError, DocumentStoreUnavailableError } from '../port';
import type { WriteCall } from './write-operations';
import { createSchema, createWriter } from './writer';
import type { FromWriter, SentError, ToWriter } from './writer-thread';

/** At most this many calls share one transaction and one fsync. */
const GROUP = 512;

if (!parentPort) throw new Error('This file runs as a worker thread of the SQLite document store.');
const port = parentPort;
const pathOfFile = (workerData as { readonly path: string }).path;
const database = openFile(pathOfFile, (opened) => {
  opened.pragma('journal_mode = WAL');
  opened.pragma('synchronous = FULL');
  opened.pragma('cache_size = -16384');
  opened.pragma('wal_autocheckpoint = 4000');
  opened.pragma('journal_size_limit = 67108864');
  createSchema(opened);
  opened.pragma('busy_timeout = 5000');
});
const writer = createWriter(database);
const place = statSync(pathOfFile);
const GONE: SentError = {
  kind: 'unavailable',
  message: `The database ${pathOfFile} was moved or deleted: what is written now would be gone with this process. Put it back, or restart.`,
};

port.on('message', (message: ToWriter) => {
  const messages = [message];
  const calls: WriteCall[] = message.calls.slice();
  while (calls.length < GROUP) {
    const next = receiveMessageOnPort(port) as { readonly message: ToWriter } | undefined;
    if (!next) break;
    messages.push(next.message);
    calls.push(...next.message.calls);
  }
  if (calls.length > 0) {
    const answer: FromWriter = inPlace()
      ? writer.run(calls).map((outcome) => ('error' in outcome ? { error: sent(outcome.error) } : outcome))
      : calls.map(() => ({ error: GONE }));
    port.postMessage(answer);
  }
  if (messages.some(({ close }) => close)) {
    database.close();
    port.close();
  }
});
port.postMessage([] satisfies FromWriter);

/** SQLite goes on writing to a file that lies elsewhere by now, or nowhere. */
function inPlace(): boolean {
  const found = statSync(pathOfFile, { throwIfNoEntry: false });
  return found?.ino === place.ino && found.dev === place.dev;
}

function sent(error: Error): SentError {
  if (error instanceof DuplicateRowError) return { kind: 'duplicate', collection: error.collection, id: error.id };
  return { kind: error instanceof DocumentStoreUnavailableError ? 'unavailable' : 'fault', message: error.message };
}
