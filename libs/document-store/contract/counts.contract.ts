import { anyCharacter } from '@sluice/testing/any-character';
import fc from 'fast-check';
import type { DocumentStoreFixture } from './document-store.contract';
import { matches } from '../matches';
import type { Checkpoint, Collection, DocumentStore, ProjectedWrite, ProjectionIdentity, Row, Where } from '../port';

interface Tally extends Row {
  readonly shop: string;
  readonly day: number;
  readonly sold?: number;
  readonly returned?: number;
}

const TALLIES: Collection<Tally> = { name: 'tallies', indexes: [{ fields: ['shop', 'day'] }] };

interface Loan extends Row {
  readonly branch: number;
  readonly state: 'out' | 'late' | 'back';
  readonly reader: string;
}

const LOANS: Collection<Loan> = { name: 'loans', indexes: [{ fields: ['branch'] }], counted: ['branch', 'state'] };
const LIBRARY: ProjectionIdentity = { name: 'library', version: 1, collections: [LOANS] };

/** One commit: rows by id, written at consecutive positions; undefined deletes, an old position changes nothing. */
const commits = fc.array(
  fc.array(
    fc.record({
      id: fc.constantFrom('l1', 'l2', 'l3', 'l4'),
      row: fc.option(
        fc.record({
          branch: fc.constantFrom(1, 2),
          state: fc.constantFrom('out' as const, 'late' as const, 'back' as const),
          reader: fc.constantFrom('Ada', 'Bo'),
        }),
        { nil: undefined },
      ),
      late: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
  { maxLength: 6 },
);

const questions: Where<Loan>[] = [
  {},
  ...[1, 2, 3].flatMap((branch) => [
    { branch },
    ...(['out', 'late', 'back'] as const).map((state) => ({ branch, state })),
  ]),
  { state: 'late' },
  { state: { in: ['out', 'late'] } },
  { branch: 1, reader: 'Ada' },
];

/** Sums, counts by group and deletions in parts. */
export function countsContract(engine: string, create: () => Promise<DocumentStoreFixture>): void {
  describe(`counts on ${engine}`, () => {
    let fixture: DocumentStoreFixture;
    let store: DocumentStore;
    let other: DocumentStore;

    beforeEach(async () => {
      fixture = await create();
      store = await fixture.open();
      other = await fixture.open();
    });
    afterEach(() => fixture.remove());

    it('adds to rows, makes those that are missing, and takes other members as given', async () => {
      const tallies = store.rows(TALLIES);
      await tallies.put({ id: 't1', shop: 'Bern', day: 1, sold: 5 });
      await tallies.add(
        [
          { id: 't1', shop: 'Basel', day: 2, sold: 3, returned: 1 },
          { id: 't2', shop: 'Genf', day: 1, sold: 7 },
        ],
        ['sold', 'returned'],
      );
      await tallies.add([{ id: 't2', shop: 'Genf', day: 1, sold: -2 }], ['sold']);
      expect(await other.rows(TALLIES).find()).toEqual([
        { id: 't1', shop: 'Basel', day: 2, sold: 8, returned: 1 },
        { id: 't2', shop: 'Genf', day: 1, sold: 5 },
      ]);
      await tallies.add([], ['sold']);
    });

    it('loses no sum of many writers, and gives a row that was added to another version', async () => {
      const version = await store.rows(TALLIES).put({ id: 't1', shop: 'Bern', day: 1, sold: 0 });
      await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          (n % 2 ? store : other).rows(TALLIES).add([{ id: 't1', shop: 'Bern', day: 1, sold: n }], ['sold']),
        ),
      );
      expect((await store.rows(TALLIES).get('t1'))?.sold).toBe(4_950);
      expect(await store.rows(TALLIES).put({ id: 't1', shop: 'Bern', day: 1, sold: 0 }, version)).toBeUndefined();
    });

    it('merges members into rows, makes those that are missing, and leaves other members as they are', async () => {
      const tallies = store.rows(TALLIES);
      const version = await tallies.put({ id: 't1', shop: 'Bern', day: 1, sold: 5 });
      await tallies.merge([
        { id: 't1', shop: 'Basel', returned: 0 },
        { id: 't2', shop: 'Genf "\\\u0001ü', day: 1 },
      ]);
      await tallies.merge([{ id: 't2', sold: 7 }]);
      expect(await other.rows(TALLIES).find()).toEqual([
        { id: 't1', shop: 'Basel', day: 1, sold: 5, returned: 0 },
        { id: 't2', shop: 'Genf "\\\u0001ü', day: 1, sold: 7 },
      ]);
      expect(await tallies.find({ where: { shop: 'Basel' } })).toHaveLength(1);
      expect(await tallies.put({ id: 't1', shop: 'Bern', day: 1 }, version)).toBeUndefined();
      await tallies.merge([]);
    });

    it('loses no member of many writers that merge into one row', async () => {
      await Promise.all(
        Array.from({ length: 60 }, (_, n) => {
          const member = (['day', 'sold', 'returned'] as const)[n % 3]!;
          return (n % 2 ? store : other).rows(TALLIES).merge([{ id: 't1', [member]: n % 3 }]);
        }),
      );
      expect(await store.rows(TALLIES).get('t1')).toEqual({ id: 't1', day: 0, sold: 1, returned: 2 });
    });

    it('counts rows by the values of members, the most frequent first', async () => {
      const tallies = store.rows(TALLIES);
      const shops = ['Bern', 'Basel', 'Bern', 'Genf', 'Bern', 'Basel', 'Chur'];
      await tallies.putMany(shops.map((shop, n) => ({ id: `t${n}`, shop, day: n % 2 })));
      expect(await other.rows(TALLIES).countBy(['shop'])).toEqual([
        { shop: 'Bern', count: 3 },
        { shop: 'Basel', count: 2 },
        { shop: 'Chur', count: 1 },
        { shop: 'Genf', count: 1 },
      ]);
      expect(await tallies.countBy(['shop', 'day'], { shop: { in: ['Basel', 'Bern'] } }, 2)).toEqual([
        { shop: 'Bern', day: 0, count: 3 },
        { shop: 'Basel', day: 1, count: 2 },
      ]);
      expect(await tallies.countBy(['day'], { shop: { in: ['Bern', 'Chur', 'Genf'] } })).toEqual([
        { day: 0, count: 4 },
        { day: 1, count: 1 },
      ]);
      expect(await tallies.countBy(['day'], { day: { gte: 5 } })).toEqual([]);
    });

    it('reads, finds and counts rows of any text, half characters and NUL among it', async () => {
      let rounds = 0;
      const part = fc.oneof(
        fc.constantFrom('\ud800', '\udfff', '\0', '\\', '"', 'a'),
        fc.string({ unit: anyCharacter }),
      );
      const text = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''));
      const rows = fc.array(fc.record({ id: text, shop: text, note: fc.array(text, { maxLength: 2 }) }), {
        minLength: 1,
        maxLength: 12,
      });
      await fc.assert(
        fc.asyncProperty(rows, async (given) => {
          const texts: Collection<Row & { shop: string; day: number; note: string[] }> = {
            ...{ name: `texts${(rounds += 1)}`, indexes: TALLIES.indexes },
          };
          await store.rows(texts).putMany(given.map((row) => ({ ...row, id: `x${row.id}`, day: 1 })));
          const model = new Map(
            given.map(({ id, shop, note }) => [
              `x${id}`.toWellFormed(),
              { shop: shop.toWellFormed(), note: note.map((line) => line.toWellFormed()) },
            ]),
          );
          for (const { id, shop } of given) {
            const stored = model.get(`x${id}`.toWellFormed())!;
            expect(await other.rows(texts).get(`x${id}`)).toEqual({ ...stored, id: `x${id}`.toWellFormed(), day: 1 });
            const holding = [...model.values()].filter((row) => row.shop === shop.toWellFormed()).length;
            expect(await other.rows(texts).count({ shop })).toBe(holding);
            expect(await other.rows(texts).find({ where: { shop: { in: [shop] } } })).toHaveLength(holding);
          }
          const counts = new Map<string, number>();
          for (const { shop } of model.values()) counts.set(shop, (counts.get(shop) ?? 0) + 1);
          const counted = await other
            .rows(texts)
            .countBy(['shop', 'day'], { shop: { in: given.map(({ shop }) => shop) } });
          expect(new Map(counted.map(({ shop, count }) => [shop, count]))).toEqual(counts);
          expect(counted).toHaveLength(counts.size);
        }),
        { numRuns: 40 },
      );
    }, 60_000);

    it('gives a projection the rows of any id', async () => {
      const ids = ['a\0b', 'a\0c', '"', '\\u0000', '💥'];
      const target = await store.liveTarget(LIBRARY);
      const writes = ids.map((id): ProjectedWrite => ({
        collection: LOANS.name,
        id,
        row: { id, branch: 1, state: 'out', reader: 'Ada' } as Loan,
        position: '1',
      }));
      await target.commit(undefined, { position: '1', store: 'store-1', version: 1 }, writes);
      const found = await (await other.liveTarget(LIBRARY)).read(LOANS.name, ids);
      expect(new Map([...found].map(([id, { row }]) => [id, row?.id]))).toEqual(new Map(ids.map((id) => [id, id])));
    });

    it('counts what was written before it was asked, and nothing twice', async () => {
      for (let n = 0; n < 20; n += 1) {
        await store.rows(TALLIES).put({ id: `t${n}`, shop: 'Bern', day: n });
        expect(await other.rows(TALLIES).countBy(['shop'])).toEqual([{ shop: 'Bern', count: n + 1 }]);
      }
    });

    it('deletes in parts', async () => {
      const tallies = store.rows(TALLIES);
      await tallies.putMany(
        Array.from({ length: 10 }, (_, n) => ({ id: `t${n}`, shop: n < 7 ? 'Bern' : 'Genf', day: n })),
      );
      expect(await tallies.deleteWhere({ shop: 'Bern' }, 4)).toBe(4);
      expect(await tallies.deleteWhere({ shop: 'Bern' }, 4)).toBe(3);
      expect(await tallies.deleteWhere({ shop: 'Bern' }, 4)).toBe(0);
      expect(await tallies.count()).toBe(3);
    });

    it('keeps the counts of a projection equal to its rows, whatever is written and swapped', async () => {
      let rounds = 0;
      const checkpoint = (position: number): Checkpoint => ({
        ...{ position: String(position).padStart(6, '0'), store: 'store-1', version: 1 },
      });
      await fc.assert(
        fc.asyncProperty(commits, fc.boolean(), async (given, rebuilt) => {
          const library = { ...LIBRARY, name: `library-${(rounds += 1)}` };
          const target = await (rebuilt ? store.rebuildTarget(library) : store.liveTarget(library));
          let position = 0;
          let last: Checkpoint | undefined;
          for (const changes of given) {
            const writes = changes.map(({ id, row, late }): ProjectedWrite => {
              position += 1;
              return {
                ...{ collection: LOANS.name, id, row: row && { id, ...row } },
                position: checkpoint(late ? 1 : position).position,
              };
            });
            const next = checkpoint((position += 1));
            expect(await target.commit(last, next, writes)).toBe(true);
            last = next;
          }
          if (rebuilt) {
            await target.commit(last, checkpoint(position + 1), []);
            await other.swap(library, target);
          }
          const view = other.view(library.name, LOANS);
          const rows = await view.find();
          for (const where of questions) {
            const wanted = rows.filter((row) => matches(row, where));
            expect(await view.count(where)).toBe(wanted.length);
            const counted = await view.countBy(['state', 'branch'], where);
            for (const { state, branch, count } of counted) {
              expect(count).toBe(wanted.filter((row) => row.state === state && row.branch === branch).length);
            }
            expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(wanted.length);
            expect(await view.countBy(['state', 'branch'], where, 1)).toEqual(counted.slice(0, 1));
          }
        }),
        { numRuns: 60 },
      );
    }, 60_000);

    it('counts the rows that were there before anyone asked for counts', async () => {
      const plain: Collection<Loan> = { name: LOANS.name, indexes: LOANS.indexes };
      const target = await store.liveTarget({ ...LIBRARY, collections: [plain] });
      const loan = (id: string, state: Loan['state']): ProjectedWrite => ({
        ...{ collection: LOANS.name, id, row: { id, branch: 1, state, reader: 'Ada' } as Loan, position: id },
      });
      const at = (position: string): Checkpoint => ({ position, store: 'store-1', version: 1 });
      const gone = { ...loan('3', 'late'), row: undefined };
      await target.commit(undefined, at('3'), [loan('1', 'out'), loan('2', 'late'), gone]);

      const counting = await other.liveTarget(LIBRARY);
      const counts = async () => [
        await store.view(LIBRARY.name, LOANS).count({ branch: 1 }),
        await store.view(LIBRARY.name, LOANS).count({ state: 'late' }),
      ];
      expect(await counts()).toEqual([2, 1]);
      await counting.commit(at('3'), at('5'), [loan('4', 'late'), { ...loan('1', 'late'), position: '5' }]);
      expect(await counts()).toEqual([3, 3]);
    });

    it('finds what lies behind many rows, also in a generation that has just become live', async () => {
      const counting = await store.liveTarget(LIBRARY);
      const writes = Array.from({ length: 20_010 }, (_, n): ProjectedWrite => {
        const id = String(n).padStart(6, '0');
        return {
          collection: LOANS.name,
          id,
          row: { id, branch: 1, state: 'out', reader: 'Ada' } as Loan,
          position: id,
        };
      });
      const checkpoint: Checkpoint = { position: '999999', store: 'store-1', version: 1 };
      await counting.commit(undefined, checkpoint, writes);
      const view = store.view(LIBRARY.name, LOANS);
      const deep = async () =>
        (await view.find({ where: { branch: 1 }, offset: 20_007, limit: 2 })).map(({ id }) => id);
      expect(await deep()).toEqual(['020007', '020008']);
      const fresh = await other.rebuildTarget(LIBRARY);
      await fresh.commit(undefined, checkpoint, writes.slice(1));
      const [found] = await Promise.all([deep(), other.swap(LIBRARY, fresh)]);
      expect([
        ['020007', '020008'],
        ['020008', '020009'],
      ]).toContainEqual(found);
      expect(await deep()).toEqual(['020008', '020009']);
    }, 60_000);

    it('counts nothing once it is closed', async () => {
      await store.rows(TALLIES).countBy(['shop']);
      await store.close();
      await expect(store.rows(TALLIES).countBy(['shop'])).rejects.toMatchObject({
        name: 'DocumentStoreUnavailableError',
      });
    });
  });
}
