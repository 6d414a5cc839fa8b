import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase } from '../../../test/support/mongodb';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { countsContract } from '../counts.contract';
import { documentStoreContract, type DocumentStoreFixture } from '../document-store.contract';
import type { StoresFixture } from '../parcels.contract';
import type { DocumentStore, Row } from '../port';
import { processManagerContract } from '../process-manager.contract';
import { projectionsContract } from '../projections.contract';
import { rebuildContract } from '../rebuild.contract';
import { verifyContract } from '../verify.contract';
import { openMongoDocumentStore } from './index';

const server = process.env['TEST_MONGODB_URL'];

// FerretDB looks through all documents where MongoDB uses an index.
jest.setTimeout(180_000);

function createDocuments(): Promise<DocumentStoreFixture> {
  const database = testDatabase(server!);
  const opened: DocumentStore[] = [];
  return Promise.resolve({
    open: async () => {
      const store = await openMongoDocumentStore({ url: database.url, database: 'unused' });
      opened.push(store);
      return store;
    },
    remove: async () => {
      await Promise.all(opened.map((store) => store.close()));
      await database.drop();
    },
  });
}

async function createStores(): Promise<StoresFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-projections-'));
  const documents = await createDocuments();
  const opened: { close(): Promise<void> }[] = [];
  const openEvents = async (file: string) => {
    const store = await openSqliteEventStore({ path: join(folder, file) });
    opened.push(store);
    return store;
  };
  return {
    events: () => openEvents('events.db'),
    otherEvents: () => openEvents('other-events.db'),
    documents: () => documents.open(),
    remove: async () => {
      await Promise.all(opened.map((store) => store.close()));
      await documents.remove();
      await rm(folder, { recursive: true });
    },
  };
}

(server === undefined ? describe.skip : describe)(
  `MongoDB${server === undefined ? ' (no TEST_MONGODB_URL)' : ''}`,
  () => {
    documentStoreContract('mongodb', createDocuments);
    countsContract('mongodb', createDocuments);
    projectionsContract('mongodb', createStores);
    rebuildContract('mongodb', createStores);
    verifyContract('mongodb', createStores);
    processManagerContract('mongodb', createStores);

    it('names the indexes of rows that it no longer declares, and no other', async () => {
      interface Seat extends Row {
        readonly hall: string;
        readonly number: number;
      }
      const hall = { fields: ['hall'] as const };
      const fixture = await createDocuments();
      try {
        const before = await fixture.open();
        await before
          .rows<Seat>({ name: 'seats', indexes: [hall, { fields: ['hall', 'number'], unique: true }] })
          .put({ id: '1', hall: 'a', number: 1 });
        expect(await before.undeclaredIndexes?.()).toEqual([]);
        const after = await fixture.open();
        await after.rows<Seat>({ name: 'seats', indexes: [hall] }).get('1');
        after.rows({ name: 'never-written', indexes: [] });
        expect(await after.undeclaredIndexes?.()).toEqual(['seats.hall_1_number_1']);
      } finally {
        await fixture.remove();
      }
    });
  },
);
