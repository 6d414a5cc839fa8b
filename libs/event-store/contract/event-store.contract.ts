import {
  type Appended,
  type EventStore,
  EventStoreUnavailableError,
  type ExpectedRevision,
  InvalidAppendError,
  MAX_APPEND_BYTES,
  MAX_EVENT_BYTES,
  type NewEvent,
  type ReadAllOptions,
  START,
  WrongExpectedRevisionError,
} from '../port';
import { all, failure, newEvent, newEvents, newStream, newWord } from './events.contract';
import { subscriptionContract } from './subscription.contract';

/** One store that lives as long as the suite; it may hold events of others already. */
export interface EventStoreHarness {
  /** Another handle on the same events. */
  open(): Promise<EventStore>;
  dispose(): Promise<void>;
}

/** Every promise of the port, for any engine. */
export function eventStoreContract(engine: string, createHarness: () => Promise<EventStoreHarness>): void {
  describe(`${engine} keeps the promises of an event store`, () => {
    let harness: EventStoreHarness;
    let store: EventStore;
    const opened: EventStore[] = [];
    const open = async () => {
      const handle = await harness.open();
      opened.push(handle);
      return handle;
    };

    beforeAll(async () => {
      harness = await createHarness();
    });
    beforeEach(async () => {
      store = await open();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((handle) => handle.close()));
    });
    afterAll(() => harness.dispose());

    describe('append', () => {
      it('answers the revision and position of the last event', async () => {
        const stream = newStream();
        const first = await store.append(stream, 'none', [newEvent('One')]);
        const second = await store.append(stream, 0, [newEvent('Two'), newEvent('Three')]);
        expect(first.revision).toBe(0);
        expect(second.revision).toBe(2);
        expect(second.position > first.position).toBe(true);
        expect(first.position > START).toBe(true);
        const events = await all(store.readStream(stream));
        expect(events[0]!.position).toBe(first.position);
        expect(events[2]!.position).toBe(second.position);
      });

      it('keeps an event as it was given', async () => {
        const stream = newStream();
        const event: NewEvent = {
          ...newEvent('Kept', {
            text: 'naïve “quotes” \u0000 😀',
            list: [1, 2.5, null, true, { deep: {} }],
            big: 2 ** 53,
          }),
        };
        const traced = { ...event.metadata, traceparent: '00-ab-cd-01', bodyHash: 'f00d' };
        await store.append(stream, 'none', [{ ...event, metadata: traced }]);
        const [kept] = await all(store.readStream(stream));
        expect(kept).toEqual({
          id: event.id,
          type: 'Kept',
          data: event.data,
          metadata: traced,
          stream,
          revision: 0,
          position: expect.any(String),
          recordedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        });
      });

      it.each<[expected: ExpectedRevision, actual: ExpectedRevision, existing: number]>([
        ['none', 0, 1],
        [0, 'none', 0],
        [0, 1, 2],
        [2, 1, 2],
      ])('rejects expected revision %p of a stream at %p', async (expected, actual, existing) => {
        const stream = newStream();
        if (existing > 0) await store.append(stream, 'none', newEvents(existing));
        const refused = await failure(store.append(stream, expected, [newEvent()]));
        expect(refused).toBeInstanceOf(WrongExpectedRevisionError);
        expect(refused).toMatchObject({ stream, expected, actual });
        expect(await all(store.readStream(stream))).toHaveLength(existing);
      });

      it('writes all events of an append or none', async () => {
        const stream = newStream();
        await store.append(stream, 'none', newEvents(1));
        await failure(store.append(stream, 'none', newEvents(3)));
        await failure(
          store.append(stream, 0, [newEvent(), newEvent('TooLarge', { text: 'x'.repeat(MAX_EVENT_BYTES) })]),
        );
        expect(await all(store.readStream(stream))).toHaveLength(1);
      });

      it('lets exactly one of many writers with the same expectation win', async () => {
        const stream = newStream();
        const handles = [store, await open()];
        const outcomes = await Promise.allSettled(
          Array.from({ length: 20 }, (_, writer) => handles[writer % 2]!.append(stream, 'none', [newEvent()])),
        );
        const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
        expect(lost).toHaveLength(19);
        for (const reason of lost) expect(reason).toBeInstanceOf(WrongExpectedRevisionError);
        expect(await all(store.readStream(stream))).toHaveLength(1);
      });

      it('takes appends to other streams though one among them conflicts', async () => {
        const streams = Array.from({ length: 10 }, newStream);
        await store.append(streams[4]!, 'none', newEvents(1));
        const outcomes = await Promise.allSettled(streams.map((stream) => store.append(stream, 'none', newEvents(2))));
        expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(streams.map((_, index) => index !== 4));
      });

      it.each<[string, () => NewEvent[]]>([
        ['no events', () => []],
        ['undefined data', () => [{ ...newEvent(), data: undefined as unknown as object }]],
        ['a BigInt', () => [newEvent('Big', { amount: 1n as unknown as number })]],
        ['an id that is no UUID', () => [{ ...newEvent(), id: 'e1' }]],
        ['too large an event', () => [newEvent('Large', { text: 'ä'.repeat(MAX_EVENT_BYTES / 2) })]],
        [
          'too large an append',
          () => newEvents(4).map((event) => ({ ...event, data: { text: 'x'.repeat(MAX_APPEND_BYTES / 4) } })),
        ],
      ])('rejects %s as a fault of the program', async (_fault, events) => {
        const stream = newStream();
        expect(await failure(store.append(stream, 'none', events()))).toBeInstanceOf(InvalidAppendError);
        expect(await all(store.readStream(stream))).toEqual([]);
      });

      it.each(['\ud800', 'parcel-a\0b'])('rejects a stream of the name %j', async (stream) => {
        expect(await failure(store.append(stream, 'none', [newEvent('Sent')]))).toBeInstanceOf(InvalidAppendError);
      });

      it('takes an event of the greatest size', async () => {
        const stream = newStream();
        const event = newEvent('Large');
        const overhead = Buffer.byteLength(JSON.stringify({ text: '' }) + JSON.stringify(event.metadata));
        const text = 'x'.repeat(MAX_EVENT_BYTES - overhead);
        await store.append(stream, 'none', [{ ...event, data: { text } }]);
        expect((await all(store.readStream(stream)))[0]!.data).toEqual({ text });
      });
    });

    describe('a repeated append', () => {
      it('is answered like the first and written once', async () => {
        const stream = newStream();
        await store.append(stream, 'none', newEvents(2));
        const events = newEvents(3);
        const first = await store.append(stream, 1, events);
        expect(await store.append(stream, 1, events)).toEqual(first);
        expect(await all(store.readStream(stream))).toHaveLength(5);
      });

      it('is recognised behind later events, on another handle and after a reopen', async () => {
        const stream = newStream();
        const events = newEvents(2);
        const first = await store.append(stream, 'none', events);
        await store.append(stream, 1, newEvents(4));
        expect(await (await open()).append(stream, 'none', events)).toEqual(first);
        await store.close();
        const reopened = await open();
        expect(await reopened.append(stream, 'none', events)).toEqual(first);
        expect(await all(reopened.readStream(stream))).toHaveLength(6);
      });

      it('may run concurrently with the first', async () => {
        const stream = newStream();
        const events = newEvents(2);
        const [first, second] = await Promise.all([
          store.append(stream, 'none', events),
          store.append(stream, 'none', events),
        ]);
        expect(second).toEqual(first);
        expect(await all(store.readStream(stream))).toHaveLength(2);
      });

      it('conflicts with another revision, with a part of the events, and with more of them', async () => {
        const stream = newStream();
        const events = newEvents(2);
        await store.append(stream, 'none', events);
        for (const [expected, given] of [
          [0, events],
          ['none', [...events, newEvent()]],
          ['none', [...events].reverse()],
          ['none', [events[0]!, newEvent()]],
        ] as const) {
          expect(await failure(store.append(stream, expected, given))).toBeInstanceOf(WrongExpectedRevisionError);
        }
        expect(await all(store.readStream(stream))).toHaveLength(2);
      });
    });

    describe('readStream', () => {
      it('reads a missing stream as empty, in both directions', async () => {
        expect(await all(store.readStream(newStream()))).toEqual([]);
        expect(await all(store.readStream(newStream(), { direction: 'backwards' }))).toEqual([]);
      });

      it('delivers any range of a long stream, forwards and backwards', async () => {
        const stream = newStream();
        for (let from = 0; from < 600; from += 200) {
          await store.append(stream, from === 0 ? 'none' : from - 1, newEvents(200));
        }
        const upwards = Array.from({ length: 600 }, (_, revision) => revision);
        const downwards = [...upwards].reverse();
        const revisions = async (options?: Parameters<EventStore['readStream']>[1]) =>
          (await all(store.readStream(stream, options))).map(({ revision }) => revision);
        expect(await revisions()).toEqual(upwards);
        expect(await revisions({ direction: 'backwards' })).toEqual(downwards);
        expect(await revisions({ from: 597 })).toEqual([597, 598, 599]);
        expect(await revisions({ from: 600 })).toEqual([]);
        expect(await revisions({ from: 10, limit: 300 })).toEqual(upwards.slice(10, 310));
        expect(await revisions({ direction: 'backwards', from: 2 })).toEqual([2, 1, 0]);
        expect(await revisions({ direction: 'backwards', limit: 1 })).toEqual([599]);
        expect(await revisions({ limit: 0 })).toEqual([]);
      });

      it('may be left early', async () => {
        const stream = newStream();
        await store.append(stream, 'none', newEvents(300));
        for await (const { revision } of store.readStream(stream)) if (revision === 3) break;
        expect(await all(store.readStream(stream))).toHaveLength(300);
      });

      it('keeps streams apart whose names differ little', async () => {
        const stream = newStream();
        await store.append(stream, 'none', newEvents(1));
        await store.append(`${stream}0`, 'none', newEvents(2));
        await store.append(stream.toUpperCase(), 'none', newEvents(3));
        expect(await all(store.readStream(stream))).toHaveLength(1);
      });
    });

    describe('readAll', () => {
      /** Six streams whose names share beginnings, with events in turn. */
      const fill = async () => {
        const word = newWord();
        const names = [`${word}s`, `${word}-1`, `${word}-12`, `${word}-2`, `${word}Keys-1`, `${word}s-1`, word];
        const before = await store.head();
        for (let round = 0; round < 3; round += 1) {
          for (const name of names) await store.append(name, round === 0 ? 'none' : round - 1, [newEvent()]);
        }
        return { word, names, before };
      };
      const readNames = async (options: ReadAllOptions) =>
        (await all(store.readAll(options))).map(({ stream }) => stream);

      it('selects by the beginning of the name, in the order of the appends', async () => {
        const { word, names, before } = await fill();
        const expectNames = async (prefixes: readonly string[], chosen: readonly string[]) => {
          const round = names.filter((name) => chosen.includes(name));
          expect(await readNames({ after: before, prefixes })).toEqual([...round, ...round, ...round]);
        };
        await expectNames([`${word}s`], [`${word}s`, `${word}s-1`]);
        await expectNames([`${word}-`], [`${word}-1`, `${word}-12`, `${word}-2`]);
        await expectNames([`${word}-1`], [`${word}-1`, `${word}-12`]);
        await expectNames([`${word}Keys-`], [`${word}Keys-1`]);
        await expectNames([`${word}-`, `${word}s`], [`${word}-1`, `${word}-12`, `${word}-2`, `${word}s`, `${word}s-1`]);
        await expectNames([`${word}-1`, `${word}-`, `${word}-1`], [`${word}-1`, `${word}-12`, `${word}-2`]);
        await expectNames([`${word}K`, `${word}-2`], [`${word}Keys-1`, `${word}-2`]);
        await expectNames([word], names);
        await expectNames([`${word}x`], []);
        await expectNames([], []);
      });

      it('reads every stream without prefixes, from a position on, up to a limit', async () => {
        const { word, names, before } = await fill();
        const own = (streams: readonly string[]) => streams.filter((name) => names.includes(name));
        expect(own(await readNames({ after: before }))).toEqual([...names, ...names, ...names]);
        const events = await all(store.readAll({ prefixes: [word] }));
        expect(events).toHaveLength(21);
        expect(events.map(({ position }) => position)).toEqual(events.map(({ position }) => position).sort());
        const rest = await all(store.readAll({ prefixes: [word], after: events[4]!.position, limit: 5 }));
        expect(rest).toEqual(events.slice(5, 10));
        expect(await all(store.readAll({ prefixes: [word], after: events[20]!.position }))).toEqual([]);
      });

      it('sees what any handle was answered before', async () => {
        const stream = newStream();
        const other = await open();
        const after = await store.head();
        for (let revision = 0; revision < 20; revision += 1) {
          await store.append(stream, revision === 0 ? 'none' : revision - 1, [newEvent()]);
          expect(await all(other.readAll({ after, prefixes: [stream] }))).toHaveLength(revision + 1);
          expect(await all(other.readStream(stream))).toHaveLength(revision + 1);
        }
      });
    });

    describe('the store', () => {
      it('answers the position of the last event as head', async () => {
        const { position } = await store.append(newStream(), 'none', newEvents(2));
        expect((await store.head()) >= position).toBe(true);
        expect((await (await open()).head()) >= position).toBe(true);
      });

      it('has one identity for every handle and after a reopen', async () => {
        const identity = await store.identity();
        expect(identity).not.toBe('');
        expect(await (await open()).identity()).toBe(identity);
        await store.close();
        expect(await (await open()).identity()).toBe(identity);
      });

      it('keeps everything over a reopen', async () => {
        const stream = newStream();
        await store.append(stream, 'none', newEvents(3));
        const before = await all(store.readStream(stream));
        await store.close();
        const reopened = await open();
        expect(await all(reopened.readStream(stream))).toEqual(before);
        expect((await reopened.append(stream, 2, newEvents(1))).revision).toBe(3);
      });

      it('completes the appends in flight when it is closed, and rejects later ones', async () => {
        const stream = newStream();
        const inFlight: Promise<Appended>[] = [];
        for (let each = 0; each < 10; each += 1) inFlight.push(store.append(`${stream}${each}`, 'none', newEvents(1)));
        await Promise.all([store.close(), store.close()]);
        expect((await Promise.all(inFlight)).map(({ revision }) => revision)).toEqual(Array<number>(10).fill(0));
        const refused = await failure(store.append(stream, 'none', newEvents(1)));
        expect(refused).toBeInstanceOf(EventStoreUnavailableError);
        expect(refused).toMatchObject({ written: 'no' });
        expect(await failure(all(store.readStream(stream)))).toBeInstanceOf(EventStoreUnavailableError);
      });
    });

    subscriptionContract(() => ({ store, open }));
  });
}
