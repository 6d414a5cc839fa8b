import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { vaultContract } from './vault.contract';

describe('on the embedded state store', () => {
  let folder: string;
  let stores = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-vault-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  vaultContract(() => openSqliteDocumentStore({ path: join(folder, `${(stores += 1)}.db`) }));
});
