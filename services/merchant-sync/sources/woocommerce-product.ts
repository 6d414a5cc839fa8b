import { z } from 'zod';
import type { ShopItem, ShopProduct } from '../products/domain/product';

// Responses of wc/v3. A field that a plugin omits or empties counts as missing; a number in place of a text is accepted.
// A field that a listing does not need also counts as missing when it has another type: `optionalText`, `optionalList`.

const text = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .transform((given) => given?.toString() ?? '');
const optionalText = text.catch('');
const optionalList = <Item extends z.ZodType>(item: Item) => z.array(item).catch([]);
const image = z.object({ src: text });
const itemShape = {
  id: z.int().min(1),
  permalink: text,
  status: text,
  description: optionalText,
  sku: optionalText,
  global_unique_id: optionalText,
  regular_price: text,
  sale_price: text,
  date_on_sale_from_gmt: text,
  date_on_sale_to_gmt: text,
  stock_status: text,
  weight: optionalText,
  shipping_class: optionalText,
};

export const variationSchema = z.object({
  ...itemShape,
  image: z.union([image, z.array(z.never())]).nullish(),
  attributes: optionalList(z.object({ name: text, option: text })),
});

export const productSchema = z.object({
  ...itemShape,
  name: text,
  type: text,
  catalog_visibility: text,
  short_description: optionalText,
  categories: optionalList(z.object({ id: z.int(), name: optionalText })),
  brands: optionalList(z.object({ name: text })),
  images: z
    .array(image)
    .nullish()
    .transform((given) => given ?? []),
  attributes: optionalList(
    z.object({ name: text, variation: z.boolean().default(false), options: optionalList(text) }),
  ),
  /** Ids. Undefined: the shop does not say. */
  variations: z.array(z.int()).optional().catch(undefined),
});
export type WooProduct = z.output<typeof productSchema>;
type WooVariation = z.output<typeof variationSchema>;

export const categorySchema = z.object({ id: z.int().min(1), name: optionalText, parent: z.int().catch(0) });
export const settingSchema = z.object({ value: text });
export const currencySchema = z.object({ code: text });

export interface ShopFacts {
  /** As WooCommerce says it; undefined: it does not say. */
  readonly weightUnit: string | undefined;
  readonly currency: string | undefined;
  readonly categories: ReadonlyMap<number, z.output<typeof categorySchema>>;
}

const TYPES: ReadonlySet<string> = new Set(['simple', 'variable', 'grouped', 'external']);
const AVAILABILITY: Readonly<Record<string, ShopItem['availability']>> = {
  instock: 'in_stock',
  onbackorder: 'backorder',
};
const WEIGHT_UNITS: Readonly<Record<string, string>> = { kg: 'kg', g: 'g', lbs: 'lb', oz: 'oz' };

export function productOf(product: WooProduct, variations: readonly WooVariation[], facts: ShopFacts): ShopProduct {
  const { id, name, type, status, catalog_visibility, short_description, categories, brands, images, attributes } =
    product;
  const fixed = attributes
    .filter(({ variation }) => !variation || type !== 'variable')
    .flatMap(({ name: attribute, options }) => options.map((value) => ({ name: attribute, value })));
  const valueOf = (attribute: string) => fixed.find(({ name: given }) => given.toLowerCase() === attribute)?.value;
  return {
    ...itemOf(product, facts),
    id: String(id),
    type: TYPES.has(type) ? (type as ShopProduct['type']) : 'other',
    published: status === 'publish',
    hidden: catalog_visibility === 'hidden',
    title: name,
    shortDescription: short_description,
    categories: categories.map((category) => pathOf(category, facts)),
    images: images.map(({ src }) => src),
    brand: orNull(brands[0]?.name ?? valueOf('brand') ?? ''),
    mpn: orNull(valueOf('mpn') ?? ''),
    attributes: fixed,
    variations: variations.map((variation) => ({
      ...itemOf(variation, facts),
      id: String(variation.id),
      published: variation.status === 'publish',
      images:
        variation.image === undefined || variation.image === null || Array.isArray(variation.image)
          ? []
          : [variation.image.src],
      attributes: variation.attributes
        .filter(({ option }) => option !== '')
        .map(({ name: attribute, option }) => ({ name: attribute, value: option })),
    })),
  };
}

function itemOf(item: WooProduct | WooVariation, { weightUnit, currency }: ShopFacts): ShopItem {
  const unit = WEIGHT_UNITS[weightUnit ?? ''];
  return {
    sku: orNull(item.sku),
    description: item.description,
    link: item.permalink,
    images: [],
    regularPrice: priceOf(item.regular_price),
    salePrice: priceOf(item.sale_price),
    saleFrom: utc(item.date_on_sale_from_gmt),
    saleTo: utc(item.date_on_sale_to_gmt),
    currency: orNull(currency ?? ''),
    availability: AVAILABILITY[item.stock_status] ?? 'out_of_stock',
    // WooCommerce has no date for products on backorder.
    availableOn: null,
    brand: null,
    gtin: orNull(item.global_unique_id),
    mpn: null,
    condition: null,
    attributes: [],
    shippingClass: orNull(item.shipping_class),
    weight: item.weight === '' || unit === undefined ? null : `${item.weight} ${unit}`,
  };
}

function orNull(given: string): string | null {
  return given.trim() === '' ? null : given.trim();
}

/** The shop returns the input as it was entered, `.5` as well. */
function priceOf(given: string): string | null {
  const price = orNull(given);
  return price?.startsWith('.') === true ? `0${price}` : price;
}

/** Times of the fields in GMT come without an offset. */
function utc(given: string): string | null {
  const time = orNull(given);
  return time === null || /(Z|[+-]\d{2}:?\d{2})$/.test(time) ? time : `${time}Z`;
}

/** From the root on; a category that the shop does not have keeps its own name. */
export function pathOf(
  category: { readonly id: number; readonly name: string },
  { categories }: Pick<ShopFacts, 'categories'>,
): string {
  const steps: string[] = [];
  const passed = new Set<number>();
  for (let id = category.id; ;) {
    const known = categories.get(id);
    if (known === undefined || passed.has(id)) break;
    passed.add(id);
    steps.unshift(known.name);
    id = known.parent;
  }
  return steps.length === 0 ? category.name : steps.join(' > ');
}
