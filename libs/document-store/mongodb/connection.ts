import {
  type ClientSession,
  type CreateIndexOptions,
  type Db,
  type Document,
  MongoClient,
  type MongoClientOptions,
  type ServerHeartbeatFailedEvent,
} from 'mongodb';
import { ENGINE_PATIENCE_MS, type Logger, waitForEngine, withTimeout } from '@sluice/kernel';
import { DocumentStoreUnavailableError } from '../port';
import { EndingConnection } from './driver-connection';
import { lacksTransactions, translated } from './errors';
import { productIn, updatesAtOnce } from './ferretdb';
import { inTransaction } from './transactions';
import { Turns } from './turns';

const OPTIONS: MongoClientOptions & { readonly connectionType: unknown } = {
  appName: 'sluice',
  connectionType: EndingConnection,
  // An election takes up to 12 s. Calls that must not wait for one are given up sooner.
  serverSelectionTimeoutMS: 15_000,
  connectTimeoutMS: 2_000,
  waitQueueTimeoutMS: 5_000,
  socketTimeoutMS: 30_000,
  readPreference: 'primary',
  writeConcern: { w: 'majority', journal: true },
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- Without it, what an address says would win.
  journal: true,
};

/** A call that takes longer is given up. */
const CALL_MS = 5_000;
/** One that reads or writes any number of rows. */
export const LONG_CALL_MS = 60_000;
/** One that builds indexes, over the rows that are there already. A server that dies meanwhile ends it sooner. */
export const INDEX_CALL_MS = 3_600_000;

/** Given up by its caller once the signal is aborted, whose reason is the caller's error. */
type Call<T> = (signal: AbortSignal) => Promise<T>;

/** One client of one database. */
export interface Connection {
  readonly db: Db;
  readonly turns: Turns;
  readonly logger: Logger | undefined;
  /** The server's name and version. */
  product(): Promise<string>;
  /** Whether an update finds and writes its document in one step. */
  readonly updatesAtOnce: boolean;
  /** Options of every build of an index. */
  readonly indexBuild: CreateIndexOptions;
  /** @throws DocumentStoreUnavailableError once closed, after `patienceMs`, and for whatever the driver throws */
  call<T>(action: Call<T>, patienceMs?: number): Promise<T>;
  /** A call of several steps, each with a patience of its own: `close` waits for the last. @throws as `call` once closed */
  whole<T>(action: (step: Connection['call']) => Promise<T>): Promise<T>;
  /** An update that depends on what it finds: as the server makes it where that is one step, else in a turn. */
  alone<T>(turn: string, signal: AbortSignal, action: () => Promise<T>): Promise<T>;
  /**
   * Reads and writes that become one: in a transaction where the server has them, else in a turn. In the order of
   * the calls. Writes nothing once the signal is aborted, except what a command under way still writes.
   */
  together<T>(
    turn: string,
    signal: AbortSignal,
    action: (session: ClientSession | undefined) => Promise<T>,
  ): Promise<T>;
  /** In a transaction where the server has them. */
  transact<T>(signal: AbortSignal, action: (session: ClientSession | undefined) => Promise<T>): Promise<T>;
  /** Waits for the calls under way. */
  close(): Promise<void>;
}

/**
 * Connects, and keeps trying for `patienceMs`.
 * @throws DocumentStoreUnavailableError; Error for a URL that is none, which is not repeated, and for a server that
 *   names a replica set and has no transactions
 */
export async function openConnection(
  url: string,
  database: string,
  logger?: Logger,
  patienceMs: number = ENGINE_PATIENCE_MS,
): Promise<Connection> {
  const client = clientOf(url);
  const db = client.db(databaseIn(url) ?? database);
  const { hello, build, transactions } = await connected(client, db, logger, patienceMs);
  const atOnce = updatesAtOnce(build);
  const indexBuild: CreateIndexOptions & { readonly socketTimeoutMS: number } = {
    socketTimeoutMS: INDEX_CALL_MS,
    // By default a build waits for every voting member, also for one that is down.
    ...(transactions && typeof hello['setName'] === 'string' && { commitQuorum: 'majority' }),
  };
  const turns = new Turns(db.collection('_turns'));
  const underWay = new Set<Promise<unknown>>();
  let closed = false;

  const transact: Connection['transact'] = (signal, action) =>
    transactions
      ? client.withSession((session) => inTransaction(session, signal, () => action(session)))
      : action(undefined);

  const whole: Connection['whole'] = async (action) => {
    if (closed) throw new DocumentStoreUnavailableError('The document store is closed.');
    const answer = action(step);
    underWay.add(answer);
    return answer.finally(() => underWay.delete(answer));
  };

  return {
    db,
    turns,
    logger,
    product: async () => productIn(await db.admin().command({ buildInfo: 1 })),
    updatesAtOnce: atOnce,
    indexBuild,
    transact,
    whole,
    call: (action, patienceMs) => whole(() => step(action, patienceMs)),
    alone: (turn, signal, action) => (atOnce ? action() : turns.take(turn, signal, action)),
    together: (turn, signal, action) =>
      transactions
        ? turns.local.run(turn, () => transact(signal, action))
        : turns.take(turn, signal, () => action(undefined)),
    close: async () => {
      closed = true;
      await Promise.allSettled(underWay);
      await client.close();
    },
  };
}

/** Writes are retried unless the URL says otherwise. @throws Error for a URL that is none, which is not repeated */
export function clientOf(url: string): MongoClient {
  try {
    return new MongoClient(url, OPTIONS);
  } catch {
    throw new Error(
      'The address of MongoDB can not be read: it must be mongodb://HOST:PORT/DATABASE or mongodb+srv://….',
    );
  }
}

class NoTransactionsError extends Error {
  constructor(named: string, cause: Error) {
    super(
      `MongoDB names ${named}, but has no transactions: ${cause.message}. Use MongoDB 4.4 or later, or add directConnection=true to the address to use this server without transactions.`,
      { cause },
    );
    this.name = 'NoTransactionsError';
  }
}

async function connected(client: MongoClient, db: Db, logger: Logger | undefined, patienceMs: number) {
  const { srvHost, hosts } = client.options;
  const wait = {
    engine: 'MongoDB',
    address: srvHost ?? hosts.join(','),
    logger,
    patienceMs,
    isFinal: (error: unknown) => error instanceof NoTransactionsError,
  };
  try {
    return await waitForEngine(wait, async (note) => {
      note('no primary was found yet');
      const failed = ({ failure }: ServerHeartbeatFailedEvent): void => note(failure);
      client.on('serverHeartbeatFailed', failed);
      try {
        await client.connect();
        const admin = client.db('admin');
        const hello = await admin.command({ hello: 1 });
        const build = await admin.command({ buildInfo: 1 });
        return { hello, build, transactions: await hasTransactions(client, db, hello, logger) };
      } finally {
        client.off('serverHeartbeatFailed', failed);
      }
    });
  } catch (error) {
    await client.close();
    throw translated(error);
  }
}

/**
 * Tries one where the server names a replica set or shards; a server alone has none.
 * @throws NoTransactionsError when there are none and the address does not name this one server alone
 */
async function hasTransactions(
  client: MongoClient,
  db: Db,
  hello: Document,
  logger: Logger | undefined,
): Promise<boolean> {
  const { setName, msg } = hello;
  if (typeof setName !== 'string' && msg !== 'isdbgrid') return false;
  try {
    const read = (session: ClientSession) => db.collection('_probe').findOne({}, { session });
    await within(
      (signal) => client.withSession((session) => inTransaction(session, signal, () => read(session))),
      CALL_MS,
    );
    return true;
  } catch (error) {
    if (!lacksTransactions(error)) throw error;
    const { message: reason } = error;
    if (client.options.directConnection) {
      logger?.warn({ reason }, 'MongoDB is used without transactions');
      return false;
    }
    throw new NoTransactionsError(typeof setName === 'string' ? `the replica set ${setName}` : 'shards', error);
  }
}

/** The path of the URL, decoded. Undefined: it names no database. */
function databaseIn(url: string): string | undefined {
  const [, name = ''] = /^[^:]+:\/\/[^/]+\/([^?]*)/.exec(url) ?? [];
  return name === '' ? undefined : decodeURIComponent(name);
}

const step: Connection['call'] = async (action, patienceMs = CALL_MS) => {
  try {
    return await within(action, patienceMs);
  } catch (error) {
    throw translated(error);
  }
};

async function within<T>(action: Call<T>, patienceMs: number): Promise<T> {
  const patience = new AbortController();
  return withTimeout(action(patience.signal), patienceMs, () => {
    const error = new DocumentStoreUnavailableError(`MongoDB did not answer within ${patienceMs} ms.`);
    patience.abort(error);
    return error;
  });
}
