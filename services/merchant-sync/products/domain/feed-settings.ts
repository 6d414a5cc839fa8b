import { MoneyError, parsePrice } from './money';

/** The settings of the generated feed and of every push. Members have the names of the API. */
export interface FeedSettings {
  /** ISO 3166-1. */
  readonly target_country: string;
  /** ISO 639-1. */
  readonly content_language: string;
  readonly channel: 'online' | 'local';
  readonly include_variations: boolean;
  readonly include_out_of_stock: boolean;
  readonly shipping_settings: ShippingSettings | null;
  readonly tax_settings: TaxSettings | null;
  readonly category_mappings: readonly CategoryMapping[];
}

/** `account`: as the merchant account says; the rates count in the mode `rates` alone. */
export type RateMode = 'account' | 'rates';

export interface ShippingSettings {
  readonly mode: RateMode;
  /** `price` reads `4.99 USD`. */
  readonly rates: readonly { readonly country: string; readonly service: string; readonly price: string }[];
}

export interface TaxSettings {
  readonly prices_include_tax: boolean;
  readonly mode: RateMode;
  /** `rate` is a percentage. */
  readonly rates: readonly { readonly country: string; readonly rate: number }[];
}

export interface CategoryMapping {
  readonly source_category: string;
  readonly google_product_category: string;
  readonly product_type?: string | undefined;
}

export const DEFAULT_FEED_SETTINGS: FeedSettings = {
  target_country: 'US',
  content_language: 'en',
  channel: 'online',
  include_variations: true,
  include_out_of_stock: false,
  shipping_settings: null,
  tax_settings: null,
  category_mappings: [],
};

const PRICE = /^(0|[1-9]\d{0,8})(\.\d{1,3})? [A-Z]{3}$/;

/** What is wrong with settings, as messages by field; none when they can be kept. */
export function feedSettingsFaults(settings: {
  readonly [Member in keyof FeedSettings]?: FeedSettings[Member] | undefined;
}): Readonly<Record<string, readonly string[]>> {
  const { shipping_settings: shipping, tax_settings: tax, category_mappings: mappings } = settings;
  const faults: Record<string, string[]> = {};
  const fault = (field: string, message: string) => (faults[field] ??= []).push(message);

  for (const [member, rated] of [
    ['shipping_settings', shipping],
    ['tax_settings', tax],
  ] as const) {
    if (rated?.mode === 'rates' && rated.rates.length === 0) {
      fault(`${member}.rates`, 'The mode rates needs at least one rate.');
    }
  }
  for (const [index, { price }] of shipping?.rates.entries() ?? []) {
    const wrong = priceFault(price);
    if (wrong !== undefined) fault(`shipping_settings.rates.${index}.price`, wrong);
  }
  for (const index of repeats(shipping?.rates.map(({ country, service }) => `${country} ${service}`))) {
    fault(`shipping_settings.rates.${index}.service`, 'This country has a rate for this service already.');
  }
  for (const index of repeats(tax?.rates.map(({ country }) => country))) {
    fault(`tax_settings.rates.${index}.country`, 'This country has a rate already.');
  }
  for (const index of repeats(mappings?.map((mapping) => mapping.source_category))) {
    fault(`category_mappings.${index}.source_category`, 'This category is mapped already.');
  }
  return faults;
}

function priceFault(price: string): string | undefined {
  if (!PRICE.test(price)) return 'The price must be an amount and a currency, for example 4.99 USD.';
  try {
    parsePrice(price);
    return undefined;
  } catch (error) {
    if (error instanceof MoneyError) return error.message;
    throw error;
  }
}

/** The indexes of values that occurred earlier in the list. */
function repeats(values: readonly string[] = []): number[] {
  const seen = new Set<string>();
  const repeated: number[] = [];
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) repeated.push(index);
    seen.add(value);
  }
  return repeated;
}
