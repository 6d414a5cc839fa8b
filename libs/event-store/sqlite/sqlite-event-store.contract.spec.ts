import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventStoreContract } from '../event-store.contract';
import { prefixStreams } from '../prefix-streams';
import { openSqliteEventStore } from './sqlite-event-store';

async function createHarness() {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-events-'));
  return {
    open: () => openSqliteEventStore({ path: join(folder, 'missing', 'events.db') }),
    dispose: () => rm(folder, { recursive: true }),
  };
}

eventStoreContract('SQLite', createHarness);

eventStoreContract('SQLite with a prefix of its own', async () => {
  const { open, dispose } = await createHarness();
  return { open: async () => prefixStreams(await open(), 'blue.'), dispose };
});
