import { NOT_BLANK } from '@sluice/kernel/text';
import { z } from 'zod';
import { defineCall } from './call';
import type { AnnouncedChanges } from './changes';
import { characters } from './text';

/** Keeps the settings, as one event and one request, below what the bus and the event store carry. */
const MAX_RATES = 250;
const MAX_CATEGORY_MAPPINGS_BYTES = 256 * 1024;
/** A mapping holds for all categories below its own, so that few are needed. Zod looks at a list's length before its entries. */
const MAX_CATEGORY_MAPPINGS = 1_000;

const text = (field: string, max: number) =>
  z
    .string(`The ${field} must be text of 1 to ${max} characters.`)
    .check(characters(0, max, `The ${field} must have at most ${max} characters.`))
    .regex(NOT_BLANK, `The ${field} must not be empty.`)
    .trim();

const flag = (field: string) => z.boolean(`The ${field} must be true or false.`);

const wholeNumber = (field: string, min: number, max: number) => {
  const rule = `The ${field} must be a whole number from ${min} to ${max}.`;
  return z.int(rule).min(min, rule).max(max, rule);
};

const COUNTRY_RULE = 'A country is two capital letters of ISO 3166-1, for example US.';
const countrySchema = z.string(COUNTRY_RULE).regex(/^[A-Z]{2}$/, COUNTRY_RULE);

const LANGUAGE_RULE = 'A language is two small letters of ISO 639-1, for example en.';
const languageSchema = z.string(LANGUAGE_RULE).regex(/^[a-z]{2}$/, LANGUAGE_RULE);

/** In the mode `rates` there is at least one. */
const RATES_OF_MODE = {
  if: { properties: { mode: { const: 'rates' } }, required: ['mode'] },
  then: { properties: { rates: { minItems: 1 } }, required: ['rates'] },
};

const modeSchema = z.enum(['account', 'rates'], 'The mode must be account or rates.');

const ratesOf = <Rate extends z.ZodType>(rate: Rate) =>
  z.array(rate, 'The rates must be a list.').max(MAX_RATES, `At most ${MAX_RATES} rates.`).readonly().default([]);

const shippingSettingsSchema = z
  .object(
    {
      mode: modeSchema,
      rates: ratesOf(
        z.object({
          country: countrySchema,
          service: text('service', 100).describe('A country has one rate for each service.'),
          price: z
            .string('The price must be text, for example 4.99 USD.')
            .trim()
            .describe(
              'An amount that Google lists, with at most as many decimals as its currency of ISO 4217 has, for example `4.99 USD`.',
            )
            .meta({ pattern: '^\\s*(?:0|[1-9][0-9]{0,8})(?:\\.[0-9]{1,3})? [A-Z]{3}\\s*$' }),
        }),
      ),
    },
    'The shipping_settings must be an object.',
  )
  .meta(RATES_OF_MODE);

const PERCENT_RULE = 'The rate must be a percentage from 0 to 100.';
const taxSettingsSchema = z
  .object(
    {
      prices_include_tax: flag('prices_include_tax').default(false),
      mode: modeSchema,
      /** `rate` is a percentage. */
      rates: ratesOf(
        z.object({
          country: countrySchema.describe('A country has one rate.'),
          rate: z.number(PERCENT_RULE).min(0, PERCENT_RULE).max(100, PERCENT_RULE),
        }),
      ),
    },
    'The tax_settings must be an object.',
  )
  .meta(RATES_OF_MODE);

const categoryMappingsSchema = z
  .array(
    z.object({
      source_category: text('source_category', 255).describe(
        'Path of the category from the root of the shop, for example `Goods > Mugs`, or its name alone, `Mugs`, where only one category has that name. It counts for all categories below it. The check `category_unknown` of the diagnostics reports names that no category has, or several. A category is mapped once.',
      ),
      google_product_category: text('google_product_category', 255),
      product_type: text('product_type', 750).optional(),
    }),
    'The category_mappings must be a list.',
  )
  .max(MAX_CATEGORY_MAPPINGS, `The category_mappings must have at most ${MAX_CATEGORY_MAPPINGS} entries.`)
  .refine(
    (mappings) => Buffer.byteLength(JSON.stringify(mappings)) <= MAX_CATEGORY_MAPPINGS_BYTES,
    `The category_mappings must have at most ${MAX_CATEGORY_MAPPINGS_BYTES} bytes as JSON.`,
  )
  .describe(`At most ${MAX_CATEGORY_MAPPINGS_BYTES} bytes as JSON.`)
  .readonly();

/** The feed settings. */
export const feedSettingsSchema = z.object({
  target_country: countrySchema,
  content_language: languageSchema,
  channel: z.enum(['online', 'local'], 'The channel must be online or local.'),
  include_variations: flag('include_variations'),
  include_out_of_stock: flag('include_out_of_stock'),
  shipping_settings: shippingSettingsSchema.nullable(),
  tax_settings: taxSettingsSchema.nullable(),
  category_mappings: categoryMappingsSchema,
});
export type FeedSettings = z.infer<typeof feedSettingsSchema>;

const RATIO_RULE = 'The max_delete_ratio must be a number from 0 to 1.';

/** The sync settings. Google deletes offers after 30 days, so the longest interval is 28 days. Its batches have at most 100 parts. */
export const syncSettingsSchema = z.object({
  sync_interval_minutes: wholeNumber('sync_interval_minutes', 60, 40_320),
  batch_size: wholeNumber('batch_size', 1, 100),
  concurrency: wholeNumber('concurrency', 1, 16),
  max_retries: wholeNumber('max_retries', 0, 10),
  refresh_after_days: wholeNumber('refresh_after_days', 1, 29),
  log_retention_days: wholeNumber('log_retention_days', 1, 365),
  delete_missing: flag('delete_missing'),
  /** Of the mapped offers; a run that would delete more stops. */
  max_delete_ratio: z.number(RATIO_RULE).min(0, RATIO_RULE).max(1, RATIO_RULE),
});
export type SyncSettings = z.infer<typeof syncSettingsSchema>;

/** The module's switch and its entitlement. */
export const listingsModuleSchema = z.object({ enabled: flag('enabled'), entitled: flag('entitled') });
export type ListingsModule = z.infer<typeof listingsModuleSchema>;

/** Accepts null, {} and [] as "none", and returns `none` for each. */
const orNone = <Schema extends z.ZodType>(schema: Schema, none: null | readonly never[]) =>
  z
    .preprocess((value) => (isNone(value) ? none : value), schema)
    .meta({ orElse: [{ type: 'null' }, { type: 'object', maxProperties: 0 }, { type: 'array', maxItems: 0 }] })
    .optional();

function isNone(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** Rejected with module_disabled or entitlement_required, else answered. */
export const requireListingsModule = defineCall('merchantSync.requireModule', z.object({}), z.object({}));

/** Answered whether the module is on or off. */
export const getListingsModule = defineCall('merchantSync.getModule', z.object({}), listingsModuleSchema);

/** Members left out stay as they are. */
export const setListingsModule = defineCall(
  'merchantSync.setModule',
  listingsModuleSchema.partial(),
  listingsModuleSchema,
);

/** Rejected with module_disabled or entitlement_required. */
export const getFeedSettings = defineCall('merchantSync.getFeedSettings', z.object({}), feedSettingsSchema);

/**
 * Names what changes, all or none of it, and answers the whole; a structured member is replaced as
 * a whole. Rejected with module_disabled, entitlement_required or as ValidationError.
 */
export const saveFeedSettings = defineCall(
  'merchantSync.saveFeedSettings',
  feedSettingsSchema.partial().extend({
    shipping_settings: orNone(feedSettingsSchema.shape.shipping_settings, null),
    tax_settings: orNone(feedSettingsSchema.shape.tax_settings, null),
    category_mappings: orNone(feedSettingsSchema.shape.category_mappings, []),
  }),
  feedSettingsSchema,
);

/** Rejected with module_disabled or entitlement_required. */
export const getSyncSettings = defineCall('merchantSync.getSyncSettings', z.object({}), syncSettingsSchema);

/** Names what changes, all or none of it, and answers the whole. Rejected as saveFeedSettings is. */
export const saveSyncSettings = defineCall(
  'merchantSync.saveSyncSettings',
  syncSettingsSchema.partial(),
  syncSettingsSchema,
);

/** Collections of secrets that merchant-sync replaces under their ids, for the vault to seal again. */
export const LISTING_SECRETS = ['oauthClients', 'oauthTokens', 'webhooks'] as const;
export type ListingSecrets = (typeof LISTING_SECRETS)[number];

/** Streams of merchant-sync, whose events change what clients are shown. */
export const listingChanges: AnnouncedChanges = {
  'merchant-': { topic: 'listings', of: () => ({ app: null }) },
  'syncRun-': { topic: 'listings', of: ({ subject }) => ({ app: null, id: subject }) },
};
