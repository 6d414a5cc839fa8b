import { Socket } from 'node:net';
import { type Document, MongoClient } from 'mongodb';
import { eventually, recordingLogger } from '@sluice/testing';
import { startMongoServer, type MongoServer } from '@sluice/testing/mongo-server';
import { type Collection, DocumentStoreUnavailableError, type DocumentStore, type Row } from '../port';
import { INDEX_CALL_MS, openConnection } from './connection';
import { openMongoDocumentStore } from './index';

interface Tally extends Row {
  readonly day: number;
  readonly sum: number;
}
const TALLIES: Collection<Tally> = { name: 'tallies', indexes: [{ fields: ['day'] }] };
const PROJECTION = { name: 'tallied', version: 1, collections: [TALLIES] };
const tally = (id: string, sum = 1): Tally => ({ id, day: 1, sum });
const at = (position: string) => ({ position, store: 'store-1', version: 1 });

const nameOf = (command: Document): string => Object.keys(command)[0] ?? '';
const starts = (command: Document): boolean => command['startTransaction'] === true;

describe("MongoDB's client on a loopback replica set of its protocol", () => {
  let server: MongoServer;
  const opened: { close(): Promise<void> }[] = [];
  const logger = recordingLogger();

  const open = async (url = server.url): Promise<DocumentStore> => {
    const store = await openMongoDocumentStore({ url, database: 'tested', logger });
    opened.push(store);
    return store;
  };
  const sent = (name: string) => server.commands.filter((command) => nameOf(command) === name);
  const direct = () => `mongodb://127.0.0.1:${server.port}/?directConnection=true`;

  beforeEach(async () => {
    server = await startMongoServer();
  });
  afterEach(async () => {
    server.intercept = () => undefined;
    await Promise.all(opened.splice(0).map((each) => each.close()));
    await server.close();
    logger.lines.length = 0;
    jest.restoreAllMocks();
  });

  it('reads one state in each transaction, and has it acknowledged by a majority and its journals', async () => {
    await (await open()).rows(TALLIES).add([tally('a')], ['sum']);
    const transactions = server.commands.filter(starts);
    expect(transactions.length).toBeGreaterThan(0);
    for (const { readConcern } of transactions) expect(readConcern).toMatchObject({ level: 'snapshot' });
    for (const { writeConcern } of sent('commitTransaction'))
      expect(writeConcern).toMatchObject({ w: 'majority', j: true });
  });

  it('takes a failed batch for unavailable when one of its rows failed for another reason than a duplicate', async () => {
    const tallies = (await open()).rows(TALLIES);
    await tallies.put(tally('a'));
    server.intercept = (command) =>
      nameOf(command) === 'insert'
        ? {
            ok: 1,
            n: 1,
            writeErrors: [
              { index: 0, code: 11_000, errmsg: 'E11000' },
              { index: 2, code: 64, errmsg: 'timed out' },
            ],
          }
        : undefined;
    const rows = ['a', 'b', 'c'].map((id) => tally(id));
    await expect(tallies.putMany(rows, 'absent')).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
  });

  it('takes a batch of duplicates for unavailable when the majority did not acknowledge the others', async () => {
    const tallies = (await open()).rows(TALLIES);
    server.intercept = (command) =>
      nameOf(command) === 'insert'
        ? {
            ok: 1,
            n: 1,
            writeErrors: [{ index: 0, code: 11_000, errmsg: 'E11000' }],
            writeConcernError: { code: 64, errmsg: 'timed out' },
          }
        : undefined;
    await expect(tallies.putMany([tally('a'), tally('b')], 'absent')).rejects.toBeInstanceOf(
      DocumentStoreUnavailableError,
    );
  });

  it('waits through an election that takes longer than a call of one row may take', async () => {
    const tallies = (await open()).rows(TALLIES);
    await tallies.add([tally('a')], ['sum']);
    let asked = Infinity;
    server.intercept = (command) => {
      if (nameOf(command) !== 'commitTransaction' || asked !== Infinity) return undefined;
      asked = server.hellos;
      server.isPrimary = false;
      return 'hang up';
    };
    const adding = tallies.add([tally('a')], ['sum']);
    // A driver that waits for a primary asks twice a second at most.
    await eventually(() => server.hellos >= asked + 6);
    server.isPrimary = true;
    await adding;
    expect(await tallies.get('a')).toEqual(tally('a', 2));
  });

  it('neither repeats nor commits a transaction whose caller has given up', async () => {
    const connection = await openConnection(server.url, 'tested');
    opened.push(connection);
    const rows = connection.db.collection<{ _id: string; by?: string }>('rows');
    await rows.insertOne({ _id: 'a' });
    const abandoned = await abandonTransaction();
    const write = (by: string, patienceMs: number) =>
      connection.call(
        (signal) =>
          connection.together('rows', signal, async (session) => {
            await rows.updateOne({ _id: 'a' }, { $set: { by } }, session && { session });
          }),
        patienceMs,
      );
    await expect(write('given up', 200)).rejects.toBeInstanceOf(DocumentStoreUnavailableError);
    await abandoned.end();
    const commits = sent('commitTransaction').length;
    // In the order of the calls: the one before has ended by then.
    await write('next', 10_000);
    expect(sent('commitTransaction').slice(commits)).toHaveLength(1);
    expect(await rows.findOne({ _id: 'a' })).toEqual({ _id: 'a', by: 'next' });
  });

  it('commits once the server has ended a transaction that a killed process left open', async () => {
    const store = await open();
    const target = await store.liveTarget(PROJECTION);
    server.transactionLifetimeMs = 500;
    await abandonTransaction('_generations', `${PROJECTION.name}/1`);
    const write = { collection: TALLIES.name, id: 'a', row: tally('a'), position: '1' };
    expect(await target.commit(undefined, at('1'), [write])).toBe(true);
    expect(await store.view(PROJECTION.name, TALLIES).find()).toEqual([tally('a')]);
  });

  /** Of a process that was killed: it holds a document, and nothing ends it but the server. */
  async function abandonTransaction(collection = 'rows', id = 'a') {
    const client = new MongoClient(server.url);
    opened.push(client);
    const session = client.startSession();
    session.startTransaction({ readConcern: { level: 'snapshot' } });
    await client
      .db('tested')
      .collection<{ _id: string }>(collection)
      .updateOne({ _id: id }, { $set: { by: 'killed' } }, { session });
    return { end: () => session.abortTransaction() };
  }

  it('has indexes built by a majority of its members, for as long as an index may take', async () => {
    const waits = jest.spyOn(Socket.prototype, 'setTimeout');
    await (await open()).rows(TALLIES).put(tally('a'));
    expect(sent('createIndexes').map(({ commitQuorum }) => commitQuorum as unknown)).toEqual(['majority']);
    expect(waits.mock.calls.map(([ms]) => ms)).toContain(INDEX_CALL_MS);
  });

  it('writes once to find out whether it can be written', async () => {
    const store = await open();
    const before = server.commands.length;
    await store.ping();
    await store.ping();
    expect(server.commands.slice(before).map(nameOf)).toEqual(['update', 'update']);
  });

  describe('that has no transactions', () => {
    beforeEach(() => {
      server.intercept = (command) =>
        starts(command) ? { ok: 0, code: 40_415, errmsg: 'unknown field startTransaction' } : undefined;
    });

    it('is rejected immediately', async () => {
      await expect(open()).rejects.toThrow(
        /names the replica set rs, but has no transactions: unknown field startTransaction\. .*directConnection=true/,
      );
      expect(logger.lines).toEqual([]);
    });

    it('is used without transactions when the address names this one server', async () => {
      const store = await open(direct());
      const fields = { reason: 'unknown field startTransaction' };
      expect(logger.lines).toEqual([{ level: 'warn', message: 'MongoDB is used without transactions', fields }]);
      server.intercept = () => undefined;
      const before = server.commands.length;
      await store.rows(TALLIES).add([tally('a')], ['sum']);
      expect(server.commands.slice(before).filter(starts)).toEqual([]);
    });
  });

  it('is used with transactions when the address names this one server', async () => {
    const store = await open(direct());
    const before = server.commands.length;
    await store.rows(TALLIES).add([tally('a')], ['sum']);
    expect(server.commands.slice(before).filter(starts)).toHaveLength(1);
  });

  it('reports immediately what it waits for at the start', async () => {
    server.isPrimary = false;
    const opening = open();
    await eventually(() => logger.lines.length !== 0);
    server.isPrimary = true;
    await opening;
    const fields = { address: `127.0.0.1:${server.port}`, reason: expect.stringContaining('primary') as string };
    expect(logger.lines[0]).toEqual({ level: 'warn', message: 'Waiting for MongoDB', fields });
  });
});

it('builds indexes without a quorum on a server that is alone', async () => {
  const server = await startMongoServer({ alone: true });
  const store = await openMongoDocumentStore({ url: server.url, database: 'tested' });
  await store.rows(TALLIES).put(tally('a'));
  const builds = server.commands.filter((command) => nameOf(command) === 'createIndexes');
  expect(builds.map((command) => 'commitQuorum' in command)).toEqual([false]);
  await store.close();
  await server.close();
});
