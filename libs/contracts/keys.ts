import { defineCall } from './call';
import { z } from 'zod';
import { devicePlatformSchema } from './adoption';
import type { AnnouncedChanges } from './changes';
import { pageOf, pageRequestSchema } from './paging';
import { characters } from './text';
import {
  type Channel,
  channelNameSchema,
  channelSchema,
  idSchema,
  ifRevisionSchema,
  revisionOf,
  timeSchema,
} from './values';

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
  channels: z.array(channelNameSchema).optional(),
});
export type Restrictions = z.infer<typeof restrictionsSchema>;

const keyCheckSchema = z.object({
  at: timeSchema,
  platform: devicePlatformSchema,
  version: z.string().nullable().meta({ description: 'The version that the device was offered. Null: no update.' }),
});

/** An app API key without its secret. */
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
  last_check: keyCheckSchema.nullable().default(null).meta({
    description: 'The last update check with the key. Null: none, or only before the server recorded them.',
  }),
  rotated_at: timeSchema.nullable(),
  revision: revisionOf('key').default(1),
  created_at: timeSchema,
});
export type ApiKey = z.infer<typeof apiKeySchema>;

const keyRequest = z.object({ appId: idSchema, id: idSchema });
const keyChange = keyRequest.extend({ ifRevision: ifRevisionSchema });
const shownApiKey = apiKeySchema.pick({ id: true, name: true, status: true }).extend({ plaintext_key: z.string() });

/** Rejected with MAX_KEYS_REACHED. */
export const createApiKey = defineCall(
  'keys.createApiKey',
  z.object({ appId: idSchema, name: z.string() }),
  shownApiKey,
  ['MAX_KEYS_REACHED'],
);

const IMPORTED_KEY_RULE =
  'The key must have 10 to 100 characters out of A-Z, a-z, 0-9, - and _, and must not begin with svc_. Leave it out to have one made.';

/** The text of a key that clients in the field have, such as a deployment key of CodePush. */
export const importedKeySchema = z
  .string(IMPORTED_KEY_RULE)
  .regex(/^[A-Za-z0-9_-]{10,100}$/, IMPORTED_KEY_RULE)
  .refine((text) => !text.startsWith('svc_'), IMPORTED_KEY_RULE);

/** Of devices whose client does not send it. */
export const keyPlatformSchema = z.enum(['ios', 'android']);
export type KeyPlatform = z.infer<typeof keyPlatformSchema>;

/** A key that belongs to a channel: it is for that channel alone, and goes with it. */
export const channelKeySchema = apiKeySchema.extend({
  platform: keyPlatformSchema.nullable().default(null).meta({
    description: 'The platform of the devices that use the key, for clients that do not send theirs. Null: unknown.',
  }),
});
export type ChannelKey = z.infer<typeof channelKeySchema>;

const channelKeyRequest = keyRequest.extend({ channel: channelSchema });
const channelKeyChange = channelKeyRequest.extend({ ifRevision: ifRevisionSchema });

/** By id ascending. Those of a channel, which `listApiKeys` leaves out. */
export const listChannelKeys = defineCall(
  'keys.listChannelKeys',
  pageRequestSchema.extend({ appId: idSchema, channel: channelSchema }),
  pageOf(channelKeySchema),
);

/** Rejected with MAX_KEYS_REACHED, KEY_TAKEN, and CHANNEL_NOT_FOUND when the channel is removed. */
export const createChannelKey = defineCall(
  'keys.createChannelKey',
  z.object({
    appId: idSchema,
    channel: channelSchema,
    name: z.string(),
    /** Left out: a new one. */
    key: importedKeySchema.optional(),
    platform: keyPlatformSchema.optional(),
  }),
  shownApiKey,
  ['MAX_KEYS_REACHED', 'KEY_TAKEN', 'UPGRADE_NOT_FINISHED'],
);

export const revealChannelKey = defineCall(
  'keys.revealChannelKey',
  channelKeyRequest,
  shownApiKey.pick({ id: true, plaintext_key: true }),
  ['PLAINTEXT_UNAVAILABLE', 'KEY_REVOKED'],
);

/** As restrictApiKey: its channel stays. */
export const restrictChannelKey = defineCall(
  'keys.restrictChannelKey',
  channelKeyChange.extend({ restrictions: restrictionsSchema }),
  channelKeySchema,
  ['KEY_CHANGED'],
);

export const deleteChannelKey = defineCall(
  'keys.deleteChannelKey',
  channelKeyChange,
  z.object({ deleted: z.literal(true), id: idSchema }),
  ['KEY_CHANGED'],
);

/** By id ascending. */
export const listApiKeys = defineCall(
  'keys.listApiKeys',
  pageRequestSchema.extend({ appId: idSchema }),
  pageOf(apiKeySchema),
);

/** Rejected with KEY_NOT_FOUND. */
export const getApiKey = defineCall('keys.getApiKey', keyRequest, apiKeySchema);

/** A new secret; the old one is no longer valid. */
export const rotateApiKey = defineCall('keys.rotateApiKey', keyChange, shownApiKey, ['KEY_CHANGED', 'KEY_REVOKED']);

export const revealApiKey = defineCall(
  'keys.revealApiKey',
  keyRequest,
  shownApiKey.pick({ id: true, plaintext_key: true }),
  ['PLAINTEXT_UNAVAILABLE', 'KEY_REVOKED'],
);

/** Replaces every restriction; a kind left out is cleared. Rejected with KEY_NOT_FOUND. */
export const restrictApiKey = defineCall(
  'keys.restrictApiKey',
  keyChange.extend({ restrictions: restrictionsSchema }),
  apiKeySchema,
  ['KEY_CHANGED', 'UPGRADE_NOT_FINISHED'],
);

/** It keeps working, and is not one of the three any more. A revoked key stays revoked. Rejected with KEY_NOT_FOUND. */
export const deprecateApiKey = defineCall('keys.deprecateApiKey', keyChange, apiKeySchema, ['KEY_CHANGED']);

/** Final. Returns a key that is already revoked unchanged. Rejected with KEY_NOT_FOUND. */
export const revokeApiKey = defineCall('keys.revokeApiKey', keyChange, apiKeySchema, ['KEY_CHANGED']);

/** Rejected with KEY_NOT_FOUND, the second time too. */
export const deleteApiKey = defineCall(
  'keys.deleteApiKey',
  keyChange,
  z.object({ deleted: z.literal(true), id: idSchema }),
  ['KEY_CHANGED'],
);

/** Of an app that is being removed: its keys of every kind go, and none can be made. Any number of times. */
export const closeAppKeys = defineCall(
  'keys.closeAppKeys',
  z.object({ appId: idSchema }),
  z.object({ closed: z.literal(true) }),
);

/** How devices used an API key since the writer's previous call. */
const apiKeyUseSchema = z.object({
  id: idSchema,
  usedAt: timeSchema.nullable(),
  /** How many callers the key's restrictions rejected; with one, the time and the reason of the last. */
  blocked: z.int().min(0),
  blockedAt: timeSchema.nullable(),
  blockedReason: z.string().nullable(),
  /** The last update check; left out if there was none. */
  check: keyCheckSchema.optional(),
});
export type ApiKeyUse = z.infer<typeof apiKeyUseSchema>;

/** Adds to the counts, and keeps the later of each time. Sent again after a lost reply, it may count twice. */
export const recordApiKeyUse = defineCall(
  'keys.recordApiKeyUse',
  z.object({ uses: z.array(apiKeyUseSchema).max(500) }),
  /** Ids of the keys whose use is stored; the others are to be sent again. */
  z.object({ recorded: z.array(idSchema) }),
);

/**
 * Seals one part of what is sealed under another master key, or in the former format, again under the current one. `after` is
 * the `next` of the previous part; a `next` of null means that this was the last part.
 */
export const resealSecrets = defineCall(
  'keys.resealSecrets',
  z.object({
    after: z
      .string()
      .check(characters(0, 200, 'The after must have at most 200 characters.'))
      .optional(),
  }),
  z.object({
    resealed: z.int().min(0),
    /** Ids of this part's secrets that no master key given opens. */
    failed: z.array(z.string()),
    /** With the last part: how many secrets are under another key now, in all. */
    remaining: z.int().min(0).nullable(),
    next: z.string().nullable(),
  }),
);

/** What the vault's data keys are for: the signature of download URLs, ids of sessions, hashes of devices, PKCE verifiers. */
export const DATA_KEY_NAMES = ['download-url', 'sessions', 'device-id', 'oauth-verifiers'] as const;
export type DataKeyName = (typeof DATA_KEY_NAMES)[number];

export const dataKeySchema = z.object({
  name: z.enum(DATA_KEY_NAMES),
  /** The newest first. Null: version 1, whose time is not kept. */
  versions: z.array(z.object({ version: z.int().min(1), made_at: timeSchema.nullable() })),
  /** For how long a former version stays valid after it was replaced. */
  former_kept_seconds: z.int().min(0),
  /** What a rotation changes. */
  consequence: z.string(),
});

export const listDataKeys = defineCall('keys.listDataKeys', z.object({}), z.object({ keys: z.array(dataKeySchema) }));
export type ListedDataKeys = z.infer<typeof listDataKeys.reply>;

/** Makes the next version of the data keys named, else of all. Rejected with TOO_MANY_DATA_KEY_VERSIONS, and then none is rotated. */
export const rotateDataKeys = defineCall(
  'keys.rotateDataKeys',
  z.object({ names: z.array(z.enum(DATA_KEY_NAMES)).min(1).optional() }),
  z.object({ keys: z.array(dataKeySchema) }),
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
        /** The channel that it belongs to, in a stream of its own; left out, it is for all channels. */
        readonly channel?: Channel;
        /** Of the devices that use it, whose client does not send it; left out: not known. */
        readonly platform?: KeyPlatform;
        /** Its text was given; left out: it was made by the server. */
        readonly imported?: true;
      };
    }
  | {
      readonly type: 'ApiKeyRotated';
      readonly data: {
        readonly id: number;
        readonly preview: string;
        readonly hash: string;
        readonly sealId: string | null;
        /** Of the plaintext that is of no use any more. */
        readonly formerSealId: string | null;
      };
    }
  | { readonly type: 'ApiKeyRestricted'; readonly data: { readonly id: number; readonly restrictions: Restrictions } }
  | { readonly type: 'ApiKeyDeprecated'; readonly data: { readonly id: number } }
  | {
      readonly type: 'ApiKeyRevoked' | 'ApiKeyDeleted';
      readonly data: { readonly id: number; readonly formerSealId?: string | null };
    }
  /** The app is being removed: its keys are deleted, and there will be none any more. */
  | { readonly type: 'ApiKeysClosed'; readonly data: { readonly appId: number } };

/** Streams of the keys service, whose events change what clients are shown. */
export const keyChanges: AnnouncedChanges = {
  'apiKeys-': { topic: 'keys', of: ({ subject, data }) => ({ app: Number(subject), id: data['id'] }) },
  'signingKey-': { topic: 'signing-key', of: ({ subject, data }) => ({ app: Number(subject), id: data['id'] }) },
  'keystore-': { topic: 'keystore', of: ({ subject }) => ({ app: Number(subject) }) },
};
