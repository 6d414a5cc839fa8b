import { z } from 'zod';
import { defineCall } from './call';
import { pageOf, pageRequestSchema } from './paging';
import { characters } from './text';
import { timeSchema } from './values';
import { webhookUrlSchema } from './webhook-url';

/** The announcement that carries every hook on the bus. */
export const HOOKS_TOPIC = 'hooks';

/** The payload of a hook. */
export const hookSchema = z.object({
  /** The same when it comes again. */
  id: z.string(),
  /** `svc_mapping_created`, where PLUGIN_NAME is `svc`. */
  hook: z.string(),
  occurred_at: timeSchema,
  store_id: z.string(),
  /** The row as the change left it; of a mapping that was deleted, as it was at its end. */
  data: z.record(z.string(), z.unknown()),
  /** The row before; left out where there was none. */
  before: z.record(z.string(), z.unknown()).optional(),
});
export type Hook = z.infer<typeof hookSchema>;

export const webhookSchema = z.object({
  /** Null: hooks are sent nowhere, and nothing is kept for later. */
  url: z.string().nullable(),
  /** Deliveries that wait for their first or next try. */
  waiting: z.int().min(0),
  /** Deliveries that were given up. */
  dead: z.int().min(0),
});
export type WebhookState = z.infer<typeof webhookSchema>;

export const deadLetterSchema = z.object({
  /** The hook's id. */
  id: z.string(),
  hook: z.string(),
  occurred_at: timeSchema,
  attempts: z.int().min(1),
  failed_at: timeSchema,
  last_error: z.string(),
  payload: hookSchema,
});
export type DeadLetter = z.infer<typeof deadLetterSchema>;

const SECRET_RULE = 'The secret must be text of 16 to 200 characters; null asks for a new one.';

export const getWebhook = defineCall('merchantSync.getWebhook', z.object({}), webhookSchema);

/**
 * Where hooks are sent from now on. Without a secret the one that there is stays, or one is made, which
 * this answer alone shows; null makes a new one. What waits goes to the new address. Rejected as ValidationError.
 */
export const saveWebhook = defineCall(
  'merchantSync.saveWebhook',
  z.object({
    url: webhookUrlSchema.describe(
      'An https address without user name and password that is not private; on this machine also an http address.',
    ),
    secret: z
      .string(SECRET_RULE)
      .check(characters(16, 200, SECRET_RULE))
      .nullable()
      .optional(),
  }),
  z.object({
    url: z.string(),
    /** Left out unless it was made for this answer. */
    secret: z.string().optional(),
  }),
);

/** Forgets address and secret, and every delivery. */
export const deleteWebhook = defineCall('merchantSync.deleteWebhook', z.object({}), z.object({ deleted: z.boolean() }));

/** Deliveries that were given up, the latest first. */
export const listDeadLetters = defineCall('merchantSync.listDeadLetters', pageRequestSchema, pageOf(deadLetterSchema));

const IDS_RULE = 'The ids must be a list of 1 to 1000 ids of dead letters.';

/** Tries them again from the start; all of them without `ids`. Those that are not there are left out. */
export const resendDeadLetters = defineCall(
  'merchantSync.resendDeadLetters',
  z.object({ ids: z.array(z.string(IDS_RULE), IDS_RULE).min(1, IDS_RULE).max(1_000, IDS_RULE).optional() }),
  z.object({ resent: z.int().min(0) }),
);

export const clearDeadLetters = defineCall(
  'merchantSync.clearDeadLetters',
  z.object({}),
  z.object({ deleted: z.int().min(0) }),
);
