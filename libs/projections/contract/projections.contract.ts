import fc from 'fast-check';
import { type EventStore, START } from '@sluice/event-store';
import { UnavailableError } from '@sluice/kernel';
import { recordingLogger, type RecordingLogger } from '@sluice/testing';
import {
  append,
  moved,
  type Parcel,
  type ParcelEvent,
  parcels,
  PARCELS,
  sent,
  signal,
  type StoresFixture,
} from './parcels.contract';
import { type DocumentStore, DocumentStoreUnavailableError, type ProjectionTarget } from '@sluice/document-store';
import type { Projection } from '../projection';
import { createProjections, type Projections } from '../projections';

/** How projections run on an engine, whatever happens. */
export function projectionsContract(engine: string, create: () => Promise<StoresFixture>): void {
  describe(`projections on ${engine}`, () => {
    let stores: StoresFixture;
    let events: EventStore;
    let documents: DocumentStore;
    const running: Projections[] = [];
    let logged: RecordingLogger;

    const run = async (
      projection: Projection<ParcelEvent> = parcels,
      { on = documents, from = events, waitMs = 20_000, logger = logged } = {},
    ): Promise<Projections> => {
      const projections = createProjections({ events: from, documents: on, projections: [projection], waitMs, logger });
      running.push(projections);
      await projections.start();
      return projections;
    };
    const view = (on = documents) => on.view('parcels', PARCELS);
    const ids = async (): Promise<string[]> => (await view().find()).map(({ id }) => id);
    const stored = async () => (await documents.liveTarget(parcels)).checkpoint();

    beforeEach(async () => {
      stores = await create();
      events = await stores.events();
      documents = await stores.documents();
      logged = recordingLogger();
    });
    afterEach(async () => {
      await Promise.all(running.splice(0).map((projections) => projections.close()));
      await stores.remove();
    });

    it('shows what happened before and after the start', async () => {
      await append(events, [sent('p1'), sent('p2')]);
      const projections = await run();
      await projections.caughtUpOrStopped;
      expect(await ids()).toEqual(['p1', 'p2']);

      const position = await append(events, [sent('p3'), moved('p1')]);
      await projections.visible('parcel-x', position);
      expect(await view().find({ where: { depot: 'south' } })).toEqual([
        { id: 'p1', depot: 'south', grams: 0, moves: 1 },
      ]);
      expect(await ids()).toEqual(['p1', 'p2', 'p3']);
      expect(projections.status()).toEqual(new Map([['parcels', { position, caughtUp: true }]]));
      expect(logged.messages).toEqual([]);
    });

    it('resumes from its checkpoint, applying nothing twice', async () => {
      const first = await run();
      await first.visible('parcel-x', await append(events, [sent('p1'), moved('p1')]));
      await first.close();
      const position = await append(events, [moved('p1')]);
      const second = await run();
      await second.caughtUp;
      expect((await view().get('p1'))?.moves).toBe(2);
      await second.close();
      expect(await stored()).toEqual({ position, store: await events.identity(), version: 1 });
    });

    it('starts at the first event when the read store is empty', async () => {
      await append(events, [sent('p1')]);
      await (
        await run()
      ).caughtUp;
      expect(await ids()).toEqual(['p1']);
    });

    it('moves on past events of other streams', async () => {
      const projections = await run();
      const position = await append(events, [sent('p1')], 'letter-');
      expect(await projections.find('parcels', () => view().get('p1'))).toBeUndefined();
      expect(projections.status().get('parcels')?.position).toBe(position);
      await projections.close();
      expect((await stored())?.position).toBe(position);
      expect(await view().count()).toBe(0);
    });

    it('makes of any events what applying them one by one makes', async () => {
      const id = fc.constantFrom('a', 'b', 'c', 'd');
      const depot = fc.constantFrom('north', 'south', 'east');
      const event = fc.oneof<fc.Arbitrary<ParcelEvent>[]>(
        fc.record({ type: fc.constant('Sent' as const), data: fc.record({ id, depot }) }),
        fc.record({ type: fc.constant('Moved' as const), data: fc.record({ id, depot }) }),
        fc.record({ type: fc.constant('Weighed' as const), data: fc.record({ id, grams: fc.nat(9) }) }),
        fc.record({ type: fc.constant('Delivered' as const), data: fc.record({ id }) }),
        fc.record({ type: fc.constant('DepotClosed' as const), data: fc.record({ depot }) }),
      );
      const projections = await run();
      const expected = new Map<string, Parcel>();
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(event, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 }),
          async (batches) => {
            let position = START;
            for (const batch of batches) {
              for (const one of batch) applyPlainly(one, expected);
              position = await append(events, batch);
            }
            await projections.visible('parcel-x', position);
            const rows = [...expected.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
            expect(await view().find()).toEqual(rows);
          },
        ),
        { numRuns: 60 },
      );
    });

    it('lets one event change a row more than once', async () => {
      const projection: Projection<ParcelEvent> = {
        ...parcels,
        apply: async ({ data }, rows) => {
          if (!('id' in data)) return;
          rows.put(PARCELS, { id: data.id, depot: 'here', grams: 1, moves: 0 });
          await rows.update(PARCELS, data.id, (row) => ({ ...row, grams: row.grams + 1 }));
          rows.put(PARCELS, { id: 'other', depot: 'here', grams: 0, moves: 0 });
          await rows.deleteWhere(PARCELS, { grams: 0 });
          await Promise.all(['x', 'y', data.id].map((id) => rows.update(PARCELS, id, (row) => ({ ...row, moves: 7 }))));
        },
      };
      const projections = await run(projection);
      await projections.visible('parcel-x', await append(events, [sent('p1')]));
      expect(await view().find()).toEqual([{ id: 'p1', depot: 'here', grams: 2, moves: 7 }]);
    });

    it('changes no row that this event or a later one wrote before', async () => {
      const first = await append(events, [sent('p1')]);
      const second = await append(events, [sent('p2')]);
      const third = await append(events, [moved('p1')]);
      // Where a crash leaves an engine without transactions: rows of all three events, checkpoint after the first.
      const row = { id: 'p1', depot: 'south', grams: 0, moves: 1 };
      const target = await documents.liveTarget(parcels);
      await target.commit(undefined, { position: first, store: await events.identity(), version: 1 }, [
        { collection: PARCELS.name, id: 'p1', row, position: third },
        { collection: PARCELS.name, id: 'p2', row: undefined, position: second },
      ]);
      await append(events, [moved('p1', 'east')]);
      const projections = await run();
      await projections.caughtUp;
      expect(await view().find()).toEqual([{ ...row, depot: 'east', moves: 2 }]);
    });

    it('stops before an event that it does not know, reports that once, and continues when a newer release has passed it', async () => {
      await append(events, [sent('p1'), { type: 'Repainted', data: {} }, sent('p2')]);
      const stopped = signal();
      const continued = signal();
      const logger = recordingLogger(({ message }) => (message.includes('continues') ? continued : stopped).give());
      const projections = await run(parcels, {
        waitMs: 10,
        logger,
      });
      await stopped.given;
      await projections.caughtUpOrStopped;
      expect(await ids()).toEqual(['p1']);
      expect(projections.status().get('parcels')).toMatchObject({
        caughtUp: false,
        stopped: expect.stringContaining('Repainted'),
      });
      await projections.visible('parcel-x', await events.head());

      const newer: Projection = {
        ...parcels,
        apply: (event, rows) => (event.type === 'Repainted' ? undefined : parcels.apply(event as never, rows)),
      };
      const newRelease = await run(newer);
      await newRelease.caughtUp;
      await newRelease.close();
      await continued.given;
      await projections.caughtUp;
      expect(await ids()).toEqual(['p1', 'p2']);
      expect(projections.status().get('parcels')).not.toHaveProperty('stopped');
      expect(logger.messages).toHaveLength(2);
      expect(logger.messages[0]).toMatch(/^Projection "parcels" stopped: .*Repainted/);
    });

    it('tries an event again that a fault held up', async () => {
      let faults = 2;
      const projection: Projection<ParcelEvent> = {
        ...parcels,
        apply: (event, rows) => {
          if (event.type === 'Moved' && faults-- > 0) throw new Error('out of paint');
          return parcels.apply(event, rows);
        },
      };
      await append(events, [sent('p1'), moved('p1'), sent('p2')]);
      const projections = await run(projection);
      await projections.caughtUp;
      expect(await ids()).toEqual(['p1', 'p2']);
      expect((await view().get('p1'))?.moves).toBe(1);
      expect(logged.messages).toEqual([expect.stringContaining('out of paint'), 'Projection "parcels" continues.']);
    });

    it('resumes where it was after the engine was unavailable', async () => {
      let away = 4;
      const failing = withCommit(documents, (commit) =>
        away-- > 0 ? Promise.reject(new DocumentStoreUnavailableError('no room')) : commit(),
      );
      await append(events, [sent('p1')]);
      const projections = await run(parcels, { on: failing });
      await projections.visible('parcel-x', await append(events, [moved('p1'), sent('p2')]));
      expect((await view().find()).map(({ moves }) => moves)).toEqual([1, 0]);
    });

    it('continues after a commit whose answer was lost', async () => {
      let lost = 3;
      const failing = withCommit(documents, async (commit) => {
        const done = await commit();
        if (lost-- > 0) throw new DocumentStoreUnavailableError('no answer');
        return done;
      });
      const projections = await run(parcels, { on: failing });
      for (let n = 0; n < 5; n += 1) await append(events, [...(n === 0 ? [sent('p1')] : []), moved('p1')]);
      await projections.visible('parcel-x', await events.head());
      expect((await view().get('p1'))?.moves).toBe(5);
    });

    it('may run on several replicas concurrently: nothing is lost or doubled', async () => {
      const handles = await Promise.all([stores.documents(), stores.documents()]);
      const replicas = await Promise.all([run(), ...handles.map((on) => run(parcels, { on }))]);
      await append(events, [sent('p1')]);
      for (let n = 0; n < 40; n += 1) await append(events, [moved('p1'), sent(`q${100 + n}`), moved(`q${100 + n}`)]);
      const head = await events.head();
      await Promise.all(replicas.map((replica) => replica.visible('parcel-x', head)));
      for (const replica of replicas) expect(replica.status().get('parcels')?.position).toBe(head);
      expect((await view().get('p1'))?.moves).toBe(40);
      expect(await view().count({ moves: 1 })).toBe(40);
      expect(logged.messages).toEqual([]);
    });

    describe('stops and asks for a rebuild', () => {
      const refused = async (from: EventStore): Promise<string> => {
        const told = signal();
        const logger = recordingLogger(told.give);
        await run(parcels, { from, logger });
        await told.given;
        return logger.messages[0] ?? '';
      };

      it('when the rows were made from another event store', async () => {
        const projections = await run();
        await projections.visible('parcel-x', await append(events, [sent('p1')]));
        await projections.close();
        const foreign = await stores.otherEvents();
        await append(foreign, [sent('p9'), sent('p8'), sent('p7')]);
        expect(await refused(foreign)).toMatch(/another event store.*sluice projections rebuild/);
        expect(await ids()).toEqual(['p1']);
      });

      it('when the rows stand beyond the end of the event store', async () => {
        await append(events, [sent('p1')]);
        const target = await documents.liveTarget(parcels);
        await target.commit(undefined, { position: '~', store: await events.identity(), version: 1 }, []);
        expect(await refused(events)).toMatch(/earlier state.*sluice projections rebuild/);
        expect(await ids()).toEqual([]);
      });
    });

    describe('find', () => {
      it('returns existing rows immediately', async () => {
        const projections = await run();
        const head = jest.spyOn(events, 'head');
        expect(await projections.find('parcels', () => Promise.resolve('row'))).toBe('row');
        expect(head).not.toHaveBeenCalled();
      });

      it('sees what was appended before the call', async () => {
        const projections = await run();
        for (let n = 0; n < 30; n += 1) {
          await append(events, [sent(`p${n}`)]);
          expect(await projections.find('parcels', () => view().get(`p${n}`))).toBeDefined();
        }
        expect(await projections.find('parcels', () => view().get('nowhere'))).toBeUndefined();
      });

      it('does not call missing what a stopped projection has not looked at', async () => {
        await append(events, [{ type: 'Repainted', data: {} }, sent('p1')]);
        const projections = await run(parcels, { waitMs: 20 });
        await expect(projections.find('parcels', () => view().get('p1'))).rejects.toBeInstanceOf(UnavailableError);
        await expect(projections.find('letters', () => Promise.resolve(undefined))).rejects.toThrow('letters');
      });
    });
  });
}

function applyPlainly({ type, data }: ParcelEvent, rows: Map<string, Parcel>): void {
  const row = 'id' in data ? rows.get(data.id) : undefined;
  if (type === 'Sent') rows.set(data.id, { id: data.id, depot: data.depot, grams: 0, moves: 0 });
  if (type === 'Moved' && row) rows.set(row.id, { ...row, depot: data.depot, moves: row.moves + 1 });
  if (type === 'Weighed' && row) rows.set(row.id, { ...row, grams: data.grams });
  if (type === 'Delivered') rows.delete(data.id);
  if (type === 'DepotClosed') {
    for (const { id, depot } of rows.values()) if (depot === data.depot) rows.delete(id);
  }
}

/** The same store, with something between a projection's commit and the engine. */
function withCommit(store: DocumentStore, around: (commit: () => Promise<boolean>) => Promise<boolean>): DocumentStore {
  const wrapped = (target: ProjectionTarget): ProjectionTarget => ({
    ...target,
    commit: (...args) => around(() => target.commit(...args)),
  });
  return { ...store, liveTarget: async (projection) => wrapped(await store.liveTarget(projection)) };
}
