import { type ClientSession, type Db, type Document, MongoClient, type MongoClientOptions } from 'mongodb';
import { setTimeout as pause } from 'node:timers/promises';
import { DocumentStoreUnavailableError } from '../port';
import { EndingConnection } from './driver-connection';
import { translated } from './errors';
import { Turns } from './turns';

const OPTIONS: MongoClientOptions & { readonly connectionType: unknown } = {
  appName: 'sluice',
  connectionType: EndingConnection,
  serverSelectionTimeoutMS: 2_000,
  connectTimeoutMS: 2_000,
  waitQueueTimeoutMS: 5_000,
  socketTimeoutMS: 30_000,
  readPreference: 'primary',
  writeConcern: { w: 'majority', journal: true },
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- Without it, what an address says would win.
  journal: true,
};

/** A server may come up after its clients. */
const PATIENCE_MS = 30_000;
/** A call that takes longer is given up. */
const CALL_MS = 5_000;
/** One that reads or writes any number of rows. */
export const LONG_CALL_MS = 60_000;
/** One that builds indexes, over whatever stands there already. A server that dies meanwhile ends it sooner. */
export const INDEX_CALL_MS = 3_600_000;

/** One client of one database. */
export interface Connection {
  readonly db: Db;
  readonly turns: Turns;
  /** The server's name and version. */
  product(): Promise<string>;
  /** Whether an update finds and writes its document in one step. */
  readonly updatesAtOnce: boolean;
  /** @throws DocumentStoreUnavailableError once closed, after `patienceMs`, and for whatever the driver throws */
  call<T>(action: () => Promise<T>, patienceMs?: number): Promise<T>;
  /** A call of several steps, each with a patience of its own: `close` waits for the last. @throws as `call` once closed */
  whole<T>(action: (step: Connection['call']) => Promise<T>): Promise<T>;
  /** An update that depends on what it finds: as the server makes it where that is one step, else in a turn. */
  alone<T>(turn: string, action: () => Promise<T>): Promise<T>;
  /** Reads and writes that become one: in a transaction where the server has them, else in a turn. In the order of the calls. */
  together<T>(turn: string, action: (session: ClientSession | undefined) => Promise<T>): Promise<T>;
  /** In a transaction where the server has them. */
  transact<T>(action: (session: ClientSession | undefined) => Promise<T>): Promise<T>;
  /** Waits for the calls under way. */
  close(): Promise<void>;
}

/**
 * Connects, and keeps trying for `patienceMs`.
 * @throws DocumentStoreUnavailableError, or Error for a URL that is none, which is not repeated
 */
export async function openConnection(
  url: string,
  database: string,
  patienceMs: number = PATIENCE_MS,
): Promise<Connection> {
  const client = clientOf(url);
  const { hello, build } = await connected(client, patienceMs);
  const db = client.db(databaseIn(url) ?? database);
  // A server alone has no transactions. FerretDB 1 reads, filters and writes by id in separate steps.
  const transactions = typeof hello['setName'] === 'string' || hello['msg'] === 'isdbgrid';
  const updatesAtOnce = !('ferretdbVersion' in build || 'ferretdb' in build);
  const turns = new Turns(db.collection('_turns'));
  const underWay = new Set<Promise<unknown>>();
  let closed = false;

  const transact: Connection['transact'] = (action) =>
    transactions
      ? client.withSession((session) =>
          session.withTransaction(() => action(session), { writeConcern: { w: 'majority', journal: true } }),
        )
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
    product: async () => productIn(await db.admin().command({ buildInfo: 1 })),
    updatesAtOnce,
    transact,
    whole,
    call: (action, patienceMs) => whole(() => step(action, patienceMs)),
    alone: (turn, action) => (updatesAtOnce ? action() : turns.take(turn, action)),
    together: (turn, action) =>
      transactions ? turns.queue(turn, () => transact(action)) : turns.take(turn, () => action(undefined)),
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

async function connected(client: MongoClient, patienceMs: number) {
  for (const deadline = performance.now() + patienceMs; ;) {
    try {
      await client.connect();
      const admin = client.db('admin');
      return { hello: await admin.command({ hello: 1 }), build: await admin.command({ buildInfo: 1 }) };
    } catch (error) {
      if (performance.now() > deadline) {
        await client.close();
        throw translated(error);
      }
      await pause(500);
    }
  }
}

/** FerretDB gives the version of MongoDB that it behaves like, and its own beside it. */
function productIn({ version, ferretdb, ferretdbVersion }: Document): string {
  const ferret = (ferretdb as { version?: string } | undefined)?.version ?? (ferretdbVersion as string | undefined);
  return ferret === undefined ? `MongoDB ${String(version)}` : `FerretDB ${ferret}`;
}

/** The path of the URL, decoded. Undefined: it names no database. */
function databaseIn(url: string): string | undefined {
  const [, name = ''] = /^[^:]+:\/\/[^/]+\/([^?]*)/.exec(url) ?? [];
  return name === '' ? undefined : decodeURIComponent(name);
}

const step: Connection['call'] = async (action, patienceMs = CALL_MS) => {
  try {
    return await within(action(), patienceMs);
  } catch (error) {
    throw translated(error);
  }
};

async function within<T>(answer: Promise<T>, patienceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new DocumentStoreUnavailableError(`MongoDB did not answer within ${patienceMs} ms.`)),
      patienceMs,
    );
  });
  return Promise.race([answer, silence]).finally(() => clearTimeout(timer));
}
