import fc from 'fast-check';
import { SortedMap } from './sorted-map';

const KEYS = Array.from({ length: 24 }, (_, key) => key);

const changes = fc.array(fc.tuple(fc.boolean(), fc.constantFrom(...KEYS), fc.nat()), { maxLength: 80, size: 'max' });

const contents = (map: { get(key: number): number | undefined }) => KEYS.map((key) => map.get(key));

describe('SortedMap', () => {
  it('holds what a Map would hold, and leaves every earlier version as it was', () => {
    fc.assert(
      fc.property(changes, (steps) => {
        const model = new Map<number, number>();
        let map = new SortedMap<number, number>();
        for (const [adds, key, value] of steps) {
          const before = map;
          const held = contents(model);
          if (adds) model.set(key, value);
          else model.delete(key);
          map = adds ? map.set(key, value) : map.delete(key);
          expect([contents(before), contents(map), map.last()]).toEqual([
            held,
            contents(model),
            model.get(Math.max(...model.keys())),
          ]);
          const ascending = [...model].sort(([a], [b]) => a - b).map(([, held]) => held);
          expect([[...map.values()], map.size]).toEqual([ascending, model.size]);
        }
      }),
      { numRuns: 50 },
    );
  });
});
