import { newUlid } from '@sluice/kernel';
import { eventStoreContract } from '../event-store.contract';
import { prefixStreams } from '../prefix-streams';
import { openEventStoreDb } from './eventstoredb-event-store';

const url = process.env['TEST_EVENT_STORE_URL'];

(url === undefined ? describe.skip : describe)(
  `EventStoreDB${url === undefined ? ' (no TEST_EVENT_STORE_URL)' : ''}`,
  () => {
    eventStoreContract('EventStoreDB', () => {
      // A server that was used before will do.
      const prefix = `run.${newUlid()}.`;
      return Promise.resolve({
        open: () => Promise.resolve(prefixStreams(openEventStoreDb({ url: url! }), prefix)),
        dispose: () => Promise.resolve(),
      });
    });
  },
);
