import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { MongoClient } from 'mongodb';

/** A server that the tests of an adapter need, and the ways to have one. */
export interface Engine {
  readonly name: string;
  /** Its address for the tests. */
  readonly variable: string;
  readonly container: {
    readonly image: string;
    readonly port: number;
    readonly command?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
    /** Run inside once the server listens. */
    readonly prepare?: readonly string[];
  };
  /** An installed program; without one only a container will do. */
  readonly program?: {
    readonly name: string;
    readonly arguments: (port: number, folder: string) => readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
  };
  readonly url: (host: string, port: number) => string;
  /** What the HTTP suite runs on where this engine isn't available. Undefined: it starts its own. */
  readonly inItsPlace?: string;
  /** What the server says of itself. Rejects as long as it isn't ready. */
  readonly version: (url: string) => Promise<string>;
}

const MINIO = { MINIO_ROOT_USER: 'sluice', MINIO_ROOT_PASSWORD: 'sluice-secret' };

export const ENGINES: readonly Engine[] = [
  {
    name: 'NATS',
    variable: 'TEST_NATS_URL',
    container: { image: 'nats:2-alpine', port: 4222 },
    program: { name: 'nats-server', arguments: (port) => ['-a', '127.0.0.1', '-p', String(port)] },
    url: (host, port) => `nats://${host}:${port}`,
    version: natsVersion,
  },
  {
    name: 'EventStoreDB',
    variable: 'TEST_EVENT_STORE_URL',
    container: {
      image: 'eventstore/eventstore:23.10.0-bookworm-slim',
      port: 2113,
      environment: { EVENTSTORE_INSECURE: 'true', EVENTSTORE_RUN_PROJECTIONS: 'None' },
    },
    inItsPlace: 'SQLite',
    url: (host, port) => `esdb://${host}:${port}?tls=false`,
    version: eventStoreVersion,
  },
  {
    name: 'MongoDB',
    variable: 'TEST_MONGODB_URL',
    container: {
      image: 'mongo:7',
      port: 27017,
      command: ['--replSet', 'rs0', '--bind_ip_all'],
      prepare: [
        ...['mongosh', '--quiet', '--eval'],
        `rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: '127.0.0.1:27017' }] }); while (!db.hello().isWritablePrimary) sleep(50)`,
      ],
    },
    // No mongod is to be had as a package: FerretDB speaks its protocol, without transactions.
    program: {
      name: 'ferretdb',
      arguments: (port, folder) => [
        ...['--handler=sqlite', `--sqlite-url=file:${folder}/`, `--listen-addr=127.0.0.1:${port}`],
        ...['--debug-addr=-', '--mode=normal', '--telemetry=disable', `--state-dir=${folder}`, '--log-level=warn'],
      ],
      environment: { DO_NOT_TRACK: '1' },
    },
    inItsPlace: 'SQLite',
    url: (host, port) => `mongodb://${host}:${port}/?directConnection=true`,
    version: mongoVersion,
  },
  {
    name: 'object store',
    variable: 'TEST_OBJECT_STORE_URL',
    container: { image: 'minio/minio:latest', port: 9000, command: ['server', '/data'], environment: MINIO },
    program: {
      name: 'minio',
      arguments: (port, folder) => ['server', '--quiet', '--address', `127.0.0.1:${port}`, folder],
      environment: { ...MINIO, MINIO_BROWSER: 'off', MINIO_UPDATE: 'off' },
    },
    inItsPlace: 'a folder',
    url: (host, port) => `minio://${MINIO.MINIO_ROOT_USER}:${MINIO.MINIO_ROOT_PASSWORD}@${host}:${port}/sluice-test`,
    version: async (url) => {
      const answer = await fetch(`http://${new URL(url.replace(/^minio:/, 'http:')).host}/minio/health/ready`);
      if (!answer.ok) throw new Error(`It answers ${answer.status}.`);
      const server = answer.headers.get('server');
      if (server === null) throw new Error('Something else answers there.');
      return server;
    },
  },
];

async function natsVersion(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port || 4222), hostname);
  try {
    const [line] = (await once(createInterface({ input: socket }), 'line')) as [string];
    return (JSON.parse(line.replace(/^INFO /, '')) as { version: string }).version;
  } finally {
    socket.destroy();
  }
}

/** Of the first node; a cluster that is found by DNS has none. */
async function eventStoreVersion(url: string): Promise<string> {
  if (url.startsWith('esdb+discover:') && !url.includes(',')) return '?';
  const first = url.replace(/^esdb(\+discover)?:/, 'http:').replace(/,[^/?]*/, '');
  const { host, username, password, searchParams } = new URL(first);
  const scheme = searchParams.get('tls') === 'false' ? 'http' : 'https';
  const user = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const answer = await fetch(
    `${scheme}://${host}/info`,
    username ? { headers: { Authorization: `Basic ${user}` } } : {},
  );
  return ((await answer.json()) as { esVersion?: string }).esVersion ?? '?';
}

async function mongoVersion(url: string): Promise<string> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 1_000 });
  try {
    const info = await client.db('admin').command({ buildInfo: 1 });
    const ferret = (info['ferretdb'] as { version?: string } | undefined)?.version ?? info['ferretdbVersion'];
    return ferret === undefined ? String(info['version']) : `FerretDB ${String(ferret)}`;
  } finally {
    await client.close();
  }
}
