import type { FeedSettings } from '@sluice/contracts';

type Texts<Names extends string> = Readonly<Record<Names, string>> & { readonly key: number };
export type ShippingRate = Texts<'country' | 'service' | 'price'>;
export type TaxRate = Texts<'country' | 'rate'>;
export type Category = Texts<'source_category' | 'google_product_category' | 'product_type'>;
/** `account`: offers contain none, so that Google uses the settings of the merchant account. */
export type Mode = 'account' | 'rates';

/** Feed settings in the form: all input is text, and each row has its own key. */
export interface FeedDraft extends Omit<FeedSettings, 'shipping_settings' | 'tax_settings' | 'category_mappings'> {
  readonly shippingMode: Mode;
  readonly shippingRates: readonly ShippingRate[];
  readonly taxMode: Mode;
  readonly pricesIncludeTax: boolean;
  readonly taxRates: readonly TaxRate[];
  readonly categories: readonly Category[];
}

/** The props of a group of fields of the feed settings. */
export interface Part {
  readonly draft: FeedDraft;
  readonly change: (changes: Partial<FeedDraft>) => void;
  /** The first row of a list that has a fault. */
  readonly faultAt: (list: string) => number | undefined;
}

let lastKey = 0;
export const newKey = (): number => (lastKey += 1);

export function feedDraftOf(saved: FeedSettings): FeedDraft {
  const { shipping_settings: shipping, tax_settings: tax, category_mappings: mappings, ...plain } = saved;
  return {
    ...plain,
    shippingMode: shipping?.mode ?? 'account',
    shippingRates: (shipping?.rates ?? []).map((rate) => ({ ...rate, key: newKey() })),
    taxMode: tax?.mode ?? 'account',
    pricesIncludeTax: tax?.prices_include_tax ?? false,
    taxRates: (tax?.rates ?? []).map(({ country, rate }) => ({ country, rate: String(rate), key: newKey() })),
    categories: mappings.map((mapping) => ({
      ...mapping,
      product_type: mapping.product_type ?? '',
      key: newKey(),
    })),
  };
}

export function feedSettingsOf(draft: FeedDraft): FeedSettings {
  const { shippingMode, shippingRates, taxMode, pricesIncludeTax, taxRates, categories, ...plain } = draft;
  return {
    ...plain,
    shipping_settings:
      shippingMode === 'account' && shippingRates.length === 0
        ? null
        : {
            mode: shippingMode,
            rates: shippingRates.map(({ country, service, price }) => ({ country, service, price })),
          },
    tax_settings:
      taxMode === 'account' && taxRates.length === 0 && !pricesIncludeTax
        ? null
        : {
            prices_include_tax: pricesIncludeTax,
            mode: taxMode,
            rates: taxRates.map(({ country, rate }) => ({ country, rate: Number(rate) })),
          },
    category_mappings: categories.map(({ source_category, google_product_category, product_type }) => ({
      source_category,
      google_product_category,
      ...(product_type !== '' && { product_type }),
    })),
  };
}
