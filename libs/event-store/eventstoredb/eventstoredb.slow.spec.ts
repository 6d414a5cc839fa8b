import { startEventStoreServer } from '@sluice/testing/event-store-server';
import { eventStoreContract } from '../contract/event-store.contract';
import { all, newEvents, newStream } from '../contract/events.contract';
import { type EventStore, type RecordedEvent, START, WrongExpectedRevisionError } from '../port';
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

/** The rest of what a prefix does is the same on every engine: SQLite's contract is run with one. */
describe("EventStoreDB's client with two prefixes on one server", () => {
  let harness: Awaited<ReturnType<typeof createHarness>>;
  const opened: EventStore[] = [];
  const open = async (prefix: string) => {
    const store = prefixStreams(await harness.open(), prefix);
    opened.push(store);
    return store;
  };

  beforeAll(async () => {
    harness = await createHarness();
  });
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await harness.dispose();
  });

  it('keeps streams of one name apart, and reads and follows those of its own prefix under their names', async () => {
    const [blue, green] = [await open('blue.'), await open('green.')];
    const stream = newStream();
    const followed: RecordedEvent[] = [];
    let delivered: () => void = () => undefined;
    const subscription = blue.subscribe({
      ...{ after: START, prefixes: [stream] },
      handle: ({ events }) => {
        followed.push(...events);
        delivered();
        return Promise.resolve();
      },
    });
    const [own, others] = [newEvents(3), newEvents(2)];
    await green.append(stream, 'none', others.slice(0, 1));
    await blue.append(stream, 'none', own);
    await green.append(stream, 0, others.slice(1));

    const ids = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);
    for (const [store, written] of [[blue, own] as const, [green, others] as const]) {
      for (const events of [await all(store.readStream(stream)), await all(store.readAll({ prefixes: [stream] }))]) {
        expect(ids(events)).toEqual(ids(written));
        expect(new Set(events.map((event) => event.stream))).toEqual(new Set([stream]));
      }
    }
    expect(ids(await all(blue.readAll()))).toEqual(ids(own));
    await expect(blue.append(stream, 0, newEvents(1))).rejects.toEqual(
      new WrongExpectedRevisionError(stream, 0, own.length - 1),
    );
    while (followed.length < own.length) await new Promise<void>((resolve) => (delivered = resolve));
    await blue.append(`${stream}-last`, 'none', newEvents(1));
    while (followed.length < own.length + 1) await new Promise<void>((resolve) => (delivered = resolve));
    expect(ids(followed.slice(0, 3))).toEqual(ids(own));
    expect(followed.map((event) => event.stream)).toEqual([stream, stream, stream, `${stream}-last`]);
    await subscription.close();
  });
});
