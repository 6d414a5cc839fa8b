import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import workerThreads from 'node:worker_threads';
import { temporaryDirectory } from '@sluice/testing';
import type { Collection, DocumentStore, Row } from '../port';
import { openSqliteDocumentStore } from './sqlite-document-store';

const notes: Collection<Row & { readonly text: string }> = { name: 'notes', indexes: [] };

let folder: string;
let store: DocumentStore;
let threads: workerThreads.Worker[];

beforeEach(async () => {
  folder = temporaryDirectory();
  threads = [];
  const { Worker } = workerThreads;
  jest.spyOn(workerThreads, 'Worker').mockImplementation((...given) => {
    const thread = new Worker(...given);
    threads.push(thread);
    return thread;
  });
  store = await openSqliteDocumentStore({ path: join(folder, 'documents.db') });
});
afterEach(async () => {
  await store.close();
  jest.restoreAllMocks();
});

it('is restarted by the next write when it died, and keeps what was written', async () => {
  const rows = store.rows(notes);
  await rows.put({ id: 'a', text: 'before' });
  const [thread] = threads;
  const died = thread!.terminate();
  const inFlight = rows.put({ id: 'b', text: 'meanwhile' }).catch((error: unknown) => error);
  await died;
  const outcome = await inFlight;
  if (outcome instanceof Error) expect(outcome.name).toBe('DocumentStoreUnavailableError');
  await rows.put({ id: 'c', text: 'after' });
  expect((await rows.find()).map(({ id }) => id)).toEqual(expect.arrayContaining(['a', 'c']));
  expect(threads).toHaveLength(2);
});

it('reports that the store is unavailable while it cannot be restarted, and continues once it can', async () => {
  const rows = store.rows(notes);
  await rows.put({ id: 'a', text: 'before' });
  await threads[0]!.terminate();
  const started = jest.mocked(workerThreads.Worker).getMockImplementation();
  jest.mocked(workerThreads.Worker).mockImplementation((file) => started!(file, { workerData: { path: folder } }));
  await expect(rows.put({ id: 'b', text: 'meanwhile' })).rejects.toMatchObject({
    name: 'DocumentStoreUnavailableError',
  });
  jest.mocked(workerThreads.Worker).mockImplementation(started);
  await rows.put({ id: 'c', text: 'after' });
  expect((await rows.find()).map(({ id }) => id)).toEqual(['a', 'c']);
});

it('says why a file can not be opened', async () => {
  await mkdir(join(folder, 'taken.db'));
  await expect(openSqliteDocumentStore({ path: join(folder, 'taken.db') })).rejects.toMatchObject({
    name: 'DocumentStoreUnavailableError',
    message: expect.stringMatching(/taken\.db can't be opened: .*unable to open/i) as string,
  });
});
