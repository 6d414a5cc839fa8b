import { attributeEditsSchema, attributeTypesSchema } from './audience';
import { defineCall, type RequestOf } from './call';
import { z } from 'zod';
import type { AnnouncedChanges } from './changes';
import { pageOf, pageRequestSchema } from './paging';
import { templateNameSchema } from './plans';
import {
  type Channel,
  channelNameSchema,
  idSchema,
  ifRevisionSchema,
  permissionSchema,
  platformSchema,
  revisionOf,
  timeSchema,
} from './values';

/** The first owner: the operator of the installation. */
export const OPERATOR_ID = 1;

/** Who, besides the owner, may create, rotate and retire the signing keys of an app: every token of it, or none. */
export const signingKeyRotationSchema = z.enum(['any_token', 'owner_only']);

/** How many builds of each channel are kept: 0 for all of them. */
export const keepBuildsSchema = z.int().min(0).max(10_000);

const DEFAULT_ROLLOUT_RULE = 'A default rollout must be a whole number from 1 to 100, or the name of a plan template.';

/** A percentage of the devices, or the name of a plan template. */
export const defaultRolloutSchema = z.union(
  [z.int(DEFAULT_ROLLOUT_RULE).min(1, DEFAULT_ROLLOUT_RULE).max(100, DEFAULT_ROLLOUT_RULE), templateNameSchema],
  DEFAULT_ROLLOUT_RULE,
);

/** Of devices; `all` is for the platforms that are left out. */
export const byPlatform = <Value extends z.ZodType>(value: Value) => ({
  ...{ ios: value.optional(), android: value.optional(), web: value.optional(), all: value.optional() },
});

const ALIAS_RULE = 'An alias must have 1 to 63 printable characters.';

/** What update clients of others call a channel. */
export const channelAliasSchema = z.string(ALIAS_RULE).regex(/^\P{C}{1,63}$/u, ALIAS_RULE);

/** An app. Only the owner changes `signing_key_rotation`, `unique_signatures` and `keep_builds`. */
export const appSchema = z.object({
  id: idSchema,
  app_id: z.string(),
  bundle_id: z.string().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  platform: platformSchema,
  platforms: z.array(z.enum(['ios', 'android'])),
  channels: z.array(channelNameSchema),
  signing_key_rotation: signingKeyRotationSchema,
  /** Whether an upload is rejected whose signature another version of the app carries. */
  unique_signatures: z.boolean(),
  /** Null: what the installation sets (BUILDS_KEPT_PER_CHANNEL). */
  keep_builds: keepBuildsSchema.nullable(),
  default_rollout: z
    .object({
      production: defaultRolloutSchema.optional(),
      staging: defaultRolloutSchema.optional(),
      development: defaultRolloutSchema.optional(),
    })
    .default({})
    .meta({
      description:
        'By channel, the rollout of uploads and promotions for which the CLI gets neither --rollout nor --plan: a percentage, or the name of a plan template. The console preselects it. The API does not apply it.',
    }),
  attributes: attributeTypesSchema.default({}).meta({
    description:
      'Values that devices may send about themselves as X-Attr-{name}, and audiences may name: the type of each attribute. Others are ignored.',
  }),
  default_channels: z.object(byPlatform(channelNameSchema)).default({}).meta({
    description:
      'By platform of the device, the channel of devices whose update check names none. `all` is for the platforms that are left out. Without one, or if the channel was deleted, it is production. A channel that is added later under the name of a deleted one is the default again.',
  }),
  channel_aliases: z.record(channelAliasSchema, channelNameSchema).default({}).meta({
    description:
      'By alias, the channel that devices with the update client of another server get under this name. An alias that is also the name of a channel means that channel. Deleting a channel deletes its aliases.',
  }),
  revision: revisionOf('app').default(1).meta({
    description:
      'Rises with every change of what a request can change of this app; adding a channel is none. If-Match takes it, as in the ETag.',
  }),
  created_at: timeSchema,
});
export type App = z.infer<typeof appSchema>;

/** An access token as its owner sees it; never holds the secret. */
export const accessTokenSchema = z.object({
  id: idSchema,
  name: z.string(),
  permissions: z.array(permissionSchema),
  all_apps: z.boolean(),
  /** Ids of the apps that it reaches; a snapshot when `all_apps`. */
  apps: z.array(idSchema),
  status: z.enum(['active', 'expired', 'revoked']),
  last_used_at: timeSchema.nullable(),
  expires_at: timeSchema.nullable(),
  created_at: timeSchema,
});
export type AccessToken = z.infer<typeof accessTokenSchema>;

/** What a token can read of itself. */
export const tokenInfoSchema = accessTokenSchema
  .pick({ name: true, permissions: true, all_apps: true, last_used_at: true, expires_at: true, created_at: true })
  .extend({ apps: z.array(appSchema.pick({ id: true, app_id: true, name: true })) });

/** An owner as the dashboard plane shows it; never holds the key. */
export const ownerSchema = z.object({
  id: idSchema,
  name: z.string(),
  /** The first owner. */
  operator: z.boolean(),
  key_rotated_at: timeSchema.nullable(),
  /** Null while it is not suspended. */
  suspended: z
    .object({
      at: timeSchema,
      reason: z.string(),
      /** Whether its devices are rejected too. */ stop_devices: z.boolean(),
    })
    .nullable(),
  created_at: timeSchema,
});
export type Owner = z.infer<typeof ownerSchema>;
const ownerWithKey = ownerSchema.extend({ owner_key: z.string() });

/** By id ascending. */
export const listOwners = defineCall('registry.listOwners', pageRequestSchema, pageOf(ownerSchema));

/** Rejected with OWNER_NOT_FOUND. */
export const getOwner = defineCall('registry.getOwner', z.object({ id: idSchema }), ownerSchema);

/** A repeat shows the key again while it is kept; else PLAINTEXT_UNAVAILABLE. */
export const createOwner = defineCall('registry.createOwner', z.object({ name: z.string() }), ownerWithKey, [
  'PLAINTEXT_UNAVAILABLE',
]);

/**
 * A new key; the old one and its sessions are no longer valid, and with `revokeTokens` neither are the owner's tokens.
 * Rejected with OWNER_NOT_FOUND; repeats as createOwner.
 */
export const rotateOwnerKey = defineCall(
  'registry.rotateOwnerKey',
  z.object({ id: idSchema, revokeTokens: z.boolean() }),
  ownerWithKey,
  ['OWNER_NOT_FOUND', 'PLAINTEXT_UNAVAILABLE'],
);

export const suspendOwner = defineCall(
  'registry.suspendOwner',
  z.object({ id: idSchema, reason: z.string(), /** Rejects the devices of its apps too. */ stopDevices: z.boolean() }),
  ownerSchema,
  ['OPERATOR_NOT_SUSPENDABLE'],
);

/** Rejected with OWNER_NOT_FOUND. */
export const resumeOwner = defineCall('registry.resumeOwner', z.object({ id: idSchema }), ownerSchema);

const tokenRequest = z.object({ ownerId: idSchema, id: idSchema });
const tokenWithSecret = accessTokenSchema.extend({ token: z.string() });

/** A repeat shows the secret again while it is kept; else PLAINTEXT_UNAVAILABLE. */
export const createToken = defineCall(
  'registry.createToken',
  z.object({
    ownerId: idSchema,
    name: z.string(),
    permissions: z.array(permissionSchema),
    allApps: z.boolean(),
    apps: z.array(idSchema),
    /** Names in the request that are no app of the owner's now: rejected, unless this is a repeat. */
    unknownApps: z.array(z.string()).optional(),
    expiresAt: timeSchema.nullable(),
  }),
  tokenWithSecret,
  ['PLAINTEXT_UNAVAILABLE', 'TOKEN_LIMIT_REACHED'],
);

export const listTokens = defineCall(
  'registry.listTokens',
  pageRequestSchema.extend({ ownerId: idSchema }),
  pageOf(accessTokenSchema),
);

/** When tokens were used: the later time of each stays. */
export const recordTokenUse = defineCall(
  'registry.recordTokenUse',
  z.object({ uses: z.array(z.object({ id: idSchema, usedAt: timeSchema })).max(500) }),
  z.object({}),
);
export type TokenUse = RequestOf<typeof recordTokenUse>['uses'][number];

/** Rejected with TOKEN_NOT_FOUND. */
export const getToken = defineCall('registry.getToken', tokenRequest, accessTokenSchema);

/**
 * Members left out stay as they are. `reach` replaces the whole set of apps, those that the token
 * registered so far included. Rejected with TOKEN_NOT_FOUND or TOKEN_REVOKED.
 */
export const editToken = defineCall(
  'registry.editToken',
  tokenRequest.extend({
    name: z.string().optional(),
    permissions: z.array(permissionSchema).optional(),
    reach: z.object({ allApps: z.boolean(), apps: z.array(idSchema) }).optional(),
    expiresAt: timeSchema.nullable().optional(),
  }),
  accessTokenSchema,
  ['TOKEN_REVOKED'],
);

/** A new secret; the old one is no longer valid. Repeats as createToken. */
export const rotateToken = defineCall('registry.rotateToken', tokenRequest, tokenWithSecret, [
  'TOKEN_REVOKED',
  'PLAINTEXT_UNAVAILABLE',
]);

/** Final. Returns a token that is already revoked unchanged. Rejected with TOKEN_NOT_FOUND. */
export const revokeToken = defineCall('registry.revokeToken', tokenRequest, accessTokenSchema);

/** APP_NOT_FOUND: to the repeat of a request whose app was deleted meanwhile. */
export const createApp = defineCall(
  'registry.createApp',
  z.object({
    ownerId: idSchema,
    /** The token that the app is attached to; null when the owner creates it. */
    tokenId: idSchema.nullable(),
    name: z.string(),
    bundleId: z.string().nullable(),
    platform: platformSchema,
    description: z.string().nullable(),
  }),
  appSchema,
  ['BUNDLE_ID_TAKEN', 'APP_LIMIT_REACHED', 'APP_NOT_FOUND'],
);

/** By id ascending. `ids` null: every app of the owner. */
export const listApps = defineCall(
  'registry.listApps',
  pageRequestSchema.extend({ ownerId: idSchema, ids: z.array(idSchema).nullable() }),
  pageOf(appSchema),
);

/** An app as its owner remembers it. */
export const ownedAppSchema = appSchema.extend({
  /** When it was deleted; null while it is there. */
  removed_at: timeSchema.nullable(),
});
export type OwnedApp = z.infer<typeof ownedAppSchema>;

/** By id ascending. `removed` null: those that are there and those that were. */
export const listOwnedApps = defineCall(
  'registry.listOwnedApps',
  pageRequestSchema.extend({ ownerId: idSchema, removed: z.boolean().nullable() }),
  pageOf(ownedAppSchema),
);

export const getApp = defineCall('registry.getApp', z.object({ id: idSchema }), appSchema);

/** What is left out stays as it is. Rejected with APP_NOT_FOUND. */
export const editApp = defineCall(
  'registry.editApp',
  z.object({
    id: idSchema,
    ifRevision: ifRevisionSchema,
    name: z.string().optional(),
    platform: platformSchema.optional(),
    description: z.string().nullable().optional(),
    signingKeyRotation: signingKeyRotationSchema.optional(),
    uniqueSignatures: z.boolean().optional(),
    keepBuilds: keepBuildsSchema.nullable().optional(),
    /** Channels that are left out stay as they are; null removes that of a channel, or of all of them. */
    defaultRollout: z
      .object({
        production: defaultRolloutSchema.nullable().optional(),
        staging: defaultRolloutSchema.nullable().optional(),
        development: defaultRolloutSchema.nullable().optional(),
      })
      .nullable()
      .optional(),
    /** Those that are left out stay as they are; null removes one. */
    attributes: attributeEditsSchema.optional(),
    /** Platforms that are left out stay as they are; null removes that of a platform, or of all of them. */
    defaultChannels: z.object(byPlatform(channelNameSchema.nullable())).nullable().optional(),
    /** Those that are left out stay as they are; null removes one, or all of them. */
    channelAliases: z.record(channelAliasSchema, channelNameSchema.nullable()).nullable().optional(),
  }),
  appSchema,
  ['APP_CHANGED', 'PLAN_TEMPLATE_NOT_FOUND', 'UPGRADE_NOT_FINISHED'],
);

/** What every app says of the retention of its builds, by id ascending from the one behind `after`. */
export const listBuildRetention = defineCall(
  'registry.listBuildRetention',
  z.object({ after: z.int().min(0), limit: z.int().min(1).max(1_000) }),
  z.array(z.object({ appId: idSchema, keepBuilds: keepBuildsSchema.nullable() })),
);

/**
 * Permanent, with its builds, jobs and keys: its bundle_id is free again. Rejected with APP_NOT_FOUND,
 * also once a removal has begun. A removal continues by itself after SERVICE_UNAVAILABLE.
 */
export const removeApp = defineCall(
  'registry.removeApp',
  z.object({ id: idSchema, ifRevision: ifRevisionSchema }),
  z.object({ deleted: z.literal(true), id: idSchema }),
  ['APP_CHANGED'],
);

/** Streams `apps`, `app-{id}`, `token-{id}` and `owner-{id}`, as other services read them. */
export type RegistryEvent =
  | {
      readonly type: 'AppRegistered';
      readonly data: {
        readonly id: number;
        readonly ownerId: number;
        readonly appId: string;
        readonly bundleId: string | null;
        readonly name: string;
        readonly description: string | null;
        readonly platform: z.infer<typeof platformSchema>;
        readonly tokenId: number | null;
      };
    }
  | {
      readonly type: 'AppEdited';
      readonly data: {
        readonly id: number;
        readonly name?: string;
        readonly description?: string | null;
        readonly platform?: z.infer<typeof platformSchema>;
        readonly signingKeyRotation?: z.infer<typeof signingKeyRotationSchema>;
        readonly uniqueSignatures?: boolean;
        readonly keepBuilds?: number | null;
        readonly defaultRollout?: App['default_rollout'];
        readonly attributes?: App['attributes'];
        readonly defaultChannels?: App['default_channels'];
        /** By alias, the id of a channel: a later channel of the same name is another one. */
        readonly channelAliases?: Readonly<Record<string, Channel>>;
      };
    }
  /** From here on the app is as good as gone. */
  | { readonly type: 'AppRemovalStarted'; readonly data: { readonly id: number } }
  /** Nothing of it changes any more: its bundle_id is free again. */
  | { readonly type: 'AppRemoved'; readonly data: { readonly id: number } }
  | {
      readonly type: 'TokenIssued';
      readonly data: {
        readonly id: number;
        readonly ownerId: number;
        readonly name: string;
        readonly permissions: readonly z.infer<typeof permissionSchema>[];
        readonly allApps: boolean;
        /** The apps selected for it; those that it registers itself come on top. */
        readonly apps: readonly number[];
        readonly expiresAt: string | null;
        /** SHA-256 of the token. */
        readonly hash: string;
      };
    }
  | {
      readonly type: 'TokenEdited';
      readonly data: {
        readonly id: number;
        readonly name: string;
        readonly permissions: readonly z.infer<typeof permissionSchema>[];
        readonly allApps: boolean;
        readonly apps: readonly number[];
        /** Of the apps that the token registered itself, those with a higher id alone count. */
        readonly ownAppsAfter: number;
        readonly expiresAt: string | null;
      };
    }
  | { readonly type: 'TokenRotated'; readonly data: { readonly id: number; readonly hash: string } }
  | { readonly type: 'TokenRevoked'; readonly data: { readonly id: number } }
  | { readonly type: 'OwnerKeyRotated'; readonly data: { readonly id: number; readonly hash: string } }
  | {
      readonly type: 'OwnerSuspended';
      readonly data: { readonly id: number; readonly reason: string; readonly stopDevices: boolean };
    }
  | { readonly type: 'OwnerResumed'; readonly data: { readonly id: number } }
  | {
      readonly type: 'OwnerCreated';
      readonly data: {
        readonly id: number;
        readonly name: string;
        /** SHA-256 of the owner key. */ readonly hash: string;
      };
    };

/** Streams of the registry, whose events change what clients are shown. */
export const registryChanges: AnnouncedChanges = {
  apps: { topic: 'apps', of: ({ data: { id } }) => ({ app: typeof id === 'number' ? id : null }) },
  'planTemplates-': { topic: 'apps', of: ({ subject }) => ({ app: Number(subject) }) },
  'app-': { topic: 'apps', of: ({ subject }) => ({ app: Number(subject) }) },
  'channels-': { topic: 'apps', of: ({ subject }) => ({ app: Number(subject) }) },
  'groups-': { topic: 'apps', of: ({ subject }) => ({ app: Number(subject) }) },
  'token-': { topic: 'tokens', of: ({ subject }) => ({ app: null, id: Number(subject) }) },
  'owner-': { topic: 'owner', of: ({ subject }) => ({ app: null, id: Number(subject) }) },
};
