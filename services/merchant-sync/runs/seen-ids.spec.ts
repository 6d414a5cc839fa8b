import { SeenIds } from './seen-ids';

describe('the ids that a run has seen', () => {
  const id = (n: number) => `svc_${n}~US~en~online`;

  it('are those that were added, each counted once, however many there are', () => {
    const seen = new SeenIds();
    for (let n = 0; n < 20_000; n += 2) expect(seen.add(id(n))).toBe(true);
    for (let n = 0; n < 20_000; n += 4) expect(seen.add(id(n))).toBe(false);
    expect(seen.size).toBe(10_000);
    const wrong = Array.from({ length: 20_000 }, (_, n) => n).filter((n) => seen.has(id(n)) !== (n % 2 === 0));
    expect(wrong).toEqual([]);
  });

  it('are none at first', () => {
    expect(new SeenIds().has('')).toBe(false);
    expect(new SeenIds().size).toBe(0);
  });
});
