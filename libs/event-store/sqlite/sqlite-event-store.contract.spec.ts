import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { eventStoreContract } from '../contract/event-store.contract';
import { prefixStreams } from '../prefix-streams';
import { openSqliteEventStore } from './sqlite-event-store';

function createHarness() {
  const folder = temporaryDirectory();
  return Promise.resolve({
    open: () => openSqliteEventStore({ path: join(folder, 'missing', 'events.db') }),
    dispose: () => Promise.resolve(),
  });
}

eventStoreContract('SQLite', createHarness);

eventStoreContract('SQLite with a prefix of its own', async () => {
  const { open, dispose } = await createHarness();
  return { open: async () => prefixStreams(await open(), 'blue.'), dispose };
});
