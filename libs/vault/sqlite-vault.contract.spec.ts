import { join } from 'node:path';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { temporaryDirectory } from '@sluice/testing';
import { vaultContract } from './contract/vault.contract';

describe('on the embedded state store', () => {
  let folder: string;
  let stores = 0;

  beforeAll(() => {
    folder = temporaryDirectory();
  });

  vaultContract(() => openSqliteDocumentStore({ path: join(folder, `${(stores += 1)}.db`) }));
});
