import { getEventListeners } from 'node:events';
import type { EventStore } from '@sluice/event-store';
import { recordingLogger } from '@sluice/testing';
import {
  append,
  moved,
  type ParcelEvent,
  parcels,
  PARCELS,
  sent,
  signal,
  type StoresFixture,
} from './parcels.contract';
import type { DocumentStore } from '@sluice/document-store';
import type { Projection } from '../projection';
import { createProjections, type Projections } from '../projections';
import { rebuildProjection } from '../rebuild';

/** Every parcel weighs a kilogram: rows that tell which release made them. */
const heavier: Projection<ParcelEvent> = {
  ...parcels,
  version: 2,
  apply: (event, rows) =>
    event.type === 'Sent'
      ? rows.put(PARCELS, { id: event.data.id, depot: event.data.depot, grams: 1000, moves: 0 })
      : parcels.apply(event, rows),
};

/** How rows are rebuilt on an engine while others read and project. */
export function rebuildContract(engine: string, create: () => Promise<StoresFixture>): void {
  describe(`rebuilds on ${engine}`, () => {
    let stores: StoresFixture;
    let events: EventStore;
    let documents: DocumentStore;
    const running: Projections[] = [];
    const logged = recordingLogger();

    const run = async (projection = parcels, on = documents, logger = logged) => {
      const projections = createProjections({
        events,
        documents: on,
        projections: [projection],
        waitMs: 20_000,
        logger,
      });
      running.push(projections);
      await projections.start();
      return projections;
    };
    const view = () => documents.view('parcels', PARCELS);
    const live = async () => documents.liveTarget(parcels);

    beforeEach(async () => {
      stores = await create();
      events = await stores.events();
      documents = await stores.documents();
      logged.lines.length = 0;
    });
    afterEach(async () => {
      await Promise.all(running.splice(0).map((projections) => projections.close()));
      await stores.remove();
    });

    it('rebuilds the rows next to the live ones, which the live runner then continues', async () => {
      const projections = await run();
      await projections.visible('parcel-x', await append(events, [sent('p1'), moved('p1')]));
      const before = (await live()).generation;
      const damaged = { id: 'p1', depot: '?', grams: -1, moves: 99 };
      const checkpoint = (await (await live()).checkpoint())!;
      await projections.close();
      await (
        await live()
      ).commit(checkpoint, { ...checkpoint, position: `${checkpoint.position}!` }, [
        { collection: PARCELS.name, id: 'p1', row: damaged, position: `${checkpoint.position}!` },
      ]);
      expect(await view().get('p1')).toEqual(damaged);

      await append(events, [sent('p2')]);
      const others = await stores.documents();
      await rebuildProjection({ events, documents: others, projection: parcels });
      expect((await live()).generation).not.toBe(before);
      expect(await view().get('p1')).toEqual({ id: 'p1', depot: 'south', grams: 0, moves: 1 });
      expect(await view().count()).toBe(2);
    });

    it('leaves no listener on the signal of the process', async () => {
      await append(events, [sent('p1')]);
      const { signal: stopping } = new AbortController();
      for (let n = 0; n < 3; n += 1) {
        await rebuildProjection({ events, documents, projection: parcels, signal: stopping });
      }
      expect(getEventListeners(stopping, 'abort')).toEqual([]);
    });

    it('works while the live projection runs, and loses no event to the swap', async () => {
      const projections = await run();
      const others = await stores.documents();
      await append(events, [sent('p0')]);
      let rebuilding = true;
      const rebuilds = (async () => {
        for (let n = 0; n < 3; n += 1) await rebuildProjection({ events, documents: others, projection: parcels });
        rebuilding = false;
      })();
      let appended = 1;
      for (; (rebuilding as boolean) || appended < 20; appended += 1) {
        const position = await append(events, [sent(`p${appended}`), moved('p0')]);
        await projections.visible('parcel-x', position);
        expect(await view().get(`p${appended}`)).toBeDefined();
      }
      await rebuilds;
      await projections.visible('parcel-x', await append(events, [moved('p0')]));
      expect(await view().count()).toBe(appended);
      expect((await view().get('p0'))?.moves).toBe(appended);
      expect(logged.messages).toEqual([]);
    });

    it('rebuilds rows of another version at the start, while readers see the old ones', async () => {
      const old = await run();
      await old.visible('parcel-x', await append(events, [sent('p1'), moved('p1')]));
      await old.close();

      const reached = signal();
      const proceed = signal();
      const slow: Projection<ParcelEvent> = {
        ...heavier,
        apply: async (event, rows) => {
          reached.give();
          await proceed.given;
          await heavier.apply(event, rows);
        },
      };
      const projections = await run(slow);
      await reached.given;
      expect(await view().get('p1')).toEqual({ id: 'p1', depot: 'south', grams: 0, moves: 1 });
      expect(projections.status().get('parcels')?.caughtUp).toBe(false);
      proceed.give();
      await projections.caughtUp;
      expect(await view().get('p1')).toEqual({ id: 'p1', depot: 'south', grams: 1000, moves: 1 });
      expect(logged.messages).toEqual([expect.stringContaining('version 1, not 2')]);
      await projections.visible('parcel-x', await append(events, [sent('p2')]));
      expect(await view().count({ grams: 1000 })).toBe(2);
    });

    it('happens once when several processes of a new version start together', async () => {
      const old = await run();
      await old.visible('parcel-x', await append(events, [sent('p1')]));
      await old.close();
      const before = (await live()).generation;
      const handles = [documents, await stores.documents(), await stores.documents()];
      const replicas = await Promise.all(handles.map((on) => run(heavier, on)));
      await Promise.all(replicas.map(({ caughtUp }) => caughtUp));
      expect((await live()).generation).toBe(before + 1);
      const position = await append(events, [moved('p1')]);
      await Promise.all(replicas.map((replica) => replica.visible('parcel-x', position)));
      expect(await view().find()).toEqual([{ id: 'p1', depot: 'south', grams: 1000, moves: 1 }]);
    });

    it('leaves a running process of the old version behind, which says so and changes nothing', async () => {
      const told = signal();
      const old = await run(parcels, documents, recordingLogger(told.give));
      await old.visible('parcel-x', await append(events, [sent('p1')]));
      const newer = await run(heavier, await stores.documents());
      await newer.caughtUp;
      await newer.visible('parcel-x', await append(events, [sent('p2')]));
      await told.given;
      expect(old.status().get('parcels')?.stopped).toContain('version 2');
      expect(await view().count({ grams: 1000 })).toBe(2);
    });

    it('makes good rows of those of another event store', async () => {
      const foreign = await stores.otherEvents();
      await append(foreign, [sent('f1'), sent('f2'), sent('f3')]);
      await rebuildProjection({ events: foreign, documents, projection: parcels });
      expect(await view().count()).toBe(3);
      await append(events, [sent('p1')]);
      await rebuildProjection({ events, documents, projection: parcels });
      expect((await view().find()).map(({ id }) => id)).toEqual(['p1']);
      expect((await (await live()).checkpoint())?.store).toBe(await events.identity());
    });

    it('keeps the live rows when an event can’t be applied', async () => {
      const projections = await run();
      await projections.visible('parcel-x', await append(events, [sent('p1'), moved('p1')]));
      const faulty: Projection<ParcelEvent> = {
        ...parcels,
        apply: (event, rows) => {
          if (event.type === 'Moved') throw new Error('out of paint');
          return parcels.apply(event, rows);
        },
      };
      await expect(rebuildProjection({ events, documents, projection: faulty })).rejects.toThrow('out of paint');
      expect((await view().get('p1'))?.moves).toBe(1);
      await rebuildProjection({ events, documents, projection: heavier });
      expect((await view().get('p1'))?.grams).toBe(1000);
    });
  });
}
