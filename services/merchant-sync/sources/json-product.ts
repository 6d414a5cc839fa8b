import { z } from 'zod';
import type { ShopItem, ShopProduct } from '../products/domain/product';
import { Misfit, SourceError } from './product-source';

/** An offer's is shorter. */
const MAX_ID = 255;
const id = z.union([z.string().min(1).max(MAX_ID), z.int().min(0).transform(String)]);
const orElse = <Schema extends z.ZodType, Fallback>(schema: Schema, fallback: Fallback) =>
  schema.nullish().transform((given) => given ?? fallback);
const text = orElse(z.string(), '');
const orNull = z
  .string()
  .nullish()
  .transform((given) => given?.trim() || null);
const money = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .transform((given) => given?.toString().trim() || null);
const list = orElse(z.array(z.string()), []);

// What a listing can do without counts as not there where it is of another type; the rest has to be right.
const itemShape = {
  id,
  published: orElse(z.boolean(), true),
  sku: orNull.catch(null),
  description: text.catch(''),
  link: text,
  images: list,
  price: money,
  sale_price: money,
  sale_from: orNull,
  sale_to: orNull,
  currency: orNull,
  availability: orElse(z.enum(['in_stock', 'out_of_stock', 'backorder', 'preorder']), 'in_stock' as const),
  available_on: orNull,
  brand: orNull.catch(null),
  gtin: z.union([orNull, z.number().transform(String)]).catch(null),
  mpn: orNull.catch(null),
  condition: z.enum(['new', 'refurbished', 'used']).nullish(),
  attributes: orElse(z.record(z.string(), z.union([z.string(), z.array(z.string())])), {}).catch({}),
  shipping_class: orNull.catch(null),
  weight: orNull.catch(null),
};

/** A product as docs/guides/listings-products.md describes it. Unknown members are ignored. */
const productSchema = z.object({
  ...itemShape,
  type: z.enum(['simple', 'variable', 'grouped', 'external', 'other']).nullish(),
  hidden: orElse(z.boolean(), false),
  title: text,
  short_description: text.catch(''),
  categories: list.catch([]),
  variations: orElse(z.array(z.object(itemShape)), []),
});

const categoriesSchema = z.object({ categories: list.catch([]) });

/** The categories of a product, also of one that can't be understood otherwise. */
export function categoriesOf(value: unknown): readonly string[] {
  return categoriesSchema.safeParse(value).data?.categories ?? [];
}

const totalSchema = z.strictObject({ total: z.int().min(0) });

/** How many products follow, where the first value says so and is no product. */
export function announcedTotal(value: unknown): number | undefined {
  return totalSchema.safeParse(value).data?.total;
}

/** `position` counts from 1. What does not even tell its id is answered as the error that says why. */
export function readJsonProduct(value: unknown, position: number): ShopProduct | Misfit | SourceError {
  const parsed = productSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.map(String).join('.') || 'it';
    const reason = `Product ${position} of the listing is wrong: ${where}: ${issue?.message ?? ''}.`;
    const named = z.object({ id }).safeParse(value);
    return named.success ? new Misfit(named.data.id, reason) : new SourceError('malformed', reason);
  }
  const { type, hidden, title, short_description, categories, variations, ...item } = parsed.data;
  return {
    ...itemOf(item),
    type: type ?? (variations.length > 0 ? 'variable' : 'simple'),
    ...{ id: item.id, published: item.published, hidden, title, categories },
    shortDescription: short_description,
    variations: variations.map((variation) => ({
      ...itemOf(variation),
      ...{ id: variation.id, published: variation.published },
    })),
  };
}

type JsonItem = Omit<z.output<typeof productSchema>, 'type' | 'hidden' | 'title' | 'variations'>;

function itemOf(item: Omit<JsonItem, 'short_description' | 'categories'>): ShopItem {
  return {
    sku: item.sku,
    description: item.description,
    link: item.link,
    images: item.images,
    regularPrice: item.price,
    salePrice: item.sale_price,
    saleFrom: item.sale_from,
    saleTo: item.sale_to,
    currency: item.currency,
    availability: item.availability,
    availableOn: item.available_on,
    brand: item.brand,
    gtin: item.gtin,
    mpn: item.mpn,
    condition: item.condition ?? null,
    attributes: Object.entries(item.attributes).flatMap(([name, given]) =>
      [given].flat().map((value) => ({ name, value })),
    ),
    shippingClass: item.shipping_class,
    weight: item.weight,
  };
}
