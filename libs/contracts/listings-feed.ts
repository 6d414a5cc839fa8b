import { z } from 'zod';
import { defineCall } from './call';

const optionalText = z.string().optional();

/** An offer with the names of Google's feed, without `g:`; prices read `15.00 USD`. */
export const feedItemSchema = z.object({
  product_id: z.string(),
  variation_id: z.string().nullable(),
  id: z.string(),
  title: z.string(),
  description: z.string(),
  link: z.string(),
  image_link: z.string(),
  additional_image_link: z.array(z.string()).optional(),
  availability: z.string(),
  availability_date: optionalText,
  price: z.string(),
  sale_price: optionalText,
  sale_price_effective_date: optionalText,
  item_group_id: optionalText,
  condition: z.string(),
  brand: optionalText,
  gtin: optionalText,
  mpn: optionalText,
  google_product_category: optionalText,
  product_type: z.array(z.string()).optional(),
  color: optionalText,
  size: optionalText,
  material: optionalText,
  pattern: optionalText,
  gender: optionalText,
  age_group: optionalText,
  shipping: z.array(z.object({ country: z.string(), service: z.string(), price: z.string() })).optional(),
  shipping_label: optionalText,
  shipping_weight: optionalText,
  tax: z.array(z.object({ country: z.string(), rate: z.string() })).optional(),
});
export type FeedItem = z.infer<typeof feedItemSchema>;

export const feedPreviewSchema = z.object({
  items: z.array(feedItemSchema),
  /** Of a variable product that is listed, its variations that are not; else `variation_id` is null. */
  excluded: z.array(
    z.object({ product_id: z.string(), variation_id: z.string().nullable(), reasons: z.array(z.string()) }),
  ),
  /** Where the next part begins; null: there is none. */
  next_offset: z.int().nullable(),
});
export type FeedPreview = z.infer<typeof feedPreviewSchema>;

const wholeNumber = (field: string, fallback: number, min: number, max: number) => {
  const rule = `The ${field} must be a whole number from ${min} to ${max}.`;
  return z
    .preprocess(
      (given) => (typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : given),
      z.int(rule).min(min, rule).max(max, rule),
    )
    .default(fallback);
};

/** Both count items and exclusions together, in the order of the shop. */
export const feedPreviewQuery = z.object({
  limit: wholeNumber('limit', 100, 1, 500).describe('At most so many items and exclusions.'),
  offset: wholeNumber('offset', 0, 0, 100_000_000).describe('So many are passed over.'),
});

export const feedFormatSchema = z.enum(['rss', 'tsv'], 'The format must be rss or tsv.');
export type FeedFormat = z.infer<typeof feedFormatSchema>;

export const feedDownloadQuery = z.object({
  format: feedFormatSchema.default('rss').describe('RSS 2.0 with the namespace g, or tab-separated values.'),
});

/** A feed as a text in the envelope. */
export const feedContentSchema = z.object({ format: feedFormatSchema, filename: z.string(), content: z.string() });

/**
 * A part of what the feed would hold, read from the shop now; less than `limit` where it would be too
 * large. Rejected with module_disabled, entitlement_required, store_not_configured or store_unavailable.
 */
export const previewFeed = defineCall('merchantSync.previewFeed', feedPreviewQuery, feedPreviewSchema);

/** Reads the store and writes the feed into the object store. Rejected as previewFeed is. */
export const makeFeed = defineCall(
  'merchantSync.makeFeed',
  z.object({ format: feedFormatSchema }),
  z.object({ objectKey: z.string(), filename: z.string(), size: z.int().min(0) }),
);
