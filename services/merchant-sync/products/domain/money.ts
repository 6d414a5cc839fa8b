import type { Price } from './offer';

/** An amount as a whole number of the currency's smallest unit: 1990 of USD are 19.90. */
export interface Money {
  readonly minor: bigint;
  readonly currency: string;
}

/** A sentence for a person: why text is no amount of a currency. */
export class MoneyError extends Error {
  override readonly name = 'MoneyError';
}

/** Decimals of the currencies of ISO 4217 that have not two. */
const EXPONENTS: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const TWO_DECIMALS =
  'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW ' +
  'CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ' +
  'ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV ' +
  'MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD ' +
  'SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG';

const EXPONENT_OF: ReadonlyMap<string, number> = new Map([
  ...TWO_DECIMALS.split(' ').map((currency) => [currency, 2] as const),
  ...Object.entries(EXPONENTS).flatMap(([exponent, currencies]) =>
    currencies.split(' ').map((currency) => [currency, Number(exponent)] as const),
  ),
]);

/** Codes of the currencies of ISO 4217. */
export const CURRENCIES: readonly string[] = [...EXPONENT_OF.keys()];

/** The remote takes amounts as 64-bit integers of millionths. */
const MAX_MICROS = 2n ** 63n - 1n;
const MICRO_DECIMALS = 6;

/** How many decimals the currency has. @throws MoneyError for one that ISO 4217 does not know */
export function exponentOf(currency: string): number {
  const exponent = EXPONENT_OF.get(currency);
  if (exponent === undefined) throw new MoneyError(`"${currency}" is no currency of ISO 4217.`);
  return exponent;
}

/**
 * Reads digits with at most one point between them, for example `19.9`. Decimals beyond the currency's
 * must be zeros: nothing is rounded.
 * @throws MoneyError
 */
export function parseMoney(decimal: string, currency: string): Money {
  const exponent = exponentOf(currency);
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  if (whole === undefined) throw new MoneyError(`"${decimal}" is no decimal number.`);
  const decimals = fraction.replace(/0+$/, '');
  if (decimals.length > exponent) {
    throw new MoneyError(`${decimal} has more decimals than ${currency} has (${exponent}).`);
  }
  const minor = BigInt(whole + decimals.padEnd(exponent, '0'));
  if (minor * 10n ** BigInt(MICRO_DECIMALS - exponent) > MAX_MICROS) {
    throw new MoneyError(`${decimal} ${currency} is more than can be listed.`);
  }
  return { minor, currency };
}

/** Reads an amount as settings and feeds have it, for example `4.99 USD`. @throws MoneyError */
export function parsePrice(text: string): Money {
  const [, decimal, currency] = /^(\S+) ([A-Z]{3})$/.exec(text) ?? [];
  if (decimal === undefined || currency === undefined) {
    throw new MoneyError(`"${text}" is no amount with its currency, for example 4.99 USD.`);
  }
  return parseMoney(decimal, currency);
}

/** With all the decimals of its currency: 1500 of USD are `15.00`, 1500 of JPY `1500`. */
export function priceOf({ minor, currency }: Money): Price {
  const exponent = exponentOf(currency);
  const digits = String(minor).padStart(exponent + 1, '0');
  const at = digits.length - exponent;
  return { value: exponent === 0 ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`, currency };
}

/** As feeds have it, for example `15.00 USD`. */
export function formatPrice({ value, currency }: Price): string {
  return `${value} ${currency}`;
}

/** In millionths, as the remote takes it: `15.00` of USD are `15000000`. @throws MoneyError */
export function amountMicros({ value, currency }: Price): string {
  const { minor } = parseMoney(value, currency);
  return String(minor * 10n ** BigInt(MICRO_DECIMALS - exponentOf(currency)));
}

/** With `percent` of itself added, a decimal number as text; half a smallest unit counts up. */
export function plusPercent({ minor, currency }: Money, percent: string): Money {
  const [whole = '', fraction = ''] = percent.split('.');
  const scale = 100n * 10n ** BigInt(fraction.length);
  const raised = minor * (scale + BigInt(whole + fraction));
  return { minor: (raised * 2n + scale) / (scale * 2n), currency };
}
