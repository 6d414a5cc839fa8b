import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import workerThreads from 'node:worker_threads';
import { temporaryDirectory } from '@sluice/testing';
import fc from 'fast-check';
import { all, failure, newEvent, newEvents } from '../contract/events.contract';
import { type EventStore, EventStoreUnavailableError, START } from '../port';
import { connect } from './database';
import { openSqliteEventStore } from './sqlite-event-store';

let folder: string;
let path: string;

beforeEach(() => {
  folder = temporaryDirectory();
  path = join(folder, 'events.db');
});

describe('opening', () => {
  it('rejects a path that is not a file', async () => {
    expect(await failure(openSqliteEventStore({ path: folder }))).toBeInstanceOf(EventStoreUnavailableError);
  });

  it('rejects a file of a newer release with that reason', async () => {
    const database = connect(path);
    database.pragma('user_version = 99');
    database.close();
    expect(await failure(openSqliteEventStore({ path }))).toMatchObject({
      name: 'EventStoreUnavailableError',
      message: expect.stringContaining('newer release'),
    });
  });

  it('creates one schema and one identity when several open a new file concurrently', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => openSqliteEventStore({ path })));
    const identities = await Promise.all(stores.map((store) => store.identity()));
    expect(new Set(identities).size).toBe(1);
    await Promise.all(stores.map((store) => store.close()));
  });
});

describe('a writing thread that dies', () => {
  it('fails what was in flight as unknown and is restarted by the next append', async () => {
    const { Worker } = workerThreads;
    const threads: InstanceType<typeof Worker>[] = [];
    const starts = jest.spyOn(workerThreads, 'Worker').mockImplementation((...given) => {
      const thread = new Worker(...given);
      threads.push(thread);
      return thread;
    });
    const store = await openSqliteEventStore({ path });
    const events = newEvents(1);
    const inFlight = failure(store.append('a-1', 'none', events));
    await nextTurn();
    await threads[0]!.terminate();
    const failed = await inFlight;
    if (failed !== undefined) expect(failed).toMatchObject({ name: 'EventStoreUnavailableError', written: 'unknown' });
    expect(await store.append('a-1', 'none', events)).toMatchObject({ revision: 0 });
    expect(await all(store.readStream('a-1'))).toHaveLength(1);
    expect(threads).toHaveLength(2);
    starts.mockRestore();
    await store.close();
  });
});

describe('reading by prefixes', () => {
  const names = ['apps', 'app-1', 'app-12', 'app-2', 'apiKeys-1', 'a', 'channel-1-x', 'channel-12-x', 'a-b'];
  const starts = ['', 'a', 'ap', 'app', 'apps', 'app-', 'app-1', 'apiKeys-', 'channel-1-', 'channel-1', 'z', 'a-'];
  let store: EventStore;
  beforeEach(async () => {
    store = await openSqliteEventStore({ path });
  });
  afterEach(() => store.close());

  it('finds what a comparison of every name finds, in pages of any size', async () => {
    let revision = -1;
    for (let round = 0; round < 12; round += 1) {
      await Promise.all(names.map((name) => store.append(name, revision === -1 ? 'none' : revision, newEvents(5))));
      revision += 5;
    }
    const everything = await all(store.readAll());
    expect(everything).toHaveLength(12 * 5 * names.length);
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(starts),
        fc.integer({ min: 0, max: everything.length }),
        fc.integer({ min: 1, max: 700 }),
        async (prefixes, skip, limit) => {
          const after = everything[skip - 1]?.position ?? START;
          const expected = everything
            .slice(skip)
            .filter(({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix)))
            .slice(0, limit);
          expect(await all(store.readAll({ after, prefixes, limit }))).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('passes long stretches that a part of a category does not match', async () => {
    await store.append('channel-1-x', 'none', [newEvent()]);
    for (let from = 0; from < 5_000; from += 500) {
      await store.append('channel-2-x', from === 0 ? 'none' : from - 1, newEvents(500));
    }
    await store.append('channel-1-x', 0, [newEvent()]);
    expect(await all(store.readAll({ prefixes: ['channel-1-'] }))).toHaveLength(2);
  });

  it('keeps order and completeness when sizes of events change within a stream', async () => {
    for (let revision = 0; revision < 30; revision += 1) {
      const data = { text: 'x'.repeat(revision % 3 === 0 ? 200_000 : 10) };
      await store.append('app-1', revision === 0 ? 'none' : revision - 1, [newEvent('Happened', data)]);
    }
    const revisions = Array.from({ length: 30 }, (_, revision) => revision);
    expect((await all(store.readStream('app-1'))).map(({ revision }) => revision)).toEqual(revisions);
    expect((await all(store.readAll({ prefixes: ['app-'] }))).map(({ revision }) => revision)).toEqual(revisions);
  });
});
