import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { openSqliteEventStore } from './sqlite-event-store';

it('does not append to a file that was moved away, until it is back', async () => {
  const folder = temporaryDirectory();
  const path = join(folder, 'events.db');
  const store = await openSqliteEventStore({ path });
  const happened = () => {
    const at = new Date().toISOString();
    const metadata = { commandId: randomUUID(), actor: 'system:test', correlationId: 'x', causationId: 'x', at };
    return [{ id: randomUUID(), type: 'Happened', data: {}, metadata }];
  };
  const { revision } = await store.append('things-1', 'none', happened());
  await rename(path, `${path}.away`);
  await expect(store.append('things-1', revision, happened())).rejects.toMatchObject({
    name: 'EventStoreUnavailableError',
    written: 'no',
    message: expect.stringContaining('was moved or deleted') as string,
  });
  await expect(store.head()).rejects.toThrow('was moved or deleted');
  await rename(`${path}.away`, path);
  await store.append('things-1', revision, happened());
  await store.head();
  await store.close();
});
