import { keysHistory, type HistoryEntry, type HistoryFilter } from '@sluice/contracts';
import { createProjections, rebuildProjection, verifyProjection, type Projections } from '@sluice/projections';
import { type DocumentStore, type ProjectionTarget } from '@sluice/document-store';
import { START, type EventStore, type RecordedEvent } from '@sluice/event-store';
import type { DomainEvent } from '@sluice/kernel';
import fc from 'fast-check';
import { PARCELS, parcels, moved, sent, type StoresFixture } from '../../projections/contract/parcels.contract';
import { difference, type View } from '../difference';
import { defineHistory } from '../history';
import { historyPart } from '../part';
import { recordingLogger } from '@sluice/testing';

/** Parcels, told as if each were the build of the number in its id. */
const history = defineHistory({
  calls: keysHistory,
  name: 'parcelHistory',
  parts: [
    historyPart({
      projection: parcels,
      collection: PARCELS,
      streams: (appId) => [`parcel-${appId}-a`, `parcel-${appId}-b`],
      appOf: ({ stream }) => Number(stream.split('-')[1]),
      subjectOf: ({ data: { id } }) =>
        typeof id === 'string' ? { subject: 'build', subjectId: Number(id) } : { subject: 'app' },
      view: ({ depot, moves }) => ({ depot, moves }),
    }),
  ],
});

const delivered = (id: string): DomainEvent => ({ type: 'Delivered', data: { id } });

/** The entries of a history, on an engine of the read store. */
export function historyContract(engine: string, create: () => Promise<StoresFixture>): void {
  describe(`history on ${engine}`, () => {
    let fixture: StoresFixture;
    let events: EventStore;
    let readStore: DocumentStore;
    let projections: Projections;
    let written = 0;
    const logger = recordingLogger();
    const run = async (documents = readStore, from = events, waitMs = 20_000) => {
      const running = createProjections({
        ...{ events: from, documents, waitMs, logger },
        projections: [history.projection],
      });
      await running.start();
      return running;
    };

    beforeEach(async () => {
      fixture = await create();
      events = await fixture.events();
      readStore = await fixture.documents();
      projections = await run();
    });
    afterEach(async () => {
      await projections.close();
      await fixture.remove();
    });

    async function happened(stream: string, event: DomainEvent, actor = 'token:1'): Promise<void> {
      let revision = -1;
      for await (const last of events.readStream(stream, { direction: 'backwards', limit: 1 }))
        revision = last.revision;
      const id = `00000000-0000-4000-8000-${String((written += 1)).padStart(12, '0')}`;
      const metadata = { commandId: id, actor, correlationId: id, causationId: id, at: '2026-01-01T00:00:00.000Z' };
      await events.append(stream, revision < 0 ? 'none' : revision, [{ ...event, id, metadata }]);
    }

    /** The history by both calls, oldest first: the whole, or of all there is no more than the newest. */
    async function told(filter: Omit<HistoryFilter, 'appId'> = {}, newest = 100): Promise<HistoryEntry[]> {
      const stores = { readStore, projections };
      const { positions, total } = await history.positions(stores, { appId: 7, ...filter, newest });
      expect(positions).toHaveLength(Math.min(newest, total));
      expect(positions).toEqual([...positions].sort().reverse());
      if (positions.length === 0) return [];
      const range = { first: positions.at(-1)!, last: positions[0]! };
      const entries = await history.entries(stores, { appId: 7, ...filter, ...range });
      expect(entries.map(({ position }) => position).reverse()).toEqual(positions);
      return entries.map(({ entry }) => entry);
    }

    it('lists what was created, changed and deleted, over several streams in the store’s order', async () => {
      await happened('parcel-7-a', sent('1'));
      await happened('parcel-7-b', sent('2'));
      await happened('parcel-8-a', sent('3'));
      await happened('parcel-7-a', moved('1'));
      await happened('parcel-7-b', delivered('2'));
      expect((await told()).map((entry) => [entry.build_id, entry.before, entry.after])).toEqual([
        [1, null, { depot: 'north', moves: 0 }],
        [2, null, { depot: 'north', moves: 0 }],
        [1, { depot: 'north', moves: 0 }, { depot: 'south', moves: 1 }],
        [2, { depot: 'north', moves: 0 }, null],
      ]);
    });

    it('shows the former row when another replaces it', async () => {
      await happened('parcel-7-a', sent('1'));
      await happened('parcel-7-a', moved('1'));
      await happened('parcel-7-a', sent('1', 'west'));
      expect((await told()).at(-1)).toMatchObject({
        before: { depot: 'south', moves: 1 },
        after: { depot: 'west', moves: 0 },
      });
    });

    it('knows what one build was before, also where the answer begins later', async () => {
      await happened('parcel-7-a', sent('1'));
      await happened('parcel-7-a', moved('1'));
      await happened('parcel-7-a', moved('1', 'west'), 'owner:1');
      await happened('parcel-7-a', moved('2', 'west'), 'owner:1');
      expect(await told({ buildId: 1, actor: 'owner:1' })).toMatchObject([
        { before: { depot: 'south', moves: 1 }, after: { depot: 'west', moves: 2 } },
      ]);
    });

    it('counts all, and names the positions of the latest alone', async () => {
      for (let n = 1; n <= 25; n += 1) await happened('parcel-7-a', sent(String(n)));
      const stores = { readStore, projections };
      const whole = await history.positions(stores, { appId: 7, newest: 100 });
      for (const newest of [0, 1, 4, 24, 25]) {
        const { positions, total } = await history.positions(stores, { appId: 7, newest });
        expect({ positions, total }).toEqual({ positions: whole.positions.slice(0, newest), total: 25 });
      }
    });

    it('says nothing of members that an event did not change, nor of an event that changed many rows', async () => {
      await happened('parcel-7-a', sent('1'));
      await happened('parcel-7-a', sent('2'));
      await happened('parcel-7-a', { type: 'Weighed', data: { id: '1', grams: 5 } });
      await happened('parcel-7-a', { type: 'DepotClosed', data: { depot: 'north' } });
      expect((await told()).slice(2)).toMatchObject([
        { type: 'Weighed', build_id: 1, before: null, after: null },
        { type: 'DepotClosed', build_id: null, before: null, after: null },
      ]);
    });

    it('names the latest entries of the given apps alone, and those before a position', async () => {
      await happened('parcel-7-a', sent('1'));
      await happened('parcel-8-a', sent('2'), 'owner:2');
      await happened('parcel-9-a', sent('3'));
      await happened('parcel-8-a', moved('2'));
      // Waits for the projection, as `latest` doesn't.
      await history.positions({ readStore, projections }, { appId: 8, newest: 0 });
      const latest = (request: object) =>
        history.latest({ readStore, projections }, { apps: [7, 8], newest: 2, ...request });
      const shown = await latest({});
      expect(shown.map(({ appId, entry }) => [appId, entry.type])).toEqual([
        [8, 'Moved'],
        [8, 'Sent'],
      ]);
      const before = shown[1]!.position;
      expect((await latest({ before })).map(({ appId }) => appId)).toEqual([7]);
      expect((await latest({ type: 'Sent', actor: 'owner:2' })).map(({ appId }) => appId)).toEqual([8]);
    });

    it('returns 503 while it lags behind the events of the app', async () => {
      await happened('parcel-8-a', sent('1'));
      await happened('parcel-7-a', sent('2'));
      expect(await told()).toHaveLength(1);
      await projections.close();
      projections = await run(readStore, events, 100);
      await happened('parcel-8-a', { type: 'Teleported', data: { id: '1' } });
      await happened('parcel-7-a', moved('2'));
      await expect(told()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    });

    it('equals a replay of the streams, whatever the clocks and whenever a commit was interrupted', async () => {
      const step = fc.record({
        app: fc.constantFrom(7, 8),
        part: fc.constantFrom('a', 'b'),
        parcel: fc.nat(2),
        what: fc.constantFrom('Sent', 'Moved', 'Moved', 'Weighed', 'Delivered'),
        actor: fc.constantFrom('token:1', 'owner:1'),
        time: fc.nat(9),
      });
      const minute = (n: number): string => `2026-01-01T00:0${n}:00.000Z`;
      const filters = fc.record(
        {
          buildId: fc.constantFrom(701, 702, 711, 712),
          type: fc.constantFrom('Sent', 'Moved', 'Delivered', 'NeverHeardOf'),
          actor: fc.constantFrom('token:1', 'owner:1', 'owner:2'),
          from: fc.nat(9).map(minute),
          to: fc.nat(9).map(minute),
        },
        { requiredKeys: [] },
      );
      const scenario = [
        fc.array(step, { minLength: 15, maxLength: 40 }),
        fc.array(filters, { minLength: 3, maxLength: 6 }),
        fc.array(fc.record({ after: fc.integer({ min: 1, max: 15 }), percent: fc.integer({ min: 1, max: 99 }) }), {
          maxLength: 4,
        }),
        fc.nat(8),
      ] as const;
      await fc.assert(
        fc.asyncProperty(...scenario, async (steps, wanted, breaks, newest) => {
          await projections.close();
          await fixture.remove();
          fixture = await create();
          readStore = await fixture.documents();
          const times = new Map<string, string>();
          const plain = await fixture.events();
          events = retimed(plain, times);
          for (const [at, { app, part, parcel, what, actor, time }] of steps.entries()) {
            for (const { percent } of breaks.filter(({ after }) => after === at)) await breakOff(percent / 100);
            const id = `${app}${part === 'a' ? 0 : 1}${parcel}`;
            times.set(`00000000-0000-4000-8000-${String(written + 1).padStart(12, '0')}`, minute(time));
            const data = { id, ...(what === 'Weighed' ? { grams: at } : { depot: `depot-${at % 4}` }) };
            await happened(`parcel-${app}-${part}`, { type: what, data }, actor);
          }
          projections = await run();
          const all: RecordedEvent[] = [];
          for await (const event of events.readAll()) all.push(event);
          for (const filter of [{}, ...wanted]) {
            const expected = replayed(all, filter);
            expect(await told(filter)).toEqual(expected);
            expect(await told(filter, newest)).toEqual(expected.slice(Math.max(0, expected.length - newest)));
            for (const part of ['a', 'b']) {
              const last = await history.lastAt({ readStore, projections }, `parcel-7-${part}`, minute(newest));
              expect(last?.eventId).toBe(prefix(all, `parcel-7-${part}`, minute(newest)).at(-1)?.id);
            }
          }
        }),
        { numRuns: engine === 'sqlite' ? 25 : 5 },
      );

      /** Applies what is there, and writes no more of it than a process does that is killed amid its commit. */
      async function breakOff(share: number): Promise<void> {
        const broken = await run(brokenAfter(readStore, share));
        await broken.caughtUpOrStopped;
        await broken.close();
      }
    }, 120_000);

    it('is the same after a rebuild, and verifies', async () => {
      for (const id of ['1', '2']) await happened('parcel-7-a', sent(id));
      await happened('parcel-7-a', moved('1'));
      await happened('parcel-7-a', delivered('2'));
      const before = await told();
      await rebuildProjection({ events, documents: readStore, projection: history.projection });
      expect(await told()).toEqual(before);
      const verified = await verifyProjection({ events, documents: readStore, projection: history.projection });
      expect(verified).toMatchObject({ different: 0 });
      expect(verified.rows).toBeGreaterThan(4);
    });
  });
}

/** A stream's events before its first one whose time is later than `to`. */
function prefix(all: readonly RecordedEvent[], stream: string, to: string | undefined): RecordedEvent[] {
  const own = all.filter((event) => event.stream === stream);
  const end = own.findIndex(({ recordedAt }) => to !== undefined && recordedAt > to);
  return end < 0 ? own : own.slice(0, end);
}

/** The model: app 7's two streams, each as far as the filter goes, replayed in the store's order. */
function replayed(all: readonly RecordedEvent[], filter: Omit<HistoryFilter, 'appId'>): HistoryEntry[] {
  const events = ['parcel-7-a', 'parcel-7-b'].flatMap((stream) => prefix(all, stream, filter.to));
  events.sort((one, other) => (one.position < other.position ? -1 : 1));
  const rows = new Map<string, View>();
  const entries: HistoryEntry[] = [];
  for (const { id, type, data, metadata, recordedAt } of events) {
    const parcel = data['id'] as string;
    const before = rows.get(parcel);
    if (type === 'Sent') rows.set(parcel, { depot: data['depot']!, moves: 0 });
    if (type === 'Moved' && before) rows.set(parcel, { depot: data['depot']!, moves: Number(before['moves']) + 1 });
    if (type === 'Delivered') rows.delete(parcel);
    const told = { id, at: recordedAt, type, actor: metadata.actor, channel: null, key_id: null };
    const changed = difference(before, rows.get(parcel)) as Pick<HistoryEntry, 'before' | 'after'>;
    entries.push({ ...told, build_id: Number(parcel), ...changed });
  }
  return entries.filter(
    ({ build_id, type, actor, at }) =>
      (filter.buildId ?? build_id) === build_id &&
      (filter.type ?? type) === type &&
      (filter.actor ?? actor) === actor &&
      (filter.from === undefined || at >= filter.from),
  );
}

/** The same store, whose clock said these times. By event id. */
function retimed(events: EventStore, times: ReadonlyMap<string, string>): EventStore {
  const at = (event: RecordedEvent): RecordedEvent => ({
    ...event,
    recordedAt: times.get(event.id) ?? event.recordedAt,
  });
  async function* each(found: AsyncIterable<RecordedEvent>) {
    for await (const event of found) yield at(event);
  }
  return {
    ...events,
    readStream: (...args) => each(events.readStream(...args)),
    readAll: (...args) => each(events.readAll(...args)),
    subscribe: (options) =>
      events.subscribe({
        ...options,
        handle: (batch) => options.handle({ ...batch, events: batch.events.map(at) }),
      }),
  };
}

/**
 * A store without transactions: of the first commit, this share of the writes is there, of the
 * collections in the order of their declaration, and the checkpoint stays.
 */
function brokenAfter(documents: DocumentStore, share: number): DocumentStore {
  const order = history.projection.collections.map(({ name }) => name);
  return {
    ...documents,
    liveTarget: async (projection) => {
      const target: ProjectionTarget = await documents.liveTarget(projection);
      return {
        ...target,
        commit: async (expected, next, writes) => {
          const sorted = [...writes].sort(
            (one, other) => order.indexOf(one.collection) - order.indexOf(other.collection),
          );
          const some = sorted.slice(0, Math.floor(share * sorted.length));
          await target.commit(expected, expected ?? { ...next, position: START }, some);
          throw new Error('The process is killed.');
        },
      };
    },
  };
}
