import { toggled } from './toggled';

describe('toggled', () => {
  it('adds an item, and removes it, without a change of the set itself', () => {
    const set: ReadonlySet<number> = new Set([1, 2]);
    expect([...toggled(set, 3, true)]).toEqual([1, 2, 3]);
    expect([...toggled(set, 2, true)]).toEqual([1, 2]);
    expect([...toggled(set, 2, false)]).toEqual([1]);
    expect([...set]).toEqual([1, 2]);
  });
});
