import * as fc from 'fast-check';
import { collect, parseDuration, wholeNumber } from './arguments';

describe('a duration', () => {
  it.each([
    ['1s', 1_000],
    ['90s', 90_000],
    ['15m', 900_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
  ])('%s is %d ms', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

  it.each(['', '0s', '12', 'h', '-1h', '1.5h', '1 h', '12H', '1w', '1h30m', '99999999999d', '12h '])(
    'rejects %j',
    (text) => expect(() => parseDuration(text)).toThrow(/90s, 15m, 12h or 30d/),
  );

  it('grows with its amount, and its units are multiples', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (amount) => {
        expect(parseDuration(`${amount + 1}d`)).toBeGreaterThan(parseDuration(`${amount}d`));
        expect(parseDuration(`${amount * 60}s`)).toBe(parseDuration(`${amount}m`));
        expect(parseDuration(`${amount * 60}m`)).toBe(parseDuration(`${amount}h`));
        expect(parseDuration(`${amount * 24}h`)).toBe(parseDuration(`${amount}d`));
      }),
    );
  });
});

it('takes whole numbers between the bounds, both included', () => {
  const percent = wholeNumber(1, 100);
  expect(['1', '42', '100'].map(percent)).toEqual([1, 42, 100]);
  for (const text of ['0', '101', '1.0', '-1', '1e1', '', ' 1', '0x1'])
    expect(() => percent(text)).toThrow('from 1 to 100');
});

it('gathers repeated options in order', () => {
  expect(collect('b', collect('a'))).toEqual(['a', 'b']);
});
