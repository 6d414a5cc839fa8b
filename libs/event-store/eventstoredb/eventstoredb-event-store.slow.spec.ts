import { setTimeout as pause } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { eventually } from '@sluice/testing';
import { type EventStoreServer, startEventStoreServer } from '@sluice/testing/event-store-server';
import { all, failure, newEvent, newEvents } from '../contract/events.contract';
import {
  type EventStore,
  EventStoreUnavailableError,
  InvalidAppendError,
  type Position,
  START,
  type Subscription,
  WrongExpectedRevisionError,
} from '../port';
import { openEventStoreDb } from './eventstoredb-event-store';

/** Enough for any machine, and little for a server that does not answer. */
const LONG = { callMs: 10_000, appendMs: 25_000 };
const SHORT = { callMs: 300, appendMs: 1_000 };

describe("EventStoreDB's client on a loopback server of its protocol", () => {
  let server: EventStoreServer;
  let store: EventStore;
  let hasty: EventStore;

  beforeEach(async () => {
    server = await startEventStoreServer();
    store = openEventStoreDb({ url: server.url, patience: LONG });
    hasty = openEventStoreDb({ url: server.url, patience: SHORT });
  });
  afterEach(async () => {
    server.thaw();
    await Promise.all([store.close(), hasty.close()]);
    server.stop();
  });

  const streamLength = (stream: string) => server.log.stream(stream).length;

  describe('an append', () => {
    it.each([
      ['written, the connection lost before the answer', { written: true }],
      ['not written, the connection lost', { written: false }],
      ['written, answered as unavailable', { written: true, status: status.UNAVAILABLE }],
      ['not written, answered as unavailable', { written: false, status: status.UNAVAILABLE }],
      ['written, answered with an unknown error', { written: true, status: status.INTERNAL }],
      ['written, past the deadline of the server', { written: true, status: status.DEADLINE_EXCEEDED }],
      ['not written, ended by the server', { written: false, status: status.CANCELLED }],
    ])('is repeated until its outcome is known: %s', async (_what, fault) => {
      await store.append('a-1', 'none', newEvents(2));
      server.faults.push(fault, fault);
      expect(await store.append('a-1', 1, newEvents(3))).toMatchObject({ revision: 4 });
      expect(streamLength('a-1')).toBe(5);
    });

    it('is answered like the first time when others have appended meanwhile', async () => {
      const events = newEvents(1);
      server.faults.push({ written: true, status: status.UNAVAILABLE });
      server.log.appended.once('append', () => server.log.write('a-1'));
      const appended = await store.append('a-1', 'none', events);
      expect(appended.revision).toBe(0);
      expect(appended.position).toBe((await all(store.readStream('a-1')))[0]!.position);
      expect(streamLength('a-1')).toBe(2);
    });

    it('conflicts, and was not written, when another took its place while its outcome was unknown', async () => {
      server.faults.push({ written: false, status: status.UNAVAILABLE });
      const appending = failure(store.append('a-1', 'none', newEvents(1)));
      server.log.write('a-1');
      expect(await appending).toMatchObject({ name: 'WrongExpectedRevisionError', actual: 0, expected: 'none' });
      expect(streamLength('a-1')).toBe(1);
    });

    it('is unknown when part of it was stored, or that is uncertain', async () => {
      server.faults.push({ written: 'partly', status: status.CANCELLED });
      expect(await failure(store.append('a-1', 'none', newEvents(3)))).toMatchObject({ written: 'unknown' });
      expect(streamLength('a-1')).toBe(1);

      server.faults.push({ written: false, status: status.UNAVAILABLE });
      const appending = failure(hasty.append('a-2', 'none', newEvents(1)));
      server.log.write('a-2');
      server.refuseReads = true;
      expect(await appending).toMatchObject({ name: 'EventStoreUnavailableError', written: 'unknown' });
    });

    it('is unknown when its patience ends while the server is unavailable, and is the same one afterwards', async () => {
      const events = newEvents(2);
      await store.append('a-1', 'none', newEvents(1));
      server.stop();
      const unknown = await failure(hasty.append('a-1', 0, events));
      expect(unknown).toBeInstanceOf(EventStoreUnavailableError);
      expect(unknown).toMatchObject({ written: 'unknown' });
      await server.start();
      expect(await store.append('a-1', 0, events)).toMatchObject({ revision: 2 });
      expect(await store.append('a-1', 0, events)).toMatchObject({ revision: 2 });
      expect(streamLength('a-1')).toBe(3);
    });

    it('does not wait for a frozen server longer than its patience, on a new connection either', async () => {
      server.freeze();
      expect(await failure(hasty.append('a-1', 'none', newEvents(1)))).toMatchObject({ written: 'unknown' });
      server.thaw();
      const persistent = openEventStoreDb({ url: server.url, patience: { ...LONG, callMs: SHORT.callMs } });
      await persistent.append('a-2', 'none', newEvents(1));
      server.freeze();
      const appending = persistent.append('a-2', 0, newEvents(30));
      setTimeout(() => server.thaw(), 2 * SHORT.callMs);
      expect(await appending).toMatchObject({ revision: 30 });
      expect(streamLength('a-2')).toBe(31);
      await persistent.close();
    });

    it('goes the way that no other append can break, though the server offers the other', async () => {
      const other = openEventStoreDb({ url: server.url });
      const appended = Array.from({ length: 64 }, (_, index) => store.append(`a-${index}`, 'none', newEvents(1)));
      const large = newEvents(3).map((event) => ({ ...event, data: { text: 'x'.repeat(450_000) } }));
      expect(await failure(other.append('b-1', 'none', large))).toBeInstanceOf(InvalidAppendError);
      expect((await Promise.all(appended)).map(({ revision }) => revision)).toEqual(Array<number>(64).fill(0));
      expect(server.calls.batchAppend).toBe(0);
      await other.close();
    });

    it('is refused where the names of its types make it too large for the server', async () => {
      const events = newEvents(40).map((event) => ({
        ...event,
        type: 'T'.repeat(2_000),
        data: { text: 'x'.repeat(23_000) },
      }));
      expect(await failure(store.append('a-1', 'none', events))).toBeInstanceOf(InvalidAppendError);
      expect(server.calls.append).toBe(0);
    });

    it('gives its conflict as the port’s, with the revision that the stream has', async () => {
      await store.append('a-1', 'none', newEvents(3));
      const refused = await failure(store.append('a-1', 0, newEvents(1)));
      expect(refused).toBeInstanceOf(WrongExpectedRevisionError);
      expect(refused).toMatchObject({ stream: 'a-1', expected: 0, actual: 2 });
      expect(server.calls.append).toBe(2);
    });
  });

  describe('a read', () => {
    it('fails as unavailable when the server is down or frozen, and works again afterwards', async () => {
      await store.append('a-1', 'none', newEvents(3));
      const reads = [() => all(hasty.readStream('a-1')), () => all(hasty.readAll()), () => hasty.head()];
      server.freeze();
      for (const fault of await Promise.all(reads.map((read) => failure(read())))) {
        expect(fault).toMatchObject({ name: 'EventStoreUnavailableError', written: 'no' });
      }
      server.thaw();
      expect(await all(store.readStream('a-1'))).toHaveLength(3);
      server.stop();
      for (const read of reads) expect(await failure(read())).toBeInstanceOf(EventStoreUnavailableError);
      await server.start();
      expect(await all(store.readAll())).toHaveLength(3);
    });

    it('does not take a slow reader for a silent server', async () => {
      const reader = openEventStoreDb({ url: server.url, patience: { ...LONG, callMs: 2_000 } });
      await store.append('a-1', 'none', newEvents(40));
      const seen: number[] = [];
      for await (const { revision } of reader.readStream('a-1')) {
        if (revision === 0) await pause(5_000);
        seen.push(revision);
      }
      expect(seen).toHaveLength(40);
      await reader.close();
    });

    it('leaves out what the server and others wrote, but its head is past them', async () => {
      server.log.write('$settings');
      await store.append('a-1', 'none', newEvents(1));
      await store.identity();
      server.log.write('$stats-127.0.0.1:2113');
      // Of somebody who names streams alike, knows nothing of our metadata, and may not even write JSON.
      server.log.write('a-2');
      server.log.write('a-2', 'Foreign', Buffer.from('{ not JSON'));
      const [event] = await all(store.readAll({ prefixes: ['a-'] }));
      expect(event).toMatchObject({ stream: 'a-1' });
      expect(await all(store.readAll())).toHaveLength(1);
      expect((await store.head()) > event!.position).toBe(true);
      expect(await all(store.readAll({ after: event!.position }))).toEqual([]);
    });
  });

  describe('a subscription', () => {
    const subscriptions: Subscription[] = [];
    afterEach(() => Promise.all(subscriptions.splice(0).map((subscription) => subscription.close())));

    /** What it delivered, and that it never told a position ahead of what was handled. */
    const follow = (
      options: {
        of?: EventStore;
        after?: Position;
        prefixes?: string[];
        maxBatch?: number;
        slow?: () => Promise<unknown>;
      } = {},
    ) => {
      const seen: string[] = [];
      const ahead: Position[] = [];
      let last = START;
      const { of = store, after = START, prefixes = ['a-'], maxBatch = 256, slow } = options;
      const subscription = of.subscribe({
        ...{ after, prefixes, maxBatch },
        handle: async ({ events, position }) => {
          await slow?.();
          for (const event of events) {
            if (event.position <= last) ahead.push(event.position);
            seen.push(`${event.stream}@${event.revision}`);
          }
          last = position;
        },
      });
      subscriptions.push(subscription);
      const until = async (count: number) => {
        await eventually(() => seen.length >= count);
      };
      return { subscription, seen, ahead, until };
    };
    const expected = (count: number) => Array.from({ length: count }, (_, revision) => `a-1@${revision}`);

    it('resumes by itself after the last handled event, whatever ended it', async () => {
      await store.append('a-1', 'none', newEvents(10));
      const { subscription, seen, until } = follow();
      await subscription.caughtUp;
      let revision = 9;
      for (const interruption of ['drop', 'restart', 'drop']) {
        if (interruption === 'drop') server.dropSubscribers();
        else {
          server.stop();
          await server.start();
        }
        await store.append('a-1', revision, newEvents(5));
        revision += 5;
        await until(revision + 1);
      }
      expect(seen).toEqual(expected(25));
    });

    it('continues when the node that serves it is cut off from its cluster and sends nothing more', async () => {
      const watchful = openEventStoreDb({ url: server.url, patience: LONG, standsMs: 200 });
      const { subscription, seen, until } = follow({ of: watchful });
      await subscription.caughtUp;
      for (const revision of [-1, 1, 3]) {
        server.abandonSubscribers();
        await store.append('a-1', revision === -1 ? 'none' : revision, newEvents(2));
        await until(revision + 3);
      }
      expect(seen).toEqual(expected(6));
      await watchful.close();
    });

    it('neither loses nor doubles anything though it is dropped again and again as too slow', async () => {
      server.liveBuffer = 4;
      const { subscription, seen, until } = follow({ slow: () => pause(1), maxBatch: 3 });
      await subscription.caughtUp;
      for (let revision = -1; revision < 299; revision += 30) {
        await store.append('a-1', revision === -1 ? 'none' : revision, newEvents(30));
      }
      await until(300);
      expect(seen).toEqual(expected(300));
    });

    it('waits for a server that is unavailable when it starts', async () => {
      await store.append('a-1', 'none', newEvents(2));
      server.stop();
      const { subscription, seen } = follow();
      await pause(300);
      await server.start();
      await subscription.caughtUp;
      expect(seen).toEqual(expected(2));
    });

    it('has handled everything before each position that it reports, checkpoints of the server included', async () => {
      for (let round = 0; round < 24; round += 1) {
        for (let other = 0; other < 100; other += 1) server.log.write('b-1');
        await store.append('a-1', round === 0 ? 'none' : round - 1, [newEvent()]);
      }
      const { subscription, seen, ahead } = follow({ slow: () => pause(5), maxBatch: 1 });
      await subscription.caughtUp;
      expect(seen).toEqual(expected(24));
      expect(ahead).toEqual([]);
    });

    it('catches up to the head, though the node that serves it lags behind the one that told the head', async () => {
      await store.append('a-1', 'none', newEvents(5));
      server.lag = { records: 3, reads: false };
      const { subscription, seen } = follow();
      await subscription.caughtUp;
      expect(seen).toEqual(expected(5));
    });

    it('has not caught up as long as no node has all up to the head, and misses nothing when one has', async () => {
      await store.append('a-1', 'none', newEvents(5));
      server.lag = { records: 3, reads: true };
      const { subscription, seen, until } = follow();
      await until(2);
      for (const { subscribe } = { ...server.calls }; server.calls.subscribe < subscribe + 2;) await pause(10);
      expect(seen).toEqual(expected(2));
      expect(subscription.position < (await store.head())).toBe(true);
      server.lag = { records: 0, reads: false };
      await subscription.caughtUp;
      expect(seen).toEqual(expected(5));
    });

    it('reaches the head of a log in which nothing concerns it, of the server’s own records too', async () => {
      for (let other = 0; other < 30; other += 1) server.log.write('b-1');
      const { subscription, seen } = follow();
      await subscription.caughtUp;
      server.log.write('$stats-127.0.0.1:2113');
      const head = await store.head();
      await eventually(() => subscription.position >= head);
      expect(seen).toEqual([]);
    });

    it('starts after the very first record of the log, which is at position 0', async () => {
      const { position } = await store.append('a-1', 'none', newEvents(1));
      expect(position > START).toBe(true);
      await store.append('a-1', 0, newEvents(2));
      const { subscription, seen } = follow({ after: position });
      await subscription.caughtUp;
      expect(seen).toEqual(['a-1@1', 'a-1@2']);
      expect(await all(store.readAll({ after: position }))).toHaveLength(2);
    });

    it('comes from the log again when it fell behind what the process holds of its end', async () => {
      let release: () => void = () => undefined;
      const written = new Promise<void>((resolve) => (release = resolve));
      const { subscription, seen, until } = follow({ slow: () => written, maxBatch: 2 });
      await subscription.caughtUp;
      for (let revision = -1; revision < 39; revision += 2) {
        const events = newEvents(2).map((event) => ({ ...event, data: { text: 'x'.repeat(450_000) } }));
        await store.append('a-1', revision === -1 ? 'none' : revision, events);
      }
      expect(server.calls.subscribe).toBe(1);
      release();
      await until(40);
      expect(seen).toEqual(expected(40));
      expect(server.calls.subscribe).toBeGreaterThan(1);
    });

    it('shares one connection to the log’s end with every other of the process', async () => {
      await store.append('a-1', 'none', newEvents(1));
      const head = await store.head();
      const all = Array.from({ length: 12 }, () => follow({ after: head }));
      await Promise.all(all.map(({ subscription }) => subscription.caughtUp));
      await store.append('a-1', 0, newEvents(1));
      await Promise.all(all.map(({ until }) => until(1)));
      expect(server.calls.subscribe).toBe(1);
    });
  });

  it('reports its name and version', async () => {
    expect(await store.product!()).toBe('EventStoreDB loopback');
  });

  describe('its identity', () => {
    it('is another one of another server, and one for all who ask first at the same time', async () => {
      const [second, elsewhere] = [openEventStoreDb({ url: server.url }), await startEventStoreServer()];
      const other = openEventStoreDb({ url: elsewhere.url });
      const [one, same, another] = await Promise.all([store.identity(), second.identity(), other.identity()]);
      expect(same).toBe(one);
      expect(another).not.toBe(one);
      await Promise.all([second.close(), other.close()]);
      elsewhere.stop();
    });

    it('is requested again after the server was unavailable', async () => {
      server.stop();
      expect(await failure(store.identity())).toBeInstanceOf(EventStoreUnavailableError);
      await server.start();
      expect(await store.identity()).not.toBe('');
    });
  });
});

describe('an address', () => {
  it.each(['postgres://x', 'esdb://', 'esdb://user:p%ss@host', 'esdb://user:secret@:x?tls=maybe'])(
    'that is none is refused, and not told: %s',
    (url) => {
      expect(() => openEventStoreDb({ url })).toThrow(/^This is no address of EventStoreDB; [^@]*@HOST/);
      expect(() => openEventStoreDb({ url })).not.toThrow(/secret|p%ss/);
    },
  );

  it('is given to the driver without its password', async () => {
    const warned = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const store = openEventStoreDb({ url: 'esdb://admin:s3cr%40t@127.0.0.1:9?tls=false&colour=blue' });
    await store.close();
    expect(JSON.stringify(warned.mock.calls)).not.toMatch(/s3cr/);
    warned.mockRestore();
  });
});
