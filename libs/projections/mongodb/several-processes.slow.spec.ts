import { startMongoServer, type MongoServer } from '@sluice/testing/mongo-server';
import { severalProcessesContract } from './several-processes.contract';

jest.setTimeout(120_000);

describe.each([false, true])("MongoDB's client on a loopback server of its protocol", (alone) => {
  let server: MongoServer;

  beforeAll(async () => {
    server = await startMongoServer({ alone });
    // A process that is stopped amid a transaction holds its documents for so long.
    server.transactionLifetimeMs = 2_000;
  });
  afterAll(() => server.close());

  severalProcessesContract(alone ? 'a server without transactions' : 'a replica set', () => server.url);
});
