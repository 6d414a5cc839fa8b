import { ticksUpTo } from './ticks';

describe('the ticks of an axis', () => {
  it.each([
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [5, [0, 1, 2, 3, 4, 5]],
    [6, [0, 2, 4, 6]],
    [40, [0, 10, 20, 30, 40]],
    [41, [0, 10, 20, 30, 40, 50]],
    [99, [0, 20, 40, 60, 80, 100]],
    [1_234_567, [0, 500_000, 1_000_000, 1_500_000]],
  ])('are whole round numbers up to at least %d', (most, ticks) => {
    expect(ticksUpTo(most, 5)).toEqual(ticks);
  });
});
