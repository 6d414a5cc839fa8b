import { NOT_BLANK } from '@sluice/kernel/text';
import { z } from 'zod';
import { defineCall } from './call';
import { pageOf, pageRequestSchema } from './paging';
import { characters } from './text';
import { timeSchema } from './values';

/** The status of an offer. */
export const listingStatusSchema = z.enum(['pending', 'approved', 'disapproved', 'expiring']);

export const runTypeSchema = z.enum(['full', 'incremental', 'single']);

export const validationIssueSchema = z.object({
  code: z.string(),
  severity: z.enum(['not_impacted', 'demoted', 'disapproved']),
  attribute: z.string().nullable(),
  description: z.string(),
  detail: z.string().nullable(),
  documentation: z.string().nullable(),
  countries: z.array(z.string()).readonly(),
});

/** A mapping: one row per offer. */
export const mappingSchema = z.object({
  id: z.string(),
  store_id: z.string(),
  product_id: z.string(),
  variation_id: z.string().nullable(),
  offer_id: z.string(),
  /** Null until Google acknowledged the offer. */
  remote_product_id: z.string().nullable(),
  item_group_id: z.string().nullable(),
  target_country: z.string(),
  content_language: z.string(),
  channel: z.enum(['online', 'local']),
  listing_status: listingStatusSchema,
  validation_issues: z.array(validationIssueSchema).readonly(),
  /** Of what was acknowledged last. */
  sync_hash: z.string().nullable(),
  last_synced_at: timeSchema.nullable(),
  /** When Google last listed it. */
  last_status_at: timeSchema.nullable(),
  expires_at: timeSchema.nullable(),
  /** In a row; 0 once it is acknowledged. */
  failed_attempts: z.int().min(0),
  last_error: z.string().nullable(),
  created_at: timeSchema,
  updated_at: timeSchema,
});
export type Mapping = z.infer<typeof mappingSchema>;

/** The log of a run: one row each. Counts do not overlap. */
export const syncLogSchema = z.object({
  id: z.string(),
  run_type: runTypeSchema,
  trigger: z.enum(['schedule', 'manual', 'repair']),
  status: z.enum(['running', 'completed', 'partial', 'failed', 'cancelled']),
  /** Acknowledged by Google. */
  items_processed: z.int().min(0),
  items_failed: z.int().min(0),
  /** Unchanged or excluded. */
  items_skipped: z.int().min(0),
  items_deleted: z.int().min(0),
  started_at: timeSchema,
  completed_at: timeSchema.nullable(),
  /** Of the process that works on it; null once it ended. */
  heartbeat_at: timeSchema.nullable(),
  error_message: z.string().nullable(),
  /** What a program may branch on: `code` of a fault, samples of failures and exclusions. */
  details: z.record(z.string(), z.unknown()),
});
export type SyncLog = z.infer<typeof syncLogSchema>;

/** The progress of the current run. */
export const syncProgressSchema = z.object({
  log_id: z.string(),
  run_type: runTypeSchema,
  trigger: syncLogSchema.shape.trigger,
  started_at: timeSchema,
  heartbeat_at: timeSchema.nullable(),
  /** Offers and exclusions that were read from the shop so far. */
  items_read: z.int().min(0),
  /** How many offers there were when it began: what `items_read` may be compared with. */
  items_expected: z.int().min(0),
  items_processed: z.int().min(0),
  items_failed: z.int().min(0),
  items_deleted: z.int().min(0),
});
export type SyncProgress = z.infer<typeof syncProgressSchema>;

export const overviewSchema = z.object({
  listings: z.object({
    total: z.int().min(0),
    pending: z.int().min(0),
    approved: z.int().min(0),
    disapproved: z.int().min(0),
    expiring: z.int().min(0),
  }),
  sync: z.object({ running: z.boolean(), last_run: syncLogSchema.nullable() }),
});
export type ListingsOverview = z.infer<typeof overviewSchema>;

const productIdSchema = z
  .string('The product_id must be text, or a whole number.')
  .check(characters(0, 100, 'The product_id must have at most 100 characters.'))
  .regex(NOT_BLANK, 'The product_id must not be empty.')
  .trim();

/** A WooCommerce id may come as the number that it is. */
const productId = z
  .preprocess((value) => (Number.isSafeInteger(value) ? String(value) : value), productIdSchema)
  .meta({ orElse: [{ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }] });

/**
 * Starts a run: without a run_type the first one is full, later ones incremental, and with a product
 * single. Answers as soon as it is started. Rejected with module_disabled, entitlement_required,
 * not_connected, reauth_required, sync_already_running, or as ValidationError.
 */
export const startSync = defineCall(
  'merchantSync.startSync',
  z
    .object({
      run_type: z.enum(runTypeSchema.options, 'The run_type must be full, incremental or single.').optional(),
      product_id: productId.optional(),
    })
    .refine(({ run_type, product_id }) => run_type !== 'single' || product_id !== undefined, {
      path: ['product_id'],
      error: 'A single run needs the product_id of a product of the shop.',
    })
    .refine(({ run_type, product_id }) => product_id === undefined || (run_type ?? 'single') === 'single', {
      path: ['run_type'],
      error: 'With a product_id the run_type is single.',
    })
    .meta({
      if: { properties: { run_type: { const: 'single' } }, required: ['run_type'] },
      then: { required: ['product_id'] },
      dependentSchemas: { product_id: { properties: { run_type: { const: 'single' } } } },
    }),
  z.object({ log_id: z.string() }),
  ['not_connected', 'reauth_required', 'sync_already_running'],
);

/** Refused, as all of the following, with module_disabled or entitlement_required. */
export const getSyncStatus = defineCall(
  'merchantSync.getSyncStatus',
  z.object({}),
  z.object({ running: z.boolean(), progress: syncProgressSchema.nullable() }),
);

/** The latest first. */
export const listSyncLogs = defineCall('merchantSync.listSyncLogs', pageRequestSchema, pageOf(syncLogSchema));

/** Rejected with NOT_FOUND too. */
export const getSyncLog = defineCall('merchantSync.getSyncLog', z.object({ id: z.string() }), syncLogSchema);

/** By offer. */
export const listMappings = defineCall(
  'merchantSync.listMappings',
  pageRequestSchema.extend({
    productId: z.string().optional(),
    listingStatus: listingStatusSchema.optional(),
  }),
  pageOf(mappingSchema),
);

export const getListingsOverview = defineCall('merchantSync.getOverview', z.object({}), overviewSchema);
