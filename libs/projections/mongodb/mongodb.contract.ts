import { join } from 'node:path';
import { testDatabase } from '@sluice/testing/mongodb';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { temporaryDirectory } from '@sluice/testing';
import { countsContract } from '../../document-store/contract/counts.contract';
import {
  documentStoreContract,
  type DocumentStoreFixture,
} from '../../document-store/contract/document-store.contract';
import type { StoresFixture } from '../contract/parcels.contract';
import { type Collection, type DocumentStore, type Row, RowTooLargeError } from '@sluice/document-store';
import { processManagerContract } from '../contract/process-manager.contract';
import { projectionsContract } from '../contract/projections.contract';
import { rebuildContract } from '../contract/rebuild.contract';
import { verifyContract } from '../contract/verify.contract';
import { openMongoDocumentStore } from '@sluice/document-store/mongodb';

interface Note extends Row {
  readonly text: string;
  readonly lines?: readonly string[];
}

const NOTES: Collection<Note> = { name: 'notes', indexes: [] };

/** Holds the adapter to all promises of the port, on a server. @param server its address, asked for by each test */
export function mongodbContract(engine: string, server: () => string): void {
  const createDocuments = (): Promise<DocumentStoreFixture> => {
    const database = testDatabase(server());
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
  };

  const createStores = async (): Promise<StoresFixture> => {
    const folder = temporaryDirectory();
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
      },
    };
  };

  documentStoreContract(engine, createDocuments);
  countsContract(engine, createDocuments);
  projectionsContract(engine, createStores);
  rebuildContract(engine, createStores);
  verifyContract(engine, createStores);
  processManagerContract(engine, createStores);

  describe(`the adapter of MongoDB on ${engine}`, () => {
    let fixture: DocumentStoreFixture;

    beforeEach(async () => {
      fixture = await createDocuments();
    });
    afterEach(() => fixture.remove());

    it('names the indexes of rows that it no longer declares, and no other', async () => {
      interface Seat extends Row {
        readonly hall: string;
        readonly number: number;
      }
      const hall = { fields: ['hall'] as const };
      const before = await fixture.open();
      await before
        .rows<Seat>({ name: 'seats', indexes: [hall, { fields: ['hall', 'number'], unique: true }] })
        .put({ id: '1', hall: 'a', number: 1 });
      expect(await before.undeclaredIndexes?.()).toEqual([]);
      const after = await fixture.open();
      await after.rows<Seat>({ name: 'seats', indexes: [hall] }).get('1');
      after.rows({ name: 'never-written', indexes: [] });
      expect(await after.undeclaredIndexes?.()).toEqual(['seats.hall_1_number_1']);
    });

    it.each<[string, Note]>([
      ['in one member', { id: 'large', text: 'x'.repeat(17 * 1024 * 1024) }],
      [
        'in members that are not scalars',
        { id: 'large', text: '', lines: Array<string>(17).fill('ü'.repeat(512 * 1024)) },
      ],
    ])('rejects a row of more than 16 MiB %s permanently, and the batch that it is in', async (_, large) => {
      const notes = (await fixture.open()).rows(NOTES);
      const small = { id: 'small', text: '' };
      for (const writing of [
        () => notes.put(large),
        () => notes.put(large, 'absent'),
        () => notes.putMany([small, large]),
        () => notes.putMany([small, large], 'absent'),
        () => notes.add([small, large], []),
      ]) {
        await expect(writing()).rejects.toThrow(RowTooLargeError);
      }
      expect(await notes.count()).toBe(0);
    });
  });
}
