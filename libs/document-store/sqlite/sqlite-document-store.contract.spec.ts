import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countsContract } from '../counts.contract';
import { documentStoreContract, type DocumentStoreFixture } from '../document-store.contract';
import type { DocumentStore } from '../port';
import { openSqliteDocumentStore } from './index';

const create = async (): Promise<DocumentStoreFixture> => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-documents-'));
  const opened: DocumentStore[] = [];
  return {
    open: async () => {
      const store = await openSqliteDocumentStore({ path: join(folder, 'documents.db') });
      opened.push(store);
      return store;
    },
    remove: async () => {
      await Promise.all(opened.map((store) => store.close()));
      await rm(folder, { recursive: true });
    },
  };
};

documentStoreContract('sqlite', create);
countsContract('sqlite', create);
