import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objectStoreContract } from '../object-store.contract';
import { openFilesystemObjectStore } from './filesystem-object-store';

describe('the object store on a filesystem', () => {
  const folders: string[] = [];

  objectStoreContract(async () => {
    const path = await mkdtemp(join(tmpdir(), 'sluice-objects-'));
    folders.push(path);
    return openFilesystemObjectStore({ path });
  });

  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true });
  });
});
