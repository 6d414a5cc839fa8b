import type { EventStore, Position } from '@sluice/event-store';
import { recordingLogger } from '@sluice/testing';
import {
  append,
  moved,
  type Parcel,
  type ParcelEvent,
  parcels,
  PARCELS,
  sent,
  type StoresFixture,
} from './parcels.contract';
import type { DocumentStore } from '@sluice/document-store';
import type { Projection } from '../projection';
import { createProjections, type Projections } from '../projections';
import { rebuildProjection } from '../rebuild';
import { verifyProjection } from '../verify';

/** Events that a writer may be ahead of the rows. */
const AHEAD = 100;

/** How live rows are held against what the events make. */
export function verifyContract(engine: string, create: () => Promise<StoresFixture>): void {
  describe(`verifications on ${engine}`, () => {
    let stores: StoresFixture;
    let events: EventStore;
    let documents: DocumentStore;
    const running: Projections[] = [];

    const run = async (on = documents) => {
      const projections = createProjections({
        ...{ events, documents: on, projections: [parcels], waitMs: 20_000 },
        logger: recordingLogger(),
      });
      running.push(projections);
      await projections.start();
      return projections;
    };
    const stop = () => Promise.all(running.splice(0).map((projections) => projections.close()));
    const verify = (projection: Projection<ParcelEvent> = parcels) =>
      verifyProjection({ events, documents, projection });
    const live = () => documents.liveTarget(parcels);

    /** Writes a row as no event would. */
    const tamper = async (id: string, row: Parcel | undefined) => {
      await stop();
      const target = await live();
      const checkpoint = (await target.checkpoint())!;
      const position = `${checkpoint.position}!`;
      await target.commit(checkpoint, { ...checkpoint, position }, [{ collection: PARCELS.name, id, row, position }]);
      // The event store moves past the position that no event has.
      await append(events, [moved('nothing')]);
    };

    beforeEach(async () => {
      stores = await create();
      events = await stores.events();
      documents = await stores.documents();
      const projections = await run();
      await append(events, [sent('p1'), moved('p1'), sent('p2'), { type: 'Delivered', data: { id: 'p2' } }]);
      await projections.visible('parcel-x', await append(events, [sent('p3')]));
    });
    afterEach(async () => {
      await stop();
      await stores.remove();
    });

    it('find nothing in rows that the events made, and leave them as they are', async () => {
      const { generation } = await live();
      const position = await events.head();
      expect(await verify()).toEqual({ position, rows: 2, different: 0, differences: [] });
      expect((await live()).generation).toBe(generation);
      expect(await documents.view('parcels', PARCELS).count()).toBe(2);
    });

    it.each([
      ['a changed row', 'p1', { id: 'p1', depot: 'east', grams: 0, moves: 1 }, 'different', ['depot']],
      ['a row that is gone', 'p1', undefined, 'missing', []],
      ['a row of nothing', 'p9', { id: 'p9', depot: 'x', grams: 0, moves: 0 }, 'surplus', []],
      ['a row that was deleted', 'p2', { id: 'p2', depot: 'north', grams: 0, moves: 0 }, 'surplus', []],
    ])('find %s, which a rebuild repairs', async (_name, id, row, kind, members) => {
      await tamper(id, row);
      expect(await verify()).toMatchObject({
        different: 1,
        differences: [{ collection: 'parcels', id, kind, members }],
      });
      await rebuildProjection({ events, documents, projection: parcels });
      expect(await verify()).toMatchObject({ rows: 2, different: 0 });
    });

    it('count every row, and name the first', async () => {
      const many = Array.from({ length: 1_200 }, (_, n) => sent(`m${n}`));
      await running[0]!.visible('parcel-x', await append(events, many));
      expect(await verify()).toMatchObject({ rows: 1_202, different: 0 });
      const heavier: Projection<ParcelEvent> = {
        ...parcels,
        apply: (event, rows) =>
          event.type === 'Sent'
            ? rows.put(PARCELS, { id: event.data.id, depot: event.data.depot, grams: 1, moves: 0 })
            : parcels.apply(event, rows),
      };
      const { rows, different, differences } = await verify(heavier);
      expect({ rows, different, shown: differences.length }).toEqual({ rows: 1_202, different: 1_202, shown: 20 });
      expect(differences[0]).toMatchObject({ kind: 'different', members: ['grams'] });
    });

    it('take no event that comes meanwhile for a difference', async () => {
      let verifying = true;
      const verifications = (async () => {
        for (let n = 0; n < 3; n += 1) expect(await verify()).toMatchObject({ different: 0 });
      })().finally(() => (verifying = false));
      // The rows lag behind while they are held against the events, by as much as an engine can make up for.
      const written: Position[] = [];
      for (let n = 0; verifying as boolean; n += 1) {
        const happened = [
          moved('p1'),
          sent(`n${n}`),
          moved('p3'),
          { type: 'Delivered' as const, data: { id: `n${n}` } },
        ];
        written.push(await append(events, happened));
        const due = written.at(-AHEAD / happened.length);
        if (due !== undefined) await running[0]!.visible('parcel-x', due);
      }
      await verifications;
    });

    it('say so when the rows are of another release', async () => {
      await expect(verify({ ...parcels, version: 2 })).rejects.toThrow('rebuild them');
    });
  });
}
