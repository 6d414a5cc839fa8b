import type { DocumentStoreFixture } from './document-store.contract';
import type { Collection, DocumentStore, Row } from './port';

interface Tally extends Row {
  readonly shop: string;
  readonly day: number;
  readonly sold?: number;
  readonly returned?: number;
}

const TALLIES: Collection<Tally> = { name: 'tallies', indexes: [{ fields: ['shop', 'day'] }] };

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
      expect(await tallies.countBy(['day'], { day: { gte: 5 } })).toEqual([]);
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

    it('counts nothing once it is closed', async () => {
      await store.rows(TALLIES).countBy(['shop']);
      await store.close();
      await expect(store.rows(TALLIES).countBy(['shop'])).rejects.toMatchObject({
        name: 'DocumentStoreUnavailableError',
      });
    });
  });
}
