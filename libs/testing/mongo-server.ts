import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';
import {
  CommandFault,
  Documents,
  duplicate,
  type IndexDescription,
  sorted,
  type Transaction,
  updated,
} from './mongo-documents';

/**
 * A loopback server of MongoDB's wire protocol, to test its client with: it is no MongoDB, and what passes against
 * it is proven against no engine. It holds its documents in memory and carries out the commands that the adapter
 * sends, with what MongoDB's manual promises of them and no more: a transaction that does not ask for a snapshot
 * reads whatever is committed by each of its statements.
 */
export interface MongoServer {
  /** Names the replica set, where it is a member of one. */
  readonly url: string;
  readonly port: number;
  /** The commands that it was sent, those of monitors excepted. */
  readonly commands: readonly Document[];
  /** How often it was asked what it is. */
  readonly hellos: number;
  /** Answers a command in its place: with a reply, or by the end of the connection. Undefined: as usual. */
  intercept: (command: Document) => Reply | undefined | Promise<Reply | undefined>;
  /** Whether it accepts commands; else it is the secondary of another member that can't be reached. */
  isPrimary: boolean;
  /** After so long it ends a transaction, as by transactionLifetimeLimitSeconds. */
  transactionLifetimeMs: number;
  close(): Promise<void>;
}

export type Reply = Document | 'hang up';

export interface MongoServerOptions {
  /** A server alone has no transactions. Default: the one member of a replica set. */
  readonly alone?: boolean;
}

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const OK = { ok: 1 };
const SET = 'rs';

interface Session {
  number: number;
  transaction: Transaction | undefined;
  /** To the last write that is repeated where its answer was lost. */
  reply: Document | undefined;
}

export async function startMongoServer({ alone = false }: MongoServerOptions = {}): Promise<MongoServer> {
  const databases = new Map<string, Documents>();
  const sessions = new Map<string, Session>();
  const commands: Document[] = [];
  const sockets = new Set<Socket>();
  let hellos = 0;

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    let received: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
        const message = received.subarray(0, received.readInt32LE(0));
        received = received.subarray(message.length);
        void answer(socket, message);
      }
    });
  });

  const answer = async (socket: Socket, message: Buffer): Promise<void> => {
    const isQuery = message.readInt32LE(12) === OP_QUERY;
    const reply = await replyTo(isQuery ? queryOf(message) : commandOf(message));
    if (reply === 'hang up') socket.destroy();
    else if (!socket.destroyed) socket.write(packed(message.readInt32LE(4), reply, isQuery));
  };

  const replyTo = async (command: Document): Promise<Reply> => {
    const [name = ''] = Object.keys(command);
    if (/^(hello|ismaster)$/i.test(name)) {
      hellos += 1;
      return hello();
    }
    commands.push(command);
    try {
      const instead = await handle.intercept(command);
      if (instead !== undefined) return instead;
      if (!handle.isPrimary) throw new CommandFault(10_107, 'not primary');
      return await inSession(name, command);
    } catch (error) {
      if (!(error instanceof CommandFault)) throw error;
      const { code, message, labels } = error;
      return { ok: 0, code, errmsg: message, errorLabels: labels };
    }
  };

  const hello = (): Document => {
    const address = `127.0.0.1:${handle.port}`;
    const { isPrimary } = handle;
    return {
      ...OK,
      ...{ ismaster: isPrimary, isWritablePrimary: isPrimary, helloOk: true, localTime: new Date() },
      ...(!alone && { setName: SET, setVersion: 1, hosts: [address], me: address, secondary: !isPrimary }),
      ...(!alone && isPrimary && { primary: address }),
      ...{ maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 },
      ...{ logicalSessionTimeoutMinutes: 30, minWireVersion: 0, maxWireVersion: 21 },
    };
  };

  const inSession = async (name: string, command: Document): Promise<Document> => {
    const { lsid, txnNumber, autocommit, startTransaction } = command;
    const documents = documentsOf(String(command['$db']));
    if (txnNumber === undefined) return carryOut(name, command, documents);
    if (alone) throw new CommandFault(20, 'Transaction numbers are only allowed on a replica set member or mongos');
    const key = BSON.EJSON.stringify(lsid as Document);
    const session = sessions.get(key) ?? { number: -1, transaction: undefined, reply: undefined };
    sessions.set(key, session);
    if (Number(txnNumber) > session.number) {
      if (session.transaction) endTransaction(session.transaction);
      Object.assign(session, { number: Number(txnNumber), transaction: undefined, reply: undefined });
    }
    if (autocommit === undefined) return (session.reply ??= await carryOut(name, command, documents));
    if (startTransaction === true) session.transaction = begin(documents, command);
    return inTransaction(name, command, documents, session);
  };

  const begin = (documents: Documents, { readConcern }: Document): Transaction => {
    const transaction = documents.begin((readConcern as Document | undefined)?.['level'] === 'snapshot');
    setTimeout(() => documents.abort(transaction), handle.transactionLifetimeMs).unref();
    return transaction;
  };

  const endTransaction = (transaction: Transaction): void => {
    for (const documents of databases.values()) documents.abort(transaction);
  };

  const inTransaction = async (
    name: string,
    command: Document,
    documents: Documents,
    session: Session,
  ): Promise<Document> => {
    const { transaction } = session;
    // Commands that end a transaction go to the database admin.
    const owner = [...databases.values()].find((each) => transaction && each.isOpen(transaction));
    if (name === 'commitTransaction' && session.reply) return session.reply;
    if (!transaction || !owner) {
      throw new CommandFault(251, 'Given transaction number does not match any in-progress transactions.', [
        'TransientTransactionError',
      ]);
    }
    if (name === 'commitTransaction' || name === 'abortTransaction') {
      if (name === 'commitTransaction') owner.commit(transaction);
      else owner.abort(transaction);
      return (session.reply = OK);
    }
    try {
      const reply = await carryOut(name, command, documents, transaction);
      if (reply['writeErrors'] !== undefined) owner.abort(transaction);
      return reply;
    } catch (error) {
      owner.abort(transaction);
      throw error;
    }
  };

  const documentsOf = (name: string): Documents => {
    const documents = databases.get(name) ?? new Documents();
    databases.set(name, documents);
    return documents;
  };

  const carryOut = async (
    name: string,
    command: Document,
    documents: Documents,
    transaction?: Transaction,
  ): Promise<Document> => {
    const collection = String(command[name]);
    const cursor = (firstBatch: Document[]): Document => ({
      ...OK,
      cursor: { id: BSON.Long.ZERO, ns: `${String(command['$db'])}.${collection}`, firstBatch },
    });
    switch (name) {
      case 'insert':
        return eachOf(command, 'documents', async (document) => {
          const id = document['_id'] as unknown;
          for (;;) {
            if (documents.find(collection, { _id: id }, transaction).length > 0) throw duplicate(collection);
            if (await documents.write(collection, id, document, undefined, transaction)) return { n: 1 };
          }
        });
      case 'update':
        return eachOf(command, 'updates', async ({ q, u, upsert = false }) => {
          const { before, after } = await update(documents, collection, q, u, upsert as boolean, transaction);
          if (before) return { n: 1, nModified: 1 };
          return after ? { n: 1, nModified: 0, upserted: after['_id'] as unknown } : { n: 0, nModified: 0 };
        });
      case 'findAndModify': {
        const { query, update: change, upsert = false, new: isAfter = false } = command;
        const { before, after } = await update(documents, collection, query, change, upsert as boolean, transaction);
        return { ...OK, value: (isAfter ? after : before) ?? null };
      }
      case 'delete':
        return eachOf(command, 'deletes', async ({ q, limit }) => {
          let n = 0;
          for (;;) {
            const [found] = documents.find(collection, q as Document, transaction);
            if (!found) return { n };
            if (!(await documents.write(collection, found['_id'], undefined, found, transaction))) continue;
            n += 1;
            if (limit === 1) return { n };
          }
        });
      case 'find': {
        const { filter = {}, sort = {}, skip = 0, limit = 0, projection } = command;
        const found = sorted(documents.find(collection, filter as Document, transaction), sort as Document);
        const page = found.slice(Number(skip), limit ? Number(skip) + Number(limit) : undefined);
        return cursor(projection ? page.map((document) => projected(document, projection as Document)) : page);
      }
      case 'aggregate':
        return cursor(aggregated(documents, collection, command['pipeline'] as Document[], transaction));
      case 'create':
        documents.create(collection);
        return OK;
      case 'createIndexes': {
        const { indexes } = documents.create(collection);
        for (const { key, name: index, unique } of command['indexes'] as IndexDescription[]) {
          if (indexes.some((known) => known.name === index)) continue;
          indexes.push({ key, name: index, ...(unique && { unique }) });
        }
        return OK;
      }
      case 'listIndexes': {
        const indexes = documents.indexes(collection);
        if (!indexes) throw new CommandFault(26, `ns does not exist: ${collection}`);
        return cursor(indexes.map((index) => ({ v: 2, ...index })));
      }
      case 'listCollections':
        return cursor(documents.names.map((each) => ({ name: each, type: 'collection' })));
      case 'drop':
        if (!documents.drop(collection)) throw new CommandFault(26, 'ns not found');
        return OK;
      case 'dropDatabase':
        databases.delete(String(command['$db']));
        return OK;
      case 'buildInfo':
        return { ...OK, version: '7.0.0', versionArray: [7, 0, 0, 0] };
      case 'ping':
      case 'endSessions':
      case 'killCursors':
        return OK;
      default:
        throw new CommandFault(59, `no such command: '${name}'`);
    }
  };

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const handle: MongoServer = {
    url: `mongodb://127.0.0.1:${port}/${alone ? '' : `?replicaSet=${SET}`}`,
    port,
    commands,
    get hellos() {
      return hellos;
    },
    intercept: () => undefined,
    isPrimary: true,
    transactionLifetimeMs: 60_000,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
  return handle;
}

/** Of several operations, whether they stop at the first that fails or not. */
async function eachOf(
  command: Document,
  member: string,
  carryOut: (operation: Document) => Promise<{ n: number; nModified?: number; upserted?: unknown }>,
): Promise<Document> {
  const sums: Document = { n: 0, ...(member === 'updates' && { nModified: 0 }) };
  const upserted: Document[] = [];
  const writeErrors: Document[] = [];
  for (const [index, operation] of (command[member] as Document[]).entries()) {
    try {
      const { n, nModified = 0, upserted: id } = await carryOut(operation);
      sums['n'] = Number(sums['n']) + n;
      if (member === 'updates') sums['nModified'] = Number(sums['nModified']) + nModified;
      if (id !== undefined) upserted.push({ index, _id: id });
    } catch (error) {
      if (!(error instanceof CommandFault) || error.labels.length > 0) throw error;
      writeErrors.push({ index, code: error.code, errmsg: error.message });
      if (command['ordered'] !== false) break;
    }
  }
  return {
    ...{ ...sums, ...OK },
    ...(upserted.length > 0 && { upserted }),
    ...(writeErrors.length > 0 && { writeErrors }),
  };
}

async function update(
  documents: Documents,
  collection: string,
  filter: unknown,
  change: unknown,
  upsert: boolean,
  transaction: Transaction | undefined,
): Promise<{ before?: Document; after?: Document }> {
  for (;;) {
    const [before] = documents.find(collection, filter as Document, transaction);
    if (!before && !upsert) return {};
    const after = updated(before, filter as Document, change as Document);
    const written = await documents.write(collection, after['_id'], after, before, transaction);
    if (written) return before ? { before, after } : { after };
    const { _id: id } = filter as Document;
    // An id that is there, in a document that the filter does not meet.
    if (!before && documents.find(collection, { _id: id as unknown }).length > 0) {
      if (documents.find(collection, filter as Document).length === 0) throw duplicate(collection);
    }
  }
}

function projected(document: Document, projection: Document): Document {
  return Object.fromEntries(
    Object.entries(document).filter(([name]) => name === '_id' || projection[name] === 1 || projection[name] === true),
  );
}

/** `$match`, `$group` with sums of 1, `$sort` and `$limit`. */
function aggregated(
  documents: Documents,
  collection: string,
  pipeline: readonly Document[],
  transaction: Transaction | undefined,
): Document[] {
  let rows: Document[] | undefined;
  for (const { $match, $group, $sort, $limit } of pipeline) {
    if ($match) rows = documents.find(collection, $match as Document, transaction);
    rows ??= documents.find(collection, {}, transaction);
    if ($group) rows = grouped(rows, $group as Document);
    if ($sort) rows = sorted(rows, $sort as Document);
    if ($limit) rows = rows.slice(0, Number($limit));
  }
  return rows ?? [];
}

function grouped(rows: readonly Document[], { _id: by, ...sums }: Document): Document[] {
  const groups = new Map<string, Document>();
  const [sum = ''] = Object.keys(sums);
  for (const row of rows) {
    const id: unknown =
      typeof by === 'object'
        ? Object.fromEntries(
            Object.entries(by as Record<string, string>).map(([name, path]) => [name, row[path.slice(1)] as unknown]),
          )
        : by;
    const key = JSON.stringify(id);
    const group = groups.get(key) ?? { _id: id, [sum]: 0 };
    groups.set(key, { ...group, [sum]: Number(group[sum]) + 1 });
  }
  return [...groups.values()];
}

const BSON_OPTIONS = { promoteValues: true, promoteLongs: true };

/** OP_MSG: one body, and sequences of documents that are members of it. */
function commandOf(message: Buffer): Document {
  const members: Document = {};
  let body: Document = {};
  for (let at = 20; at < message.length;) {
    const kind = message.readUInt8(at);
    const size = message.readInt32LE(at + 1);
    const section = message.subarray(at + 1, at + 1 + size);
    at += 1 + size;
    if (kind === 0) {
      body = BSON.deserialize(section, BSON_OPTIONS);
      continue;
    }
    const end = section.indexOf(0, 4);
    const documents: Document[] = [];
    for (let next = end + 1; next < section.length;) {
      const length = section.readInt32LE(next);
      documents.push(BSON.deserialize(section.subarray(next, next + length), BSON_OPTIONS));
      next += length;
    }
    members[section.toString('utf8', 4, end)] = documents;
  }
  return { ...body, ...members };
}

/** OP_QUERY, by which a client asks what the server is before it knows. */
function queryOf(message: Buffer): Document {
  const end = message.indexOf(0, 20);
  return BSON.deserialize(message.subarray(end + 9), BSON_OPTIONS);
}

function packed(request: number, reply: Document, isQuery: boolean): Buffer {
  const body = BSON.serialize(reply);
  const prefix = Buffer.alloc(isQuery ? 36 : 21);
  prefix.writeInt32LE(prefix.length + body.length, 0);
  prefix.writeInt32LE(request, 8);
  prefix.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
  if (isQuery) {
    prefix.writeInt32LE(8, 16);
    prefix.writeInt32LE(1, 32);
  }
  return Buffer.concat([prefix, body]);
}
