import { defineCall } from './call';
import { z } from 'zod';
import { pageOf, pageRequestSchema } from './paging';
import { idSchema, timeSchema } from './values';

export const restrictionsSchema = z.object({
  origins: z.array(z.string()).optional(),
  android: z
    .array(
      z.object({
        package_name: z.string(),
        sha256: z.array(z.string()).optional(),
        sha1: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  ios: z.array(z.object({ bundle_id: z.string(), team_id: z.string().optional() })).optional(),
});
export type Restrictions = z.infer<typeof restrictionsSchema>;

/** Spec 1, App API key (safe view). */
export const apiKeySchema = z.object({
  id: idSchema,
  name: z.string(),
  key_preview: z.string(),
  status: z.enum(['active', 'deprecated', 'revoked']),
  recoverable: z.boolean(),
  restrictions: restrictionsSchema,
  unrestricted: z.boolean(),
  blocked_count: z.int().min(0),
  last_blocked_at: timeSchema.nullable(),
  last_blocked_reason: z.string().nullable(),
  last_used_at: timeSchema.nullable(),
  rotated_at: timeSchema.nullable(),
  created_at: timeSchema,
});
export type ApiKey = z.infer<typeof apiKeySchema>;

/** Refused with MAX_KEYS_REACHED. */
export const createApiKey = defineCall(
  'keys.createApiKey',
  z.object({ appId: idSchema, name: z.string() }),
  apiKeySchema.pick({ id: true, name: true, status: true }).extend({ plaintext_key: z.string() }),
);

/** By id ascending. */
export const listApiKeys = defineCall(
  'keys.listApiKeys',
  pageRequestSchema.extend({ appId: idSchema }),
  pageOf(apiKeySchema),
);

/** Refused with KEY_NOT_FOUND. */
export const getApiKey = defineCall('keys.getApiKey', z.object({ appId: idSchema, id: idSchema }), apiKeySchema);

/** Final. A revoked key answers as it stands. Refused with KEY_NOT_FOUND. */
export const revokeApiKey = defineCall('keys.revokeApiKey', z.object({ appId: idSchema, id: idSchema }), apiKeySchema);

/**
 * Seals one part of what is sealed under another master key again, under the current one. `after` is
 * the `next` of the part before; a `next` of null tells that this was the last part.
 */
export const resealSecrets = defineCall(
  'keys.resealSecrets',
  z.object({ after: z.string().max(200).optional() }),
  z.object({
    resealed: z.int().min(0),
    /** Ids of this part's secrets that no master key given opens. */
    failed: z.array(z.string()),
    /** With the last part: how many secrets are under another key now, in all. */
    remaining: z.int().min(0).nullable(),
    next: z.string().nullable(),
  }),
);

/** Streams `apiKeys-{appId}`, as other services read them. */
export type ApiKeyEvent =
  | {
      readonly type: 'ApiKeyCreated';
      readonly data: {
        readonly id: number;
        readonly appId: number;
        readonly name: string;
        readonly preview: string;
        /** SHA-256 of the key. */
        readonly hash: string;
        /** Id of the sealed plaintext in the vault; null when none is kept. */
        readonly sealId: string | null;
      };
    }
  | { readonly type: 'ApiKeyRevoked'; readonly data: { readonly id: number } };
