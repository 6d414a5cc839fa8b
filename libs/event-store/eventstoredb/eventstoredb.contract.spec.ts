import { startEventStoreServer } from '../../../test/support/event-store-server';
import { eventStoreContract } from '../event-store.contract';
import { prefixStreams } from '../prefix-streams';
import { openEventStoreDb } from './eventstoredb-event-store';

async function createHarness() {
  const server = await startEventStoreServer();
  return {
    open: () => Promise.resolve(openEventStoreDb({ url: server.url, patience: { callMs: 10_000, appendMs: 25_000 } })),
    dispose: async () => {
      server.stop();
      return Promise.resolve();
    },
  };
}

eventStoreContract("EventStoreDB's client on a loopback server of its protocol", createHarness);

eventStoreContract("EventStoreDB's client on a loopback server of its protocol, with a prefix", async () => {
  const { open, dispose } = await createHarness();
  return { open: async () => prefixStreams(await open(), 'blue.'), dispose };
});
