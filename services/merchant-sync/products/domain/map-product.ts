import { categorySteps, mappingOf, type ResolvedCategories } from './categories';
import type { FeedSettings } from './feed-settings';
import { cut, lengthOf, oneLine, paragraphs } from './listing-text';
import { MoneyError, parseMoney, parsePrice, plusPercent, priceOf, type Money } from './money';
import type { Exclusion, Offer, OfferAttributes } from './offer';
import type { ShopItem, ShopProduct, ShopVariation } from './product';

/** Part of every sync hash. Raise it whenever the same product would be listed differently. */
export const MAPPER_VERSION = 1;

export interface MappingRules {
  readonly settings: FeedSettings;
  /** Those of the settings. */
  readonly categories: Pick<ResolvedCategories, 'byPath'>;
  /** Of every offer id. */
  readonly prefix: string;
  /** ISO 4217, of items without a currency; undefined when it is not set. */
  readonly storeCurrency: string | undefined;
  /** HTML, entities included, as a reader sees it. */
  readonly toText: (html: string) => string;
}

/** The result of mapping one product: each of its items is in one of the two lists. */
export interface Mapped {
  readonly offers: readonly Offer[];
  readonly exclusions: readonly Exclusion[];
}

/** Google's limits, in characters. */
const MAX_OFFER_ID = 50;
const MAX_TITLE = 150;
const MAX_DESCRIPTION = 5_000;
const MAX_LINK = 2_000;
const MAX_IMAGES = 11;
const MAX_IDENTIFIER = 70;
const MAX_NAME = 100;
const MAX_MATERIAL = 200;
const MAX_PRODUCT_TYPE = 750;
const MAX_PRODUCT_TYPES = 5;

/** Where prices are listed without tax; everywhere else the buyer's price is listed. */
const NET_PRICE_COUNTRIES: ReadonlySet<string> = new Set(['US', 'CA']);

const AVAILABILITY_ORDER = ['in_stock', 'preorder', 'backorder', 'out_of_stock'] as const;

/** An open end of a sale's period, whose interval needs both. */
const FROM_EVER = '2000-01-01T00:00:00Z';
const FOR_EVER = '2099-12-31T23:59:59Z';

/**
 * The one mapper, for every push and for the feed. It returns the offers of a product, or why it is not
 * listed. Pure: the same product and rules always give the same result.
 *
 * A variation takes missing values from its product, except identifiers, because they name one article. With
 * `include_variations` off, a variable product is one offer, with its own page and title, at the price of the
 * variation with the best availability and then the lowest price.
 */
export function createMapper(rules: MappingRules): (product: ShopProduct) => Mapped {
  const { settings } = rules;
  const prepared: Prepared = {
    ...rules,
    ...shippingOf(settings),
    ...taxOf(settings),
  };

  return (product) => {
    const against = reasonsAgainst(product, rules);
    if (against.length > 0) return excluded(product, null, against);
    if (product.type === 'simple') return mapItem(product, null, product, prepared);
    const mapped = product.variations.map((variation) =>
      variation.published
        ? mapItem(product, variation, inherit(product, variation), prepared)
        : excluded(product, variation, ['It is not published.']),
    );
    const all = {
      offers: mapped.flatMap(({ offers }) => offers),
      exclusions: mapped.flatMap(({ exclusions }) => exclusions),
    };
    if (settings.include_variations || all.offers.length === 0) return all;
    return mapItem(product, null, represented(product, all.offers), prepared);
  };
}

interface Prepared extends MappingRules {
  readonly shipping: OfferAttributes['shipping'];
  readonly tax: OfferAttributes['tax'];
  /** To be added to prices. */
  readonly percent: string | undefined;
  readonly faults: readonly string[];
}

function excluded(product: ShopProduct, variation: ShopVariation | null, reasons: readonly string[]): Mapped {
  return { offers: [], exclusions: [{ productId: product.id, variationId: variation?.id ?? null, reasons }] };
}

/** Why nothing of the product is listed, whatever its variations. */
function reasonsAgainst(product: ShopProduct, { toText }: MappingRules): string[] {
  const reasons: string[] = [];
  if (!product.published) reasons.push('It is not published.');
  if (product.hidden) reasons.push('It is hidden from the catalogue.');
  if (product.type === 'external') reasons.push('It is sold elsewhere (an external product).');
  else if (product.type === 'grouped') reasons.push('It groups products that are listed themselves.');
  else if (product.type === 'other') reasons.push('It is neither a simple nor a variable product.');
  else if (product.type === 'variable' && product.variations.length === 0) {
    reasons.push('It is variable and has no variations.');
  }
  if (oneLine(toText(product.title)) === '') reasons.push('It has no title.');
  return reasons;
}

function inherit(product: ShopProduct, variation: ShopVariation): ShopItem {
  const priced = variation.regularPrice === null ? product : variation;
  const { regularPrice, salePrice, saleFrom, saleTo } = priced;
  const own = new Set(variation.attributes.map(({ name }) => nameKey(name)));
  const shared = variation.gtin === product.gtin && product.variations.length > 1;
  return {
    ...{ regularPrice, salePrice, saleFrom, saleTo },
    sku: variation.sku ?? product.sku,
    description: variation.description.trim() === '' ? product.description : variation.description,
    link: variation.link === '' ? product.link : variation.link,
    images: variation.images.length > 0 ? variation.images : product.images,
    currency: variation.currency ?? product.currency,
    availability: variation.availability,
    availableOn: variation.availableOn ?? product.availableOn,
    brand: variation.brand ?? product.brand,
    gtin: shared ? null : variation.gtin,
    mpn: variation.mpn,
    condition: variation.condition ?? product.condition,
    attributes: [...variation.attributes, ...product.attributes.filter(({ name }) => !own.has(nameKey(name)))],
    shippingClass: variation.shippingClass ?? product.shippingClass,
    weight: variation.weight ?? product.weight,
  };
}

/** A variable product as one item, on behalf of its listable variations. */
function represented(product: ShopProduct, offers: readonly Offer[]): ShopItem {
  const best = [...offers].sort((a, b) => order(a) - order(b) || Number(amountNow(a) - amountNow(b)))[0];
  const variation = product.variations.find(({ id }) => id === best?.variationId);
  if (variation === undefined) return product;
  const { regularPrice, salePrice, saleFrom, saleTo, currency, availability, availableOn, link, images } = inherit(
    product,
    variation,
  );
  return {
    ...product,
    ...{ regularPrice, salePrice, saleFrom, saleTo, currency, availability, availableOn },
    link: product.link === '' ? link : product.link,
    images: product.images.length > 0 ? product.images : images,
  };
}

function order({ attributes: { availability } }: Offer): number {
  return AVAILABILITY_ORDER.indexOf(availability);
}

/** What it costs whenever it is bought: a sale of some period is not counted on. */
function amountNow({ attributes: { price, salePrice, salePriceEffectiveDate } }: Offer): bigint {
  const { value, currency } = salePriceEffectiveDate === undefined ? (salePrice ?? price) : price;
  return parseMoney(value, currency).minor;
}

function mapItem(product: ShopProduct, variation: ShopVariation | null, item: ShopItem, rules: Prepared): Mapped {
  const { settings, toText } = rules;
  const reasons = [...rules.faults];
  const offerId = `${rules.prefix}_${variation?.id ?? product.id}`;
  if (lengthOf(offerId) > MAX_OFFER_ID || /[\s\p{C}]/u.test(offerId)) {
    reasons.push(`Its offer id "${oneLine(offerId)}" has spaces or more than ${MAX_OFFER_ID} characters.`);
  }
  const itemGroupId = variation === null ? undefined : `${rules.prefix}_${product.id}`;
  if (itemGroupId !== undefined && lengthOf(itemGroupId) > MAX_OFFER_ID) {
    reasons.push(`Its group "${oneLine(itemGroupId)}" has more than ${MAX_OFFER_ID} characters.`);
  }
  const link = webAddress(item.link);
  if (link === undefined) reasons.push('It has no link: an absolute http or https address of its page.');
  const [imageLink, ...moreImages] = [...new Set(item.images.flatMap((image) => webAddress(image) ?? []))];
  if (imageLink === undefined) reasons.push('It has no image.');
  const stock = stockOf(item);
  if (stock.availability === 'out_of_stock' && !settings.include_out_of_stock) {
    reasons.push('It is out of stock, and include_out_of_stock is off.');
  }
  const prices = pricesOf(item, rules, reasons);
  if (reasons.length > 0 || prices === undefined || link === undefined || imageLink === undefined) {
    return excluded(product, variation, reasons);
  }

  const title = titleOf(product, variation, toText);
  const gtin = gtinOf(item.gtin);
  const attributes: OfferAttributes = {
    title,
    description: cut(descriptionOf(product, item, toText) || title, MAX_DESCRIPTION),
    ...{ link, imageLink },
    ...(moreImages.length > 0 && { additionalImageLinks: moreImages.slice(0, MAX_IMAGES - 1) }),
    ...prices,
    ...stock,
    condition: item.condition ?? 'new',
    ...lineOf('brand', item.brand, MAX_IDENTIFIER, toText),
    ...(gtin !== undefined && { gtin }),
    ...lineOf('mpn', item.mpn, MAX_IDENTIFIER, toText),
    ...(itemGroupId !== undefined && { itemGroupId }),
    ...categoriesOf(product, rules),
    ...traitsOf(item, toText),
    ...(rules.shipping !== undefined && { shipping: rules.shipping }),
    ...lineOf('shippingLabel', item.shippingClass, MAX_NAME, toText),
    ...(item.weight !== null && /^\d+(\.\d+)? (g|kg|oz|lb)$/.test(item.weight) && { shippingWeight: item.weight }),
    ...(rules.tax !== undefined && { tax: rules.tax }),
  };
  const offer: Offer = {
    ...{ offerId, productId: product.id, variationId: variation?.id ?? null },
    targetCountry: settings.target_country,
    contentLanguage: settings.content_language,
    channel: settings.channel,
    attributes,
  };
  return { offers: [offer], exclusions: [] };
}

/** The first that says anything; empty: none does. */
function descriptionOf(product: ShopProduct, item: ShopItem, toText: MappingRules['toText']): string {
  for (const html of [item.description, product.description, product.shortDescription]) {
    const text = paragraphs(toText(html));
    if (text !== '') return text;
  }
  return '';
}

/** A variation's title ends in the values that distinguish it from its siblings, for example `Shirt - Red, M`. */
function titleOf(product: ShopProduct, variation: ShopVariation | null, toText: MappingRules['toText']): string {
  const title = oneLine(toText(product.title));
  const values = variation?.attributes.map(({ value }) => oneLine(toText(value))).filter((value) => value !== '') ?? [];
  if (values.length === 0) return cut(title, MAX_TITLE);
  const suffix = ` - ${cut(values.join(', '), MAX_TITLE / 2)}`;
  return cut(title, MAX_TITLE - lengthOf(suffix)) + suffix;
}

type Prices = Pick<OfferAttributes, 'price' | 'salePrice' | 'salePriceEffectiveDate'>;

/** Undefined: a reason was added. */
function pricesOf(item: ShopItem, { storeCurrency, percent }: Prepared, reasons: string[]): Prices | undefined {
  const currency = item.currency ?? storeCurrency;
  if (currency === undefined) {
    reasons.push('It has no currency, and STORE_CURRENCY is not set.');
  } else if (storeCurrency !== undefined && currency !== storeCurrency) {
    reasons.push(`Its prices are in ${currency}, those of the shop in ${storeCurrency} (STORE_CURRENCY).`);
  } else if (item.regularPrice === null) {
    reasons.push('It has no price.');
  } else {
    try {
      const regular = parseMoney(item.regularPrice, currency);
      const sale = item.salePrice === null ? undefined : parseMoney(item.salePrice, currency);
      if (regular.minor === 0n || sale?.minor === 0n) {
        reasons.push('Its price is 0.');
        return undefined;
      }
      const listed = (money: Money) => priceOf(percent === undefined ? money : plusPercent(money, percent));
      const price = listed(regular);
      if (sale === undefined || sale.minor >= regular.minor) return { price };
      const period = periodOf(item);
      if (period === 'never') return { price };
      return { price, salePrice: listed(sale), ...(period !== 'ever' && { salePriceEffectiveDate: period }) };
    } catch (error) {
      if (!(error instanceof MoneyError)) throw error;
      reasons.push(`Its price can not be read: ${error.message}`);
    }
  }
  return undefined;
}

/** @throws MoneyError when the period of the sale can't be read */
function periodOf({ saleFrom, saleTo }: ShopItem): string {
  if (saleFrom === null && saleTo === null) return 'ever';
  const [from, to] = [saleFrom ?? FROM_EVER, saleTo ?? FOR_EVER].map(instant);
  if (from === undefined || to === undefined) {
    throw new MoneyError(`its sale is from "${saleFrom ?? ''}" to "${saleTo ?? ''}", which are no ISO 8601 times.`);
  }
  return from < to ? `${from}/${to}` : 'never';
}

/** Preorder and backorder need a date; without one the item counts as out of stock. */
function stockOf(item: ShopItem): Pick<OfferAttributes, 'availability' | 'availabilityDate'> {
  const { availability } = item;
  if (availability === 'in_stock' || availability === 'out_of_stock') return { availability };
  const availabilityDate = item.availableOn === null ? undefined : instant(item.availableOn);
  return availabilityDate === undefined ? { availability: 'out_of_stock' } : { availability, availabilityDate };
}

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;

/** In UTC, to the second. */
function instant(text: string): string | undefined {
  const time = ISO_8601.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : `${new Date(time).toISOString().slice(0, 19)}Z`;
}

function webAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href.length > MAX_LINK) return undefined;
  return url.href;
}

/** A GTIN of 8, 12, 13 or 14 digits with a valid check digit (GS1). An invalid one is neither sent nor corrected. */
function gtinOf(text: string | null): string | undefined {
  const digits = text?.replace(/[\s-]/g, '') ?? '';
  if (!/^(\d{8}|\d{12,14})$/.test(digits) || /^0+$/.test(digits)) return undefined;
  const sum = Array.from(digits, Number)
    .reverse()
    .reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0 ? digits : undefined;
}

function lineOf<Member extends string>(
  member: Member,
  html: string | null,
  max: number,
  toText: MappingRules['toText'],
): { readonly [Name in Member]?: string } {
  const text = html === null ? '' : cut(oneLine(toText(html)), max);
  return (text === '' ? {} : { [member]: text }) as { readonly [Name in Member]?: string };
}

/** Product types are the shop's own paths, else what the mapping of the deepest category says. */
function categoriesOf(
  { categories }: ShopProduct,
  { categories: mappings, toText }: Prepared,
): Pick<OfferAttributes, 'googleProductCategory' | 'productTypes'> {
  const paths = categories.map((path) => categorySteps(toText(path)));
  const mapping = mappingOf(paths, mappings);
  const own = paths.map((path) => path.join(' > ')).filter((path) => path !== '');
  const productTypes = (mapping?.product_type === undefined ? own : [mapping.product_type])
    .slice(0, MAX_PRODUCT_TYPES)
    .map((path) => cut(oneLine(path), MAX_PRODUCT_TYPE));
  return {
    ...(mapping !== undefined && { googleProductCategory: oneLine(mapping.google_product_category) }),
    ...(productTypes.length > 0 && { productTypes }),
  };
}

function nameKey(name: string): string {
  return name
    .toLowerCase()
    .replace(/^pa_/, '')
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

const GENDERS: Readonly<Record<string, NonNullable<OfferAttributes['gender']>>> = {
  ...{ male: 'male', men: 'male', man: 'male', "men's": 'male', boys: 'male' },
  ...{ female: 'female', women: 'female', woman: 'female', "women's": 'female', girls: 'female' },
  unisex: 'unisex',
};
const AGE_GROUPS: ReadonlySet<string> = new Set(['newborn', 'infant', 'toddler', 'kids', 'adult']);

/** Traits that Google supports, from attributes of these names. A trait with a single value is left out when there are several. */
function traitsOf(
  { attributes }: ShopItem,
  toText: MappingRules['toText'],
): Pick<OfferAttributes, 'color' | 'size' | 'material' | 'pattern' | 'gender' | 'ageGroup'> {
  const values = (...names: string[]) =>
    attributes
      .filter(({ name }) => names.includes(nameKey(name)))
      .map(({ value }) => oneLine(toText(value)))
      .filter((value) => value !== '');
  const several = (found: readonly string[], max: number) => cut(found.slice(0, 3).join('/'), max);
  const single = (found: readonly string[]) => (found.length === 1 ? (found[0] ?? '') : '');
  const [color, material] = [several(values('color', 'colour'), MAX_NAME), several(values('material'), MAX_MATERIAL)];
  const [size, pattern] = [cut(single(values('size')), MAX_NAME), cut(single(values('pattern')), MAX_NAME)];
  const gender = GENDERS[single(values('gender')).toLowerCase()];
  const ageGroup = single(values('age group')).toLowerCase();
  return {
    ...(color !== '' && { color }),
    ...(size !== '' && { size }),
    ...(material !== '' && { material }),
    ...(pattern !== '' && { pattern }),
    ...(gender !== undefined && { gender }),
    ...(AGE_GROUPS.has(ageGroup) && { ageGroup }),
  };
}

function shippingOf({ shipping_settings: settings }: FeedSettings): Pick<Prepared, 'shipping' | 'faults'> {
  if (settings?.mode !== 'rates') return { shipping: undefined, faults: [] };
  try {
    const shipping = settings.rates.map(({ country, service, price }) => ({
      ...{ country, service: oneLine(service) },
      price: priceOf(parsePrice(price)),
    }));
    return { shipping, faults: [] };
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error;
    return { shipping: undefined, faults: [`A rate of shipping_settings can not be read: ${error.message}`] };
  }
}

/**
 * Only in the mode `rates`, and for prices without tax. Where prices are listed without tax, the offer has the
 * rates; elsewhere the rate of the target country is added to the price.
 */
function taxOf({ tax_settings: settings, target_country }: FeedSettings): Pick<Prepared, 'tax' | 'percent'> {
  if (settings?.mode !== 'rates' || settings.prices_include_tax) return { tax: undefined, percent: undefined };
  const rates = settings.rates.map(({ country, rate }) => ({ country, rate: decimal(rate) }));
  if (NET_PRICE_COUNTRIES.has(target_country)) return { tax: rates, percent: undefined };
  return { tax: undefined, percent: rates.find(({ country }) => country === target_country)?.rate };
}

/** Without an exponent, and without needless zeros. */
function decimal(percent: number): string {
  return percent.toFixed(4).replace(/\.?0+$/, '');
}
