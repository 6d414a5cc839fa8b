import { failure, newEvent, newEvents, newStream, newWord } from './events.contract';
import {
  type EventBatch,
  type EventStore,
  type RecordedEvent,
  START,
  type SubscribeOptions,
  type Subscription,
} from '../port';

interface HandlesCall {
  readonly store: EventStore;
  readonly open: () => Promise<EventStore>;
}

/** What a subscription delivered so far, and a way to wait for more. */
function follow(store: EventStore, options: Omit<SubscribeOptions, 'handle'>) {
  const batches: EventBatch[] = [];
  const events: RecordedEvent[] = [];
  let delivered: () => void = () => undefined;
  const subscription = store.subscribe({
    ...options,
    handle: (batch) => {
      batches.push(batch);
      events.push(...batch.events);
      delivered();
      return Promise.resolve();
    },
  });
  const until = async (enough: () => boolean) => {
    while (!enough()) await new Promise<void>((resolve) => (delivered = resolve));
  };
  return { subscription, batches, events, until };
}

/** A promise and the function that resolves it. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

/** The subscription's part of the event store's contract. */
export function subscriptionContract(handles: () => HandlesCall): void {
  describe('a subscription', () => {
    let store: EventStore;
    beforeEach(() => {
      store = handles().store;
    });

    it('delivers what is there and then what comes, in order', async () => {
      const stream = newStream();
      await store.append(stream, 'none', newEvents(3));
      const { subscription, events, until } = follow(store, { after: START, prefixes: [stream] });
      await subscription.caughtUp;
      expect(events.map(({ revision }) => revision)).toEqual([0, 1, 2]);
      await store.append(stream, 2, newEvents(2));
      await until(() => events.length === 5);
      expect(events.map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4]);
      expect(events).toEqual(await read(store, stream));
    });

    it('begins behind the given position', async () => {
      const stream = newStream();
      await store.append(stream, 'none', newEvents(3));
      const [, second] = await read(store, stream);
      const { subscription, events } = follow(store, { after: second!.position, prefixes: [stream] });
      await subscription.caughtUp;
      expect(events.map(({ revision }) => revision)).toEqual([2]);
    });

    it('delivers only streams with its prefixes', async () => {
      const word = newWord();
      const names = [`${word}s`, `${word}-1`, `${word}-2`, `${word}Keys-1`];
      for (const name of names) await store.append(name, 'none', newEvents(1));
      const { subscription, events, until } = follow(store, { after: START, prefixes: [`${word}-`, `${word}Keys-`] });
      await subscription.caughtUp;
      expect(events.map(({ stream }) => stream)).toEqual(names.slice(1));
      for (const name of names) await store.append(name, 0, newEvents(1));
      await until(() => events.length === 6);
      expect(events.slice(3).map(({ stream }) => stream)).toEqual(names.slice(1));
    });

    it('notices what another handle appends', async () => {
      const stream = newStream();
      const other = await handles().open();
      const { subscription, events, until } = follow(store, { after: await store.head(), prefixes: [stream] });
      await subscription.caughtUp;
      await other.append(stream, 'none', newEvents(2));
      await until(() => events.length === 2);
    });

    it('moves its position past events that do not match', async () => {
      const stream = newStream();
      const after = await store.head();
      const { position } = await store.append(newStream(), 'none', newEvents(3));
      const { subscription, batches, until } = follow(store, { after, prefixes: [stream] });
      await subscription.caughtUp;
      expect(subscription.position >= position).toBe(true);
      const later = await store.append(newStream(), 'none', newEvents(1));
      await until(() => batches.some((batch) => batch.position >= later.position));
      for (const batch of batches) expect(batch.events).toEqual([]);
    });

    it('keeps to the greatest batch, with positions that never fall back', async () => {
      const stream = newStream();
      await store.append(stream, 'none', newEvents(25));
      const { subscription, batches, events } = follow(store, { after: START, prefixes: [stream], maxBatch: 10 });
      await subscription.caughtUp;
      expect(events.map(({ revision }) => revision)).toEqual(Array.from({ length: 25 }, (_, revision) => revision));
      let before = START;
      for (const { events: batch, position } of batches) {
        expect(batch.length).toBeLessThanOrEqual(10);
        expect(position > before).toBe(true);
        expect((batch.at(-1)?.position ?? position) <= position).toBe(true);
        before = position;
      }
    });

    it('delivers every event once, in order, while many write through two handles', async () => {
      const word = newWord();
      const writers = 16;
      const each = 40;
      const writing = [store, await handles().open()];
      const write = async (writer: number) => {
        const handle = writing[writer % 2]!;
        for (let revision = 0; revision < each; revision += 1) {
          await handle.append(`${word}-${writer}`, revision === 0 ? 'none' : revision - 1, [newEvent()]);
        }
      };
      const early = follow(store, { after: START, prefixes: [`${word}-`] });
      const written = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
      await early.until(() => early.events.length > (writers * each) / 4);
      const late = follow(store, { after: START, prefixes: [`${word}-`], maxBatch: 7 });
      await written;
      for (const { events, until } of [early, late]) {
        await until(() => events.length >= writers * each);
        const inOrder = await read(store, `${word}-`);
        expect(inOrder).toHaveLength(writers * each);
        expect(events.map(({ id }) => id)).toEqual(inOrder.map(({ id }) => id));
      }
    });

    it('waits for the handler before it delivers more', async () => {
      const stream = newStream();
      await store.append(stream, 'none', newEvents(3));
      const { open, opened } = gate();
      const started = gate();
      const running: number[] = [];
      let active = 0;
      const subscription = store.subscribe({
        after: START,
        prefixes: [stream],
        maxBatch: 1,
        handle: async ({ events }) => {
          running.push((active += 1));
          started.open();
          if (events.length > 0) await opened;
          active -= 1;
        },
      });
      await started.opened;
      await store.append(stream, 2, newEvents(3));
      expect(subscription.position < (await read(store, stream))[0]!.position).toBe(true);
      open();
      await subscription.caughtUp;
      expect(Math.max(...running)).toBe(1);
    });

    it('stops before the batch whose handler fails; the next subscription gets that batch again', async () => {
      const stream = newStream();
      await store.append(stream, 'none', newEvents(6));
      const events = await read(store, stream);
      const refusal = new Error('The third event is refused.');
      const seen: number[] = [];
      const subscription = store.subscribe({
        after: events[0]!.position,
        prefixes: [stream],
        maxBatch: 1,
        handle: async (batch) => {
          await Promise.resolve();
          for (const { revision } of batch.events) {
            seen.push(revision);
            if (revision === 2) throw refusal;
          }
        },
      });
      expect(await failure(subscription.stopped)).toBe(refusal);
      expect(await failure(subscription.caughtUp)).toBe(refusal);
      expect(seen).toEqual([1, 2]);
      expect(subscription.position >= events[1]!.position).toBe(true);
      expect(subscription.position < events[2]!.position).toBe(true);
      await subscription.close();

      const again = follow(store, { after: subscription.position, prefixes: [stream] });
      await again.subscription.caughtUp;
      expect(again.events.map(({ revision }) => revision)).toEqual([2, 3, 4, 5]);
    });

    it('waits for the batch in hand when it is closed, and delivers nothing afterwards', async () => {
      const stream = newStream();
      await store.append(stream, 'none', newEvents(2));
      const started = gate();
      const finish = gate();
      const handled: number[] = [];
      const subscription = store.subscribe({
        after: START,
        prefixes: [stream],
        maxBatch: 1,
        handle: async ({ events }) => {
          started.open();
          await finish.opened;
          handled.push(...events.map(({ revision }) => revision));
        },
      });
      await started.opened;
      const closed = subscription.close();
      finish.open();
      await closed;
      await subscription.stopped;
      const count = handled.length;
      await store.append(stream, 1, newEvents(1));
      expect(await read(store, stream)).toHaveLength(3);
      expect(handled).toHaveLength(count);
      expect(count).toBeLessThanOrEqual(1);
    });

    it('ends when the store is closed', async () => {
      const subscriptions: Subscription[] = [newStream(), newStream()].map(
        (stream) => follow(store, { after: START, prefixes: [stream] }).subscription,
      );
      await Promise.all(subscriptions.map(({ caughtUp }) => caughtUp));
      await store.close();
      await Promise.all(subscriptions.map(({ stopped }) => stopped));
    });
  });
}

async function read(store: EventStore, prefix: string): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const event of store.readAll({ prefixes: [prefix] })) events.push(event);
  return events;
}
