import { startMongoServer, type MongoServer } from '@sluice/testing/mongo-server';
import { mongodbContract } from './mongodb.contract';

jest.setTimeout(180_000);

describe("MongoDB's client on a loopback server of its protocol", () => {
  let server: MongoServer;

  beforeAll(async () => {
    server = await startMongoServer();
  });
  afterAll(() => server.close());

  mongodbContract('a replica set', () => server.url);
});
