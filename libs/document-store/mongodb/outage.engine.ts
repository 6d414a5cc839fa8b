import { setTimeout as pause } from 'node:timers/promises';
import { Collection as MongoCollection, Db, MongoClient, MongoServerError } from 'mongodb';
import { eventually, recordingLogger } from '@sluice/testing';
import { openRelay, type Relay } from '@sluice/testing/relay';
import { testDatabase, type TestDatabase } from '@sluice/testing/mongodb';
import { type Collection, type DocumentStore, DocumentStoreUnavailableError, type Row } from '../port';
import { openConnection } from './connection';
import { openMongoDocumentStore } from './index';

const server = process.env['TEST_MONGODB_URL'];
/** One server, so that a relay can stand before it. */
const single = server !== undefined && !server.includes('+srv') && !server.includes(',');

jest.setTimeout(180_000);

interface Note extends Row {
  readonly text: string;
}
const NOTES: Collection<Note> = { name: 'notes', indexes: [{ fields: ['text'] }] };

(single ? describe : describe.skip)(
  `MongoDB that goes away${single ? '' : ' (no single server in TEST_MONGODB_URL)'}`,
  () => {
    let database: TestDatabase;
    let relay: Relay;
    let store: DocumentStore;
    const logger = recordingLogger();

    beforeEach(async () => {
      logger.lines.length = 0;
      database = testDatabase(server!);
      const address = new URL(database.url);
      relay = await openRelay({ host: address.hostname, port: Number(address.port || 27017) });
      // A member of a replica set would lead its client past the relay, to the address that the set knows.
      address.searchParams.delete('replicaSet');
      address.searchParams.set('directConnection', 'true');
      address.host = `127.0.0.1:${relay.port}`;
      store = await openMongoDocumentStore({ url: address.href, database: 'unused', logger });
    });
    afterEach(async () => {
      await store.close();
      await relay.close();
      await database.drop();
    });

    const put = (id: string) => store.rows(NOTES).put({ id, text: 'x' });

    it('is reported as unavailable, and used again without intervention when it is back', async () => {
      await put('1');
      await relay.cut();
      await expect(put('2')).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
      await expect(store.view('unread', NOTES).find()).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
      await expect(store.ping()).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
      await relay.restore();
      await put('3');
      expect((await store.rows(NOTES).find()).map(({ id }) => id)).toEqual(['1', '3']);
    });

    it('is used again after every cut, however many calls were under way', async () => {
      const pingUntilRefused = async () => {
        for (;;) await store.ping();
      };
      for (let cuts = 0; cuts < 5; cuts += 1) {
        const refusals = Promise.allSettled(Array.from({ length: 8 }, pingUntilRefused));
        // The driver does not look at a server again within 500 ms.
        for (const looked = performance.now(); performance.now() < looked + 1_000;) await store.ping();
        await relay.cut();
        for (const refusal of await refusals) {
          expect(refusal).toMatchObject({ reason: expect.any(DocumentStoreUnavailableError) });
        }
        await relay.restore();
        await store.ping();
      }
    });

    it('gives a turn back that it could not give back meanwhile, before anybody has to overtake it', async () => {
      const address = new URL(database.url);
      address.searchParams.set('directConnection', 'true');
      address.host = `127.0.0.1:${relay.port}`;
      const [holder, onlooker] = [
        await openConnection(address.href, 'unused'),
        await openConnection(database.url, 'unused'),
      ];
      const held = () => onlooker.db.collection<{ _id: string }>('_turns').findOne({ _id: 'rows/notes' });
      try {
        await holder.turns.take('rows/notes', new AbortController().signal, () => relay.cut());
        expect(await held()).not.toBeNull();
        await relay.restore();
        await eventually(async () => (await held()) === null);
      } finally {
        await Promise.all([holder.close(), onlooker.close()]);
      }
    });

    it('reports its name and version', async () => {
      expect(await store.product!()).toMatch(/^(MongoDB|FerretDB) v?\d+\.\d+/);
    });

    it('may take its time to build an index: calls wait for it, and it is reported', async () => {
      const createIndex = Reflect.get(MongoCollection.prototype, 'createIndex') as (...given: unknown[]) => unknown;
      const slow = jest.spyOn(MongoCollection.prototype, 'createIndex');
      slow.mockImplementation(async function (this: MongoCollection, ...given: unknown[]) {
        // Longer than a call may take.
        await pause(6_000);
        return Reflect.apply(createIndex, this, given) as Promise<string>;
      });
      try {
        await put('1');
        expect(slow).toHaveBeenCalledTimes(1);
        await put('2');
        expect(slow).toHaveBeenCalledTimes(1);
        expect(logger.lines).toMatchObject([
          { level: 'warn', message: expect.stringContaining('The index (text, _id) of notes is being built') },
          { level: 'debug', message: expect.stringMatching(/was built in \d+ s/) },
        ]);
      } finally {
        jest.restoreAllMocks();
      }
    });

    it('does not leave its client open when it can not be asked what it is', async () => {
      const closed = jest.spyOn(MongoClient.prototype, 'close');
      const asked = jest
        .spyOn(Db.prototype, 'command')
        .mockImplementation((command) =>
          'buildInfo' in command ? Promise.reject(new MongoServerError({ message: 'no' })) : Promise.resolve({ ok: 1 }),
        );
      try {
        await expect(openConnection(database.url, 'unused', undefined, 100)).rejects.toThrow(
          DocumentStoreUnavailableError,
        );
        expect(asked).toHaveBeenCalledWith({ buildInfo: 1 });
        expect(closed).toHaveBeenCalledTimes(1);
      } finally {
        jest.restoreAllMocks();
      }
    });

    it('ends calls that it does not answer', async () => {
      await put('1');
      relay.freeze();
      await expect(put('2')).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
      relay.thaw();
      await put('3');
      expect(await store.rows(NOTES).get('3')).toBeDefined();
    });
  },
);
