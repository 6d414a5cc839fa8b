import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { openSqliteDocumentStore } from './sqlite-document-store';

it('does not write to a file that was moved away, until it is back', async () => {
  const folder = temporaryDirectory();
  const path = join(folder, 'state.db');
  const store = await openSqliteDocumentStore({ path });
  const rows = store.rows<{ id: string }>({ name: 'things', indexes: [] });
  await rows.put({ id: 'before' });
  await rename(path, `${path}.away`);
  await expect(rows.put({ id: 'meanwhile' })).rejects.toThrow('was moved or deleted');
  await expect(store.ping()).rejects.toMatchObject({ name: 'DocumentStoreUnavailableError' });
  await rename(`${path}.away`, path);
  await rows.put({ id: 'after' });
  await store.ping();
  await store.close();
});
