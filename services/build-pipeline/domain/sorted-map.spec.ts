import fc from 'fast-check';
import { SortedMap } from './sorted-map';

const changes = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 40 }), fc.integer()), { maxLength: 200 });

describe('SortedMap', () => {
  it('holds what a Map would hold, and leaves every earlier version as it was', () => {
    fc.assert(
      fc.property(changes, (steps) => {
        const model = new Map<number, number>();
        let map = new SortedMap<number, number>();
        for (const [adds, key, value] of steps) {
          const before = map;
          const held = [...model];
          if (adds) model.set(key, value);
          else model.delete(key);
          map = adds ? map.set(key, value) : map.delete(key);
          for (const [heldKey, heldValue] of held) expect(before.get(heldKey)).toBe(heldValue);
          for (let each = 0; each <= 40; each += 1) expect(map.get(each)).toBe(model.get(each));
          expect(map.last()).toBe(model.size === 0 ? undefined : model.get(Math.max(...model.keys())));
        }
      }),
      { numRuns: 50 },
    );
  });
});
