import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { START } from '@sluice/event-store';
import {
  type Checkpoint,
  type Collection,
  type DocumentStore,
  DuplicateRowError,
  type ProjectedWrite,
  type ProjectionIdentity,
  type ProjectionTarget,
  type Query,
  type Row,
  type Where,
} from '../port';
import { matches } from '../matches';

/** Where the suite gets its data from; every call of `open` is one more handle on the same data. */
export interface DocumentStoreFixture {
  open(): Promise<DocumentStore>;
  /** Closes what is still open and removes the data. */
  remove(): Promise<void>;
}

interface Parcel extends Row {
  readonly city: string;
  readonly weight?: number | null;
  readonly fragile?: boolean;
  readonly label?: { readonly lines: readonly string[] };
}

const PARCELS: Collection<Parcel> = {
  name: 'parcels',
  indexes: [{ fields: ['city', 'weight'] }, { fields: ['weight'] }],
};

interface Seat extends Row {
  readonly hall: string;
  readonly number: number;
  readonly guest?: string;
}

const SEATS: Collection<Seat> = { name: 'seats', indexes: [{ fields: ['hall', 'number'], unique: true }] };

const HALLS: ProjectionIdentity = { name: 'halls', version: 1, collections: [SEATS, PARCELS] };

const at = (position: string, version = 1): Checkpoint => ({ position, store: 'store-1', version });
const seat = (id: string, number: number, guest?: string): Seat => ({ id, hall: 'A', number, ...(guest && { guest }) });
const written = (row: Row, position: string, collection = SEATS.name): ProjectedWrite => ({
  collection,
  id: row.id,
  row,
  position,
});
const deleted = (id: string, position: string, collection = SEATS.name): ProjectedWrite => ({
  collection,
  id,
  row: undefined,
  position,
});

/** Holds an engine to every promise of `port.ts`. */
export function documentStoreContract(engine: string, create: () => Promise<DocumentStoreFixture>): void {
  describe(`document store: ${engine}`, () => {
    let fixture: DocumentStoreFixture;
    let store: DocumentStore;
    /** A second handle on the same data, as another process has it. */
    let other: DocumentStore;

    beforeEach(async () => {
      fixture = await create();
      store = await fixture.open();
      other = await fixture.open();
    });
    afterEach(() => fixture.remove());

    describe('rows', () => {
      it('reads a row back as it was put, from every handle', async () => {
        const parcel: Parcel = {
          id: 'p1',
          city: 'Zürich',
          weight: 2.5,
          fragile: true,
          label: { lines: ['a "b"', 'ç\n'] },
        };
        await store.rows(PARCELS).put(parcel);
        expect(await store.rows(PARCELS).get('p1')).toEqual(parcel);
        expect(await other.rows(PARCELS).get('p1')).toEqual(parcel);
        expect(await store.rows(PARCELS).get('p2')).toBeUndefined();
      });

      it('keeps rows of one id in two collections apart', async () => {
        await store.rows(PARCELS).put({ id: 'x', city: 'Bern' });
        expect(await store.rows(SEATS).get('x')).toBeUndefined();
        expect(await store.rows(SEATS).count()).toBe(0);
      });

      it('keeps its rows when it is closed and opened again', async () => {
        await store.rows(PARCELS).put({ id: 'p1', city: 'Bern' });
        await store.close();
        await other.close();
        const reopened = await fixture.open();
        expect(await reopened.rows(PARCELS).find()).toEqual([{ id: 'p1', city: 'Bern' }]);
      });

      it('replaces a row whole', async () => {
        const parcels = store.rows(PARCELS);
        await parcels.put({ id: 'p1', city: 'Bern', weight: 1 });
        await parcels.put({ id: 'p1', city: 'Basel' });
        expect(await parcels.get('p1')).toEqual({ id: 'p1', city: 'Basel' });
      });

      it('writes under `absent` only when no row has the id', async () => {
        const parcels = store.rows(PARCELS);
        expect(await parcels.put({ id: 'p1', city: 'Bern' }, 'absent')).toBeDefined();
        expect(await other.rows(PARCELS).put({ id: 'p1', city: 'Basel' }, 'absent')).toBeUndefined();
        expect(await parcels.get('p1')).toEqual({ id: 'p1', city: 'Bern' });
      });

      it('writes under a version only while the row has it', async () => {
        const parcels = store.rows(PARCELS);
        const first = await parcels.put({ id: 'p1', city: 'Bern' });
        const second = await parcels.put({ id: 'p1', city: 'Basel' }, first);
        expect(second).toBeDefined();
        expect(second).not.toBe(first);
        expect(await parcels.put({ id: 'p1', city: 'Genf' }, first)).toBeUndefined();
        expect(await parcels.getVersioned('p1')).toEqual({ row: { id: 'p1', city: 'Basel' }, version: second });
        expect(await parcels.getVersioned('p2')).toBeUndefined();
      });

      it('writes nothing under a version of a row that was deleted or created again', async () => {
        const parcels = store.rows(PARCELS);
        const version = await parcels.put({ id: 'p1', city: 'Bern' });
        await parcels.delete('p1');
        expect(await parcels.put({ id: 'p1', city: 'Genf' }, version)).toBeUndefined();
        expect(await parcels.get('p1')).toBeUndefined();
        await parcels.put({ id: 'p1', city: 'Basel' });
        expect(await parcels.put({ id: 'p1', city: 'Genf' }, version)).toBeUndefined();
        expect(await parcels.get('p1')).toEqual({ id: 'p1', city: 'Basel' });
      });

      it('lets exactly one of many guarded writers win', async () => {
        const version = await store.rows(PARCELS).put({ id: 'p1', city: 'Bern' });
        const attempts = await Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            (n % 2 ? store : other).rows(PARCELS).put({ id: 'p1', city: `City ${n}` }, version),
          ),
        );
        expect(attempts.filter((attempt) => attempt !== undefined)).toHaveLength(1);
        const winner = attempts.findIndex((attempt) => attempt !== undefined);
        expect(await store.rows(PARCELS).get('p1')).toEqual({ id: 'p1', city: `City ${winner}` });

        const inserts = await Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            (n % 2 ? store : other).rows(PARCELS).put({ id: 'p2', city: `${n}` }, 'absent'),
          ),
        );
        expect(inserts.filter((insert) => insert !== undefined)).toHaveLength(1);
      });

      it('loses no update of many that come between one another', async () => {
        const added = (handle: DocumentStore) =>
          handle
            .rows(PARCELS)
            .update('p1', (row) => ({ ...(row ?? { id: 'p1', city: 'Bern' }), weight: (row?.weight ?? 0) + 1 }));
        await Promise.all(Array.from({ length: 10 }, (_, n) => added(n % 2 ? store : other)));
        expect(await added(store)).toEqual({ id: 'p1', city: 'Bern', weight: 11 });
        expect(await other.rows(PARCELS).get('p1')).toEqual({ id: 'p1', city: 'Bern', weight: 11 });
      });

      it('leaves a row as it is when an update answers undefined or throws', async () => {
        const parcels = store.rows(PARCELS);
        await parcels.put({ id: 'p1', city: 'Bern' });
        const before = await parcels.getVersioned('p1');
        const unchanged = await parcels.update('p1', (): Parcel | undefined => undefined);
        expect(unchanged).toBeUndefined();
        await expect(parcels.update('p1', () => Promise.reject(new RangeError('no')))).rejects.toThrow(RangeError);
        expect(await parcels.getVersioned('p1')).toEqual(before);
        expect(await parcels.update('p2', (row) => row)).toBeUndefined();
        expect(await parcels.get('p2')).toBeUndefined();
      });

      it('does not bring back a row that is deleted while an update computes', async () => {
        const parcels = store.rows(PARCELS);
        await parcels.put({ id: 'p1', city: 'Bern' });
        const seen: unknown[] = [];
        const updated = await parcels.update('p1', async (row) => {
          seen.push(row);
          await other.rows(PARCELS).delete('p1');
          return row && { ...row, city: 'Basel' };
        });
        expect(updated).toBeUndefined();
        expect(seen).toEqual([{ id: 'p1', city: 'Bern' }, undefined]);
        expect(await parcels.get('p1')).toBeUndefined();
      });

      it('deletes, and says whether there was something to delete', async () => {
        const parcels = store.rows(PARCELS);
        const version = await parcels.put({ id: 'p1', city: 'Bern' });
        const next = await parcels.put({ id: 'p1', city: 'Basel' });
        expect(await parcels.delete('p1', version)).toBe(false);
        expect(await parcels.get('p1')).toBeDefined();
        expect(await parcels.delete('p1', next)).toBe(true);
        expect(await parcels.delete('p1')).toBe(false);
        expect(await other.rows(PARCELS).get('p1')).toBeUndefined();
      });

      it('deletes what meets the conditions, and says how many', async () => {
        const parcels = store.rows(PARCELS);
        await parcels.putMany([
          { id: 'p1', city: 'Bern', weight: 1 },
          { id: 'p2', city: 'Bern', weight: 5 },
          { id: 'p3', city: 'Genf', weight: 5 },
        ]);
        expect(await parcels.deleteWhere({ city: 'Bern', weight: { gte: 2 } })).toBe(1);
        expect((await parcels.find()).map(({ id }) => id)).toEqual(['p1', 'p3']);
        expect(await parcels.deleteWhere({})).toBe(2);
        expect(await parcels.count()).toBe(0);
      });

      it('puts many, replacing those that exist', async () => {
        const parcels = store.rows(PARCELS);
        await parcels.put({ id: 'p1', city: 'Bern' });
        const before = await parcels.getVersioned('p1');
        const ids = await parcels.putMany([
          { id: 'p1', city: 'Basel' },
          { id: 'p2', city: 'Genf' },
        ]);
        expect(ids.sort()).toEqual(['p1', 'p2']);
        expect(await parcels.get('p1')).toEqual({ id: 'p1', city: 'Basel' });
        expect((await parcels.getVersioned('p1'))?.version).not.toBe(before?.version);
        expect(await parcels.putMany([])).toEqual([]);
      });

      it('changes many rows in one call, by several handles and in several collections', async () => {
        const others: Collection<Parcel> = { ...PARCELS, name: 'others' };
        const many = (city: string) => Array.from({ length: 120 }, (_, n): Parcel => ({ id: String(n), city }));
        await Promise.all([PARCELS, others].map((collection) => store.rows(collection).putMany(many('before'))));
        await Promise.all(
          [store, other].flatMap((handle) =>
            [PARCELS, others].map((collection) => handle.rows(collection).putMany(many('after'))),
          ),
        );
        expect(await other.rows(PARCELS).count({ city: 'after' })).toBe(120);

        const target = await store.liveTarget(HALLS);
        const halls = (city: string, position: string) => many(city).map((row) => written(row, position, PARCELS.name));
        expect(await target.commit(undefined, at('1'), halls('before', '1'))).toBe(true);
        expect(await target.commit(at('1'), at('2'), halls('after', '2'))).toBe(true);
        expect(await other.view(HALLS.name, PARCELS).count({ city: 'after' })).toBe(120);
      });

      it('puts many `absent`, leaving ids and unique values that exist as they are', async () => {
        const seats = store.rows(SEATS);
        await seats.put(seat('s1', 1, 'Ada'));
        const ids = await seats.putMany(
          [seat('s1', 7, 'Eve'), seat('s2', 1, 'Eve'), seat('s3', 3), seat('s4', 3)],
          'absent',
        );
        expect(ids).toEqual(['s3']);
        expect(await seats.find()).toEqual([seat('s1', 1, 'Ada'), seat('s3', 3)]);
      });

      it('rejects a second row with the same unique values', async () => {
        const seats = store.rows(SEATS);
        await seats.put(seat('s1', 1));
        await seats.put(seat('s2', 2));
        const expected = { name: 'DuplicateRowError', collection: 'seats', id: 's3' };
        await expect(seats.put(seat('s3', 1))).rejects.toMatchObject(expected);
        await expect(seats.put(seat('s3', 1), 'absent')).rejects.toMatchObject(expected);
        await expect(other.rows(SEATS).put(seat('s2', 1))).rejects.toBeInstanceOf(DuplicateRowError);
        await expect(seats.put(seat('s2', 1), (await seats.getVersioned('s2'))?.version)).rejects.toBeInstanceOf(
          DuplicateRowError,
        );
        await expect(seats.putMany([seat('s3', 1)])).rejects.toBeInstanceOf(DuplicateRowError);
        expect(await seats.find()).toEqual([seat('s1', 1), seat('s2', 2)]);
        expect(await seats.put(seat('s1', 1, 'Ada'))).toBeDefined();
        expect(await seats.put(seat('s1', 1), 'absent')).toBeUndefined();
      });

      it('isolates a refused write from those that are under way with it', async () => {
        const seats = store.rows(SEATS);
        await seats.put(seat('s0', 0));
        const outcomes = await Promise.allSettled([
          seats.put(seat('s1', 1)),
          seats.put(seat('dup', 0)),
          seats.put(seat('s0', 5), 'absent'),
          seats.put(seat('s2', 2)),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
        expect((await seats.find()).map(({ id }) => id)).toEqual(['s0', 's1', 's2']);
      });

      it('frees unique values with the row that held them', async () => {
        const seats = store.rows(SEATS);
        await seats.put(seat('s1', 1));
        await seats.delete('s1');
        await seats.put(seat('s2', 1));
        expect(await seats.find()).toEqual([seat('s2', 1)]);
      });

      it('answers a write only once every handle reads it', async () => {
        await Promise.all(
          Array.from({ length: 50 }, async (_, n) => {
            await store.rows(PARCELS).put({ id: `p${n}`, city: 'Bern' });
            expect(await other.rows(PARCELS).get(`p${n}`)).toBeDefined();
          }),
        );
      });
    });

    describe('queries', () => {
      const stock: Parcel[] = [
        { id: 'a', city: 'Bern', weight: 3, fragile: true },
        { id: 'b', city: 'Genf', weight: 1, fragile: false },
        { id: 'c', city: 'Bern', weight: null },
        { id: 'd', city: 'Basel' },
        { id: 'e', city: 'Zürich', weight: 10 },
        { id: 'f', city: 'Genf', weight: 3 },
      ];
      const find = async (query: Query<Parcel>): Promise<string> => {
        const ids = (await store.rows(PARCELS).find(query)).map(({ id }) => id);
        expect(await store.rows(PARCELS).ids(query)).toEqual(ids);
        return ids.join('');
      };

      beforeEach(() => store.rows(PARCELS).putMany(stock));

      it.each<[Where<Parcel>, string]>([
        [{}, 'abcdef'],
        [{ id: 'b' }, 'b'],
        [{ id: { in: ['a', 'x', 'f'] } }, 'af'],
        [{ id: { gt: 'd' } }, 'ef'],
        [{ city: 'Bern' }, 'ac'],
        [{ city: 'Bern', weight: 3 }, 'a'],
        [{ city: { in: ['Genf', 'Basel'] } }, 'bdf'],
        [{ city: { in: [] } }, ''],
        [{ weight: null }, 'cd'],
        [{ weight: { in: [1, null] } }, 'bcd'],
        [{ weight: { gt: 1 } }, 'aef'],
        [{ weight: { gte: 3, lt: 10 } }, 'af'],
        [{ weight: { lte: 1 } }, 'b'],
        [{ city: { gte: 'Genf' } }, 'bef'],
        [{ fragile: true }, 'a'],
        [{ fragile: false }, 'b'],
        [{ fragile: null }, 'cdef'],
      ])('finds and counts where %j', async (where, ids) => {
        expect(await find({ where })).toBe(ids);
        expect(await store.rows(PARCELS).count(where)).toBe(ids.length);
        expect(
          stock
            .filter((row) => matches(row, where))
            .map(({ id }) => id)
            .join(''),
        ).toBe(ids);
      });

      it('sorts null and missing members first, by id within equals', async () => {
        expect(await find({ sort: [['weight', 'asc']] })).toBe('cdbafe');
        expect(await find({ sort: [['weight', 'desc']] })).toBe('eafbcd');
        expect(
          await find({
            sort: [
              ['city', 'desc'],
              ['weight', 'asc'],
            ],
          }),
        ).toBe('ebfcad');
        expect(
          await find({
            sort: [
              ['city', 'asc'],
              ['id', 'desc'],
            ],
          }),
        ).toBe('dcafbe');
        expect(await find({ sort: [['id', 'desc']] })).toBe('fedcba');
      });

      it('pages through the sorted rows', async () => {
        const sort: Query<Parcel>['sort'] = [['weight', 'desc']];
        expect(await find({ sort, limit: 2 })).toBe('ea');
        expect(await find({ sort, offset: 2, limit: 3 })).toBe('fbc');
        expect(await find({ sort, offset: 4 })).toBe('cd');
        expect(await find({ sort, offset: 9, limit: 2 })).toBe('');
        expect(await find({ limit: 0 })).toBe('');
      });

      it('answers any number of rows', async () => {
        const many = Array.from({ length: 2_500 }, (_, n) => ({ id: `m${10_000 + n}`, city: 'Many', weight: n }));
        await store.rows(PARCELS).putMany(many);
        const found = await store.rows(PARCELS).find({ where: { city: 'Many' }, sort: [['weight', 'desc']] });
        expect(found).toEqual(many.reverse());
      });

      it('finds what a plain filter over all rows would', async () => {
        const parcels = store.rows(PARCELS);
        const weight = fc.option(fc.integer({ min: 0, max: 4 }), { nil: null });
        const row = fc.record({ city: fc.constantFrom('A', 'B', 'b', 'Ä'), weight }, { requiredKeys: ['city'] });
        const where = fc.record<Where<Parcel>>(
          {
            city: fc.oneof(fc.constantFrom('A', 'Ä'), fc.record({ gte: fc.constantFrom('A', 'B', 'a') })),
            weight: fc.oneof(
              weight,
              fc.record({ in: fc.array(weight) }),
              fc.record({ gt: fc.nat(4) }, { requiredKeys: [] }),
            ),
          },
          { requiredKeys: [] },
        );
        await fc.assert(
          fc.asyncProperty(fc.array(row, { maxLength: 12 }), where, async (rows, conditions) => {
            const stored = rows.map((members, n): Parcel => ({ id: `r${10 + n}`, ...members }));
            await parcels.deleteWhere({});
            await parcels.putMany(stored);
            expect(await parcels.find({ where: conditions })).toEqual(stored.filter((one) => matches(one, conditions)));
          }),
          { numRuns: 60 },
        );
      });

      it('rejects a condition that is undefined, so that no filter vanishes by mistake', async () => {
        const where = { city: undefined } as unknown as Where<Parcel>;
        await expect(store.rows(PARCELS).deleteWhere(where)).rejects.toThrow(TypeError);
        await expect(store.rows(PARCELS).find({ where })).rejects.toThrow(TypeError);
        expect(await store.rows(PARCELS).count()).toBe(stock.length);
      });
    });

    describe('projections', () => {
      let target: ProjectionTarget;
      const view = (handle = store) => handle.view(HALLS.name, SEATS);

      beforeEach(async () => {
        target = await store.liveTarget(HALLS);
      });

      it('has a view that is empty before anything is projected', async () => {
        const empty = store.view('empty', SEATS);
        expect(await empty.get('s1')).toBeUndefined();
        expect(await empty.find()).toEqual([]);
        expect(await empty.ids()).toEqual([]);
        expect(await empty.count()).toBe(0);
        expect(await view().find()).toEqual([]);
        expect(await target.checkpoint()).toBeUndefined();
      });

      it('commits rows and checkpoint together, for every handle', async () => {
        expect(
          await target.commit(undefined, at('02'), [written(seat('s1', 1), '01'), written(seat('s2', 2), '02')]),
        ).toBe(true);
        expect(await target.checkpoint()).toEqual(at('02'));
        expect(await view(other).find()).toEqual([seat('s1', 1), seat('s2', 2)]);
        expect(await view(other).get('s2')).toEqual(seat('s2', 2));
        expect(await view(other).count({ number: { gt: 1 } })).toBe(1);
        expect(await view(other).ids({ sort: [['number', 'desc']] })).toEqual(['s2', 's1']);
        const same = await other.liveTarget(HALLS);
        expect(same.generation).toBe(target.generation);
        expect(await same.checkpoint()).toEqual(at('02'));
      });

      it('keeps rows and checkpoint when it is closed and opened again', async () => {
        await target.commit(undefined, at('01'), [written(seat('s1', 1), '01')]);
        await store.close();
        await other.close();
        const reopened = await fixture.open();
        expect(await (await reopened.liveTarget(HALLS)).checkpoint()).toEqual(at('01'));
        expect(await view(reopened).find()).toEqual([seat('s1', 1)]);
      });

      it('moves the checkpoint without rows', async () => {
        await target.commit(undefined, at('01'), []);
        await target.commit(at('01'), at('05'), []);
        expect(await target.checkpoint()).toEqual(at('05'));
      });

      it('writes nothing when the checkpoint is not the expected one', async () => {
        await target.commit(undefined, at('01'), [written(seat('s1', 1), '01')]);
        const next = at('02');
        const writes = [written(seat('s1', 9), '02'), written(seat('s2', 2), '02')];
        expect(await target.commit(undefined, next, writes)).toBe(false);
        expect(await target.commit(at('00'), next, writes)).toBe(false);
        expect(await target.commit({ ...at('01'), store: 'store-2' }, next, writes)).toBe(false);
        expect(await target.commit({ ...at('01'), version: 2 }, next, writes)).toBe(false);
        expect(await target.checkpoint()).toEqual(at('01'));
        expect(await view().find()).toEqual([seat('s1', 1)]);
      });

      it('lets one of two runners go ahead', async () => {
        const rival = await other.liveTarget(HALLS);
        await target.commit(undefined, at('01'), []);
        const both = await Promise.all([
          target.commit(at('01'), at('02'), [written(seat('s1', 1, 'here'), '02')]),
          rival.commit(at('01'), at('03'), [written(seat('s1', 1, 'there'), '03')]),
        ]);
        expect(both.filter(Boolean)).toHaveLength(1);
        expect((await target.checkpoint())?.position).toBe(both[0] ? '02' : '03');
        expect((await view().get('s1'))?.guest).toBe(both[0] ? 'here' : 'there');
      });

      it('carries commits out in the order of the calls', async () => {
        const steps = Array.from({ length: 30 }, (_, n) => at(String(10 + n)));
        const commits = steps.map((next, n) =>
          target.commit(steps[n - 1], next, [
            written(seat('s1', n), next.position),
            written(seat(`t${n}`, 100 + n), next.position),
          ]),
        );
        expect(await Promise.all(commits)).toEqual(steps.map(() => true));
        expect(await target.checkpoint()).toEqual(steps.at(-1));
        expect((await view().get('s1'))?.number).toBe(29);
        expect(await view().count()).toBe(31);
      });

      it('leaves a row as it is when its position is the same or later', async () => {
        await target.commit(undefined, at('05'), [written(seat('s1', 1, 'Ada'), '05')]);
        await target.commit(at('05'), at('06'), [written(seat('s1', 1, 'Eve'), '05')]);
        await target.commit(at('06'), at('07'), [written(seat('s1', 1, 'Eve'), '04'), deleted('s1', '03')]);
        expect(await view().get('s1')).toEqual(seat('s1', 1, 'Ada'));
        await target.commit(at('07'), at('08'), [written(seat('s1', 1, 'Bob'), '08')]);
        expect(await view().get('s1')).toEqual(seat('s1', 1, 'Bob'));
      });

      it('keeps a hidden tombstone that guards as a row does', async () => {
        await target.commit(undefined, at('01'), [written(seat('s1', 1), '01'), written(seat('s2', 2), '01')]);
        await target.commit(at('01'), at('05'), [deleted('s1', '05'), deleted('s9', '05')]);
        expect(await view().get('s1')).toBeUndefined();
        expect(await view().find()).toEqual([seat('s2', 2)]);
        expect(await view().find({ where: { guest: null } })).toEqual([seat('s2', 2)]);
        expect(await view().count()).toBe(1);
        await target.commit(at('05'), at('06'), [written(seat('s1', 1), '04'), written(seat('s9', 9), '05')]);
        expect(await view().count()).toBe(1);
        await target.commit(at('06'), at('07'), [written(seat('s1', 1, 'again'), '07')]);
        expect(await view().get('s1')).toEqual(seat('s1', 1, 'again'));
      });

      it('shows rows with their positions to projections, tombstones by id alone', async () => {
        await target.commit(undefined, at('03'), [
          written(seat('s1', 1), '01'),
          written(seat('s2', 2), '02'),
          deleted('s3', '03'),
        ]);
        const rows = await target.read(SEATS.name, ['s1', 's3', 's4']);
        expect([...rows].sort(([a], [b]) => (a < b ? -1 : 1))).toEqual([
          ['s1', { row: seat('s1', 1), position: '01' }],
          ['s3', { row: undefined, position: '03' }],
        ]);
        expect(await target.find(SEATS, { where: { number: { gte: 1 } }, sort: [['number', 'desc']] })).toEqual([
          { row: seat('s2', 2), position: '02' },
          { row: seat('s1', 1), position: '01' },
        ]);
        const many = Array.from({ length: 600 }, (_, n) => written(seat(`m${n}`, 100 + n), '04'));
        await target.commit(at('03'), at('04'), many);
        expect(
          (
            await target.read(
              SEATS.name,
              many.map(({ id }) => id),
            )
          ).size,
        ).toBe(600);
      });

      it('rejects a commit whose row takes unique values of another, whole', async () => {
        await target.commit(undefined, at('01'), [written(seat('s1', 1), '01')]);
        await expect(
          target.commit(at('01'), at('02'), [written(seat('s2', 2), '02'), written(seat('s3', 1), '02')]),
        ).rejects.toMatchObject({ name: 'DuplicateRowError', collection: 'seats', id: 's3' });
        expect(await target.checkpoint()).toEqual(at('01'));
        await target.commit(at('01'), at('03'), [written(seat('s2', 2), '02'), written(seat('s3', 3), '03')]);
        expect(await view().count()).toBe(3);
      });

      it('hands unique values on within one commit', async () => {
        await target.commit(undefined, at('01'), [written(seat('s1', 1), '01'), written(seat('s2', 2), '01')]);
        const moved = [written(seat('s3', 1), '02'), written(seat('s1', 2), '03'), deleted('s2', '03')];
        expect(await target.commit(at('01'), at('03'), moved)).toBe(true);
        expect(await view().find()).toEqual([seat('s1', 2), seat('s3', 1)]);
      });

      it('rejects a collection that the projection does not declare', async () => {
        await expect(target.commit(undefined, at('01'), [written(seat('s1', 1), '01', 'strangers')])).rejects.toThrow(
          'strangers',
        );
      });

      it('opens a collection that the projection got since', async () => {
        const before: ProjectionIdentity = { name: 'growing', version: 1, collections: [SEATS] };
        await (await store.liveTarget(before)).commit(undefined, at('01'), [written(seat('s1', 1), '01')]);
        expect(await store.view('growing', PARCELS).find()).toEqual([]);
        const grown = await store.liveTarget({ ...before, collections: [SEATS, PARCELS] });
        await grown.commit(at('01'), at('02'), [written({ id: 'p1' }, '02', PARCELS.name)]);
        expect(await store.view('growing', PARCELS).count()).toBe(1);
        expect(await store.view('growing', SEATS).count()).toBe(1);
      });

      describe('rebuilt', () => {
        beforeEach(() => target.commit(undefined, at('03'), [written(seat('s1', 1, 'old'), '03')]));

        it('fills rows next to the live ones, which readers see until the swap', async () => {
          const fresh = await store.rebuildTarget(HALLS);
          expect(fresh.generation).not.toBe(target.generation);
          expect(await fresh.checkpoint()).toBeUndefined();
          await fresh.commit(undefined, at('04', 2), [
            written(seat('s1', 1, 'new'), '01'),
            written(seat('s2', 2), '04'),
          ]);
          expect(await view(other).find()).toEqual([seat('s1', 1, 'old')]);
          expect((await other.liveTarget(HALLS)).generation).toBe(target.generation);

          expect(await store.swap(HALLS, fresh)).toBe(true);
          expect(await view().get('s1')).toEqual(seat('s1', 1, 'new'));
          expect(await view(other).find()).toEqual([seat('s1', 1, 'new'), seat('s2', 2)]);
          const live = await other.liveTarget(HALLS);
          expect(live.generation).toBe(fresh.generation);
          expect(await live.checkpoint()).toEqual(at('04', 2));
        });

        it('shows one generation or the other while another handle swaps', async () => {
          const fresh = await other.rebuildTarget(HALLS);
          await fresh.commit(undefined, at('03'), [written(seat('s1', 1, 'new'), '03')]);
          const progress = { swapped: false };
          const swapping = other.swap(HALLS, fresh).then(() => {
            progress.swapped = true;
          });
          const seen = new Set<string | undefined>();
          while (!progress.swapped) {
            seen.add((await view().find())[0]?.guest).add((await view().get('s1'))?.guest);
            await nextTurn();
          }
          await swapping;
          expect([...seen].every((guest) => guest === 'old' || guest === 'new')).toBe(true);
          expect((await view().get('s1'))?.guest).toBe('new');
        });

        it('does not swap to rows that are behind the live ones', async () => {
          const fresh = await store.rebuildTarget(HALLS);
          await fresh.commit(undefined, at('02'), []);
          expect(await store.swap(HALLS, fresh)).toBe(false);
          expect(await view().get('s1')).toEqual(seat('s1', 1, 'old'));
          await fresh.commit(at('02'), at('03'), [written(seat('s1', 1, 'new'), '03')]);
          expect(await store.swap(HALLS, fresh)).toBe(true);
          expect(await store.swap(HALLS, fresh)).toBe(true);
        });

        it('swaps to rows of another event store wherever they stand', async () => {
          const fresh = await store.rebuildTarget(HALLS);
          await fresh.commit(undefined, { ...at('01'), store: 'store-2' }, []);
          expect(await store.swap(HALLS, fresh)).toBe(true);
          expect(await view().find()).toEqual([]);
        });

        it('commits nothing to a generation that was swapped away', async () => {
          const fresh = await other.rebuildTarget(HALLS);
          await fresh.commit(undefined, at('03'), [written(seat('s1', 1, 'new'), '03')]);
          await other.swap(HALLS, fresh);
          expect(await target.checkpoint()).toBeUndefined();
          expect((await target.read(SEATS.name, ['s1'])).size).toBe(0);
          expect(await target.find(SEATS, {})).toEqual([]);
          expect(await target.commit(at('03'), at('04'), [written(seat('s1', 1, 'stale'), '04')])).toBe(false);
          expect(await target.commit(undefined, at('04'), [written(seat('s1', 1, 'stale'), '04')])).toBe(false);
          expect(await view().find()).toEqual([seat('s1', 1, 'new')]);
        });

        it('drops an unfinished rebuild when the next one starts', async () => {
          const first = await store.rebuildTarget(HALLS);
          await first.commit(undefined, at('09'), [written(seat('s9', 9), '09')]);
          const second = await other.rebuildTarget(HALLS);
          expect(second.generation).not.toBe(first.generation);
          expect(await first.commit(at('09'), at('10'), [])).toBe(false);
          expect(await first.checkpoint()).toBeUndefined();
          await expect(store.swap(HALLS, first)).rejects.toThrow('gone');
          await second.commit(undefined, at('03'), []);
          expect(await other.swap(HALLS, second)).toBe(true);
          expect(await view().find()).toEqual([]);
        });

        it('leaves other projections alone', async () => {
          const parks: ProjectionIdentity = { ...HALLS, name: 'parks' };
          await (await store.liveTarget(parks)).commit(undefined, at('01'), [written(seat('s1', 1, 'park'), '01')]);
          const fresh = await store.rebuildTarget(HALLS);
          await fresh.commit(undefined, at('03'), []);
          await store.swap(HALLS, fresh);
          expect(await store.view('parks', SEATS).find()).toEqual([seat('s1', 1, 'park')]);
        });
      });
    });

    it('can be reached and written, and says so', async () => {
      await expect(store.ping()).resolves.toBeUndefined();
      await store.close();
      await expect(store.ping()).rejects.toMatchObject({ name: 'DocumentStoreUnavailableError' });
      await expect(other.ping()).resolves.toBeUndefined();
    });

    it('waits for writes under way when it is closed', async () => {
      const writes = Array.from({ length: 20 }, (_, n) => store.rows(PARCELS).put({ id: `p${n}`, city: 'Bern' }));
      await store.close();
      await Promise.all(writes);
      expect(await other.rows(PARCELS).count()).toBe(20);
    });

    it('orders START before every position', async () => {
      const target = await store.liveTarget(HALLS);
      await target.commit(undefined, at(START), []);
      expect(await target.checkpoint()).toEqual(at(START));
      expect(await target.commit(at(START), at('01'), [])).toBe(true);
    });
  });
}
