import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { countsContract } from '../contract/counts.contract';
import { documentStoreContract, type DocumentStoreFixture } from '../contract/document-store.contract';
import type { DocumentStore } from '../port';
import { openSqliteDocumentStore } from './index';

const create = (): Promise<DocumentStoreFixture> => {
  const folder = temporaryDirectory();
  const opened: DocumentStore[] = [];
  return Promise.resolve({
    open: async () => {
      const store = await openSqliteDocumentStore({ path: join(folder, 'documents.db') });
      opened.push(store);
      return store;
    },
    remove: async () => {
      await Promise.all(opened.map((store) => store.close()));
    },
  });
};

documentStoreContract('sqlite', create);
countsContract('sqlite', create);
