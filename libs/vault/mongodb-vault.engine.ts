import { openMongoDocumentStore } from '@sluice/document-store/mongodb';
import { testDatabase, type TestDatabase } from '@sluice/testing/mongodb';
import { vaultContract } from './contract/vault.contract';

const server = process.env['TEST_MONGODB_URL'];

// FerretDB looks through all documents where MongoDB uses an index.
jest.setTimeout(180_000);

(server === undefined ? describe.skip : describe)(
  `on MongoDB as state store${server === undefined ? ' (no TEST_MONGODB_URL)' : ''}`,
  () => {
    const databases: TestDatabase[] = [];
    afterAll(() => Promise.all(databases.map((database) => database.drop())));

    vaultContract(() => {
      const database = testDatabase(server!);
      databases.push(database);
      return openMongoDocumentStore({ url: database.url, database: 'unused' });
    });
  },
);
