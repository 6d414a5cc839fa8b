import { newUlid } from '@sluice/kernel';
import { eventStoreContract } from '../contract/event-store.contract';
import { all, failure, newEvents, newStream } from '../contract/events.contract';
import type { EventStore } from '../port';
import { prefixStreams } from '../prefix-streams';
import { readAddress } from './address';
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

    describe('by another address', () => {
      const stores: EventStore[] = [];
      const open = (address: string) => {
        const store = openEventStoreDb({ url: address });
        stores.push(store);
        return store;
      };
      afterEach(() => Promise.all(stores.splice(0).map((store) => store.close())));

      it.each(['esdb', 'esdb+discover'])('is found behind a node that is down, as %s://', async (scheme) => {
        const list = url!.replace(/^esdb(\+discover)?:\/\/([^@]*@)?/, `${scheme}://$2127.0.0.1:1,`);
        expect(readAddress(list).nodes.length).toBeGreaterThan(1);
        const store = open(list);
        const stream = newStream();
        await store.append(stream, 'none', newEvents(1));
        expect(await all(store.readStream(stream))).toHaveLength(1);
      });

      it('reports that no server is there', async () => {
        expect(await failure(open('esdb://127.0.0.1:1?tls=false').head())).toMatchObject({ reason: 'no_connection' });
      });

      const secure = url !== undefined && readAddress(url).tls && readAddress(url).credentials !== undefined;
      (secure ? it : it.skip)(
        'says that the password is wrong, and that the authority is not known (needs TLS)',
        async () => {
          const wrong = url!.replace(/:[^:@]*@/, ':not-the-password@');
          expect(await failure(open(wrong).head())).toMatchObject({ reason: 'wrong_credentials' });
          const unknown = url!.replace(/&?tlsCAFile=[^&]*/i, '');
          if (unknown !== url) {
            expect(await failure(open(unknown).head())).toMatchObject({ reason: 'untrusted_certificate' });
          }
        },
      );
    });
  },
);
