import { join } from 'node:path';
import type { DocumentStore } from '@sluice/document-store';
import { openMongoDocumentStore } from '@sluice/document-store/mongodb';
import type { EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { temporaryDirectory } from '@sluice/testing';
import { testDatabase } from '@sluice/testing/mongodb';
import { historyContract } from './contract/history.contract';

const server = process.env['TEST_MONGODB_URL'];

// FerretDB looks through all documents where MongoDB uses an index.
jest.setTimeout(180_000);

(server === undefined ? describe.skip : describe)(
  `MongoDB${server === undefined ? ' (no TEST_MONGODB_URL)' : ''}`,
  () => {
    historyContract('mongodb', () => {
      const folder = temporaryDirectory();
      const database = testDatabase(server!);
      const opened: (EventStore | DocumentStore)[] = [];
      const kept = async <Store extends EventStore | DocumentStore>(opening: Promise<Store>): Promise<Store> => {
        const store = await opening;
        opened.push(store);
        return store;
      };
      return Promise.resolve({
        events: () => kept(openSqliteEventStore({ path: join(folder, 'events.db') })),
        otherEvents: () => kept(openSqliteEventStore({ path: join(folder, 'other-events.db') })),
        documents: () => kept(openMongoDocumentStore({ url: database.url, database: 'unused' })),
        remove: async () => {
          await Promise.all(opened.map((store) => store.close()));
          await database.drop();
        },
      });
    });
  },
);
