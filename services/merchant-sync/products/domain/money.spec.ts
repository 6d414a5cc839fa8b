import fc from 'fast-check';
import {
  amountMicros,
  CURRENCIES,
  exponentOf,
  formatPrice,
  MoneyError,
  parseMoney,
  parsePrice,
  plusPercent,
  priceOf,
} from './money';

const currency = fc.constantFrom(...CURRENCIES);
const minor = fc.bigInt({ min: 0n, max: 10n ** 11n });

describe('amounts', () => {
  it('have as many decimals as ISO 4217 gives their currency', () => {
    const decimals = ['USD', 'EUR', 'JPY', 'KRW', 'KWD', 'TND', 'CLF', 'UYW', 'HUF', 'IDR', 'ISK'].map(exponentOf);
    expect(decimals).toEqual([2, 2, 0, 0, 3, 3, 4, 4, 2, 2, 0]);
    expect(['AED', 'CNY', 'ILS', 'MYR', 'SSP'].map(exponentOf)).toEqual([2, 2, 2, 2, 2]);
    expect(CURRENCIES.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
    expect(new Set(CURRENCIES).size).toBe(CURRENCIES.length);
  });

  it.each([
    ['15', 'USD', '15.00 USD', '15000000'],
    ['9.99', 'USD', '9.99 USD', '9990000'],
    ['0.1', 'EUR', '0.10 EUR', '100000'],
    ['19.9000', 'EUR', '19.90 EUR', '19900000'],
    ['1500', 'JPY', '1500 JPY', '1500000000'],
    ['1500.00', 'JPY', '1500 JPY', '1500000000'],
    ['1.5', 'KWD', '1.500 KWD', '1500000'],
    ['0.0001', 'CLF', '0.0001 CLF', '100'],
    ['007', 'USD', '7.00 USD', '7000000'],
    ['0.29', 'USD', '0.29 USD', '290000'],
  ])('are read and written exactly: %s %s', (text, code, written, micros) => {
    const price = priceOf(parseMoney(text, code));
    expect(formatPrice(price)).toBe(written);
    expect(amountMicros(price)).toBe(micros);
  });

  it('of every currency come back as they were written', () => {
    fc.assert(
      fc.property(minor, currency, (amount, code) => {
        const price = priceOf({ minor: amount, currency: code });
        expect(parseMoney(price.value, code)).toEqual({ minor: amount, currency: code });
        expect(parsePrice(formatPrice(price))).toEqual({ minor: amount, currency: code });
        expect(BigInt(amountMicros(price)) * 10n ** BigInt(exponentOf(code))).toBe(amount * 1_000_000n);
      }),
    );
  });

  it.each([
    ['', 'USD'],
    ['.99', 'USD'],
    ['1.', 'USD'],
    ['1,99', 'USD'],
    ['1.999', 'USD'],
    ['1.5', 'JPY'],
    ['-1', 'USD'],
    ['+1', 'USD'],
    ['1e3', 'USD'],
    ['Infinity', 'USD'],
    ['1 000', 'USD'],
    ['١', 'USD'],
    ['1\n', 'USD'],
    ['9223372036855', 'USD'],
    ['1', 'usd'],
    ['1', 'XXX'],
    ['1', ''],
  ])('refuse "%s" of "%s"', (text, code) => {
    expect(() => parseMoney(text, code)).toThrow(MoneyError);
  });

  it.each([
    ['1,99', 'USD', '1,99'],
    ['1.5', 'JPY', '1.5'],
    ['9223372036855', 'USD', '9223372036855'],
    ['1', 'XXX', 'XXX'],
  ])('name the value that is rejected: %s %s', (text, code, named) => {
    const rejected = { name: 'MoneyError', message: expect.stringContaining(named) as string };
    expect(() => parseMoney(text, code)).toThrow(expect.objectContaining(rejected) as Error);
  });

  it.each(['', '4.99', '4.99 usd', 'about 4.99 USD', '4.99 USD each'])('reject the price "%s"', (text) => {
    expect(() => parsePrice(text)).toThrow(MoneyError);
    expect(() => parsePrice(text)).toThrow(`"${text}"`);
    expect(() => parsePrice(text)).toThrow('4.99 USD');
  });

  it('never take other text for a number', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/^\d+(\.\d+)?$/.test(text));
        expect(() => parseMoney(text, 'USD')).toThrow(MoneyError);
      }),
    );
  });

  it.each([
    ['100.00', 'EUR', '19', '119.00'],
    ['16.80', 'EUR', '19', '19.99'],
    ['0.50', 'EUR', '5', '0.53'],
    ['0.10', 'EUR', '5', '0.11'],
    ['99', 'JPY', '10', '109'],
    ['100.00', 'CHF', '8.1', '108.10'],
    ['100.00', 'EUR', '0', '100.00'],
  ])('%s %s with %s percent added are %s', (text, code, percent, sum) => {
    expect(priceOf(plusPercent(parseMoney(text, code), percent)).value).toBe(sum);
  });

  it('with a percentage added differ from the exact sum by at most half of the smallest unit', () => {
    fc.assert(
      fc.property(minor, fc.integer({ min: 0, max: 10_000 }), (amount, hundredths) => {
        const percent = `${Math.trunc(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`;
        const sum = plusPercent({ minor: amount, currency: 'EUR' }, percent).minor;
        const exact = amount * (10_000n + BigInt(hundredths));
        const apart = 2n * (sum * 10_000n - exact);
        expect(apart > -10_000n && apart <= 10_000n).toBe(true);
      }),
    );
  });
});
