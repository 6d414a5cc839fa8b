import { SeenIds } from './seen-ids';

describe('the ids that a run has seen', () => {
  const id = (n: number) => `svc_${n}~US~en~online`;

  it('are those that were added, each counted once, however many there are', () => {
    const seen = new SeenIds();
    const all = Array.from({ length: 20_000 }, (_, n) => n);
    const even = all.filter((n) => n % 2 === 0);
    expect(even.filter((n) => !seen.add(id(n)))).toEqual([]);
    expect(even.filter((n) => seen.add(id(n)))).toEqual([]);
    expect(seen.size).toBe(10_000);
    expect(all.filter((n) => seen.has(id(n)) !== (n % 2 === 0))).toEqual([]);
  });

  it('are none at first', () => {
    expect(new SeenIds().has('')).toBe(false);
    expect(new SeenIds().size).toBe(0);
  });
});
