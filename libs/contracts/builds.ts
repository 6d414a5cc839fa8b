import type { Audience } from '@sluice/kernel/audience';
import type { Delivery } from '@sluice/kernel/delivery';
import { audienceNamesSchema, audienceSchema } from './audience';
import { buildStateSchema } from './build-state';
import type { JsonObject } from '@sluice/kernel/json';
import { defineCall } from './call';
import { deliverySchema } from './delivery';
import { z } from 'zod';
import type { AnnouncedChanges } from './changes';
import { pageOf, pageRequestSchema } from './paging';
import { requestedPlanSchema } from './plans';
import { appSchema, keepBuildsSchema } from './registry';
import {
  buildPlatformSchema,
  buildStatusSchema,
  channelNameSchema,
  channelSchema,
  idSchema,
  ifRevisionSchema,
  jobStatusSchema,
  recallTargetSchema,
  revisionOf,
  ringSchema,
  timeSchema,
  ulidSchema,
  type BuildPlatform,
  type Channel,
  type RecallTarget,
  type Ring,
} from './values';

/** The metadata of builds as it is stored and read: its rules are those of the upload. */
const storedMetadataSchema = z.record(z.string(), z.string());

/**
 * A build. `job_id` is the job that checks or checked it, null for a promoted build.
 */
export const buildSchema = z.object({
  id: idSchema,
  version: z.string(),
  channel: channelNameSchema,
  status: buildStatusSchema,
  state: buildStateSchema.meta({
    description:
      'From status and rollout together. live: every device that it suits gets it; rolling_out: rollout_percentage of them; stopped: no further device, because it is paused, halted or at 0%.',
  }),
  checksum: z.string().nullable(),
  checksum_algorithm: z.literal('SHA-256').nullable(),
  signature: z.string().nullable(),
  file_size: z.int().nullable(),
  release_notes: z.string().nullable(),
  min_native_version: z.string().nullable(),
  native_range: z.string().nullable().default(null).meta({
    description: 'A semver range: only devices whose native version is in it get the build, and those that send none.',
  }),
  fingerprint: z.string().nullable().default(null).meta({
    description: 'Only devices that send exactly this text in X-Native-Fingerprint get the build.',
  }),
  platform: buildPlatformSchema.default('all').meta({
    description: 'ios, android: only devices of that platform get the build. all: every device that the app is for.',
  }),
  delivery: deliverySchema.nullable().default(null).meta({
    description:
      'Of a bundle that was encrypted before its upload: what clients need to decrypt it. Only clients of that update service are offered the build. Null: the bundle is a zip.',
  }),
  rollout_percentage: z.int().min(0).max(100).nullable(),
  rollout_enabled: z.boolean(),
  ring: ringSchema.default('per_build').meta({
    description:
      'Which devices the percentage selects: per_build, for each build other ones; stable, the same ones first for all builds of the app with a stable ring.',
  }),
  mandatory: z.boolean(),
  audience: audienceSchema.nullable().default(null).meta({
    description: 'The devices that are offered the build; its rollout is a percentage of them. Null: all devices.',
  }),
  promoted_from_id: idSchema.nullable(),
  recalled_at: timeSchema.nullable().default(null).meta({
    description: 'Set while the build is recalled. Its status is paused then.',
  }),
  recall_reason: z.string().nullable().default(null),
  recall_target: recallTargetSchema.nullable().default(null).meta({
    description:
      'What devices that run a recalled build get: the ID of a build, embedded (the bundle inside their native app), or none.',
  }),
  recall_of: idSchema.nullable().default(null).meta({
    description: 'The recalled build whose devices get this build. Other devices never get it.',
  }),
  republished_from_id: idSchema.nullable().default(null).meta({
    description: 'The build that this one republishes under a higher version, for a recall.',
  }),
  job_id: ulidSchema.nullable(),
  metadata: storedMetadataSchema.default({}).meta({
    description:
      'What the upload stated about the origin of the build, such as its commit. Empty: nothing. A promoted build has that of its source.',
  }),
  revision: revisionOf('build'),
  created_at: timeSchema,
  updated_at: timeSchema,
});
export type Build = z.infer<typeof buildSchema>;

/** A job, without `status_url`, which the gateway adds; the integer `app_id` is only for scoping. */
export const jobSchema = z.object({
  id: ulidSchema,
  type: z.literal('build.process'),
  status: jobStatusSchema,
  attempts: z.int().min(0),
  result: z.object({ build_id: idSchema, version: z.string(), channel: channelNameSchema }).nullable(),
  error: z.string().nullable(),
  queued_at: timeSchema.nullable(),
  started_at: timeSchema.nullable(),
  finished_at: timeSchema.nullable(),
  app_id: idSchema,
});
export type Job = z.infer<typeof jobSchema>;

/** `names`: with an audience, what it may name. */
const chosenAudience = { audience: audienceSchema.optional(), names: audienceNamesSchema.optional() };

/**
 * The bundle lies in the object store already. Rejected with VERSION_ALREADY_EXISTS or VERSION_NOT_NEWER; as a fault of
 * the field `signature` where signatures are to be unique and another version of the app carries it; with
 * UPGRADE_NOT_FINISHED while the installation has no format that knows native ranges, fingerprints, platforms and deliveries.
 */
export const acceptBuild = defineCall(
  'buildPipeline.acceptBuild',
  z.object({
    appId: idSchema,
    channel: channelSchema,
    version: z.string(),
    objectKey: z.string(),
    size: z.int().min(0),
    /** Lower-case hex SHA-256 of the bundle. */
    checksum: z.string(),
    signature: z.string().nullable(),
    releaseNotes: z.string().nullable(),
    minNativeVersion: z.string().nullable(),
    nativeRange: z.string().optional(),
    fingerprint: z.string().optional(),
    /** Left out: all. */
    platform: buildPlatformSchema.optional(),
    delivery: deliverySchema.optional(),
    /** With a plan, its openingPercentage. */
    rolloutPercentage: z.int().min(0).max(100),
    mandatory: z.boolean(),
    ring: ringSchema.optional(),
    /** Is set once the build is active. */
    plan: requestedPlanSchema.optional(),
    uniqueSignatures: z.boolean().optional(),
    metadata: storedMetadataSchema.optional(),
    ...chosenAudience,
  }),
  z.object({
    job_id: ulidSchema,
    build: buildSchema.pick({ id: true, version: true, channel: true, status: true }),
    /** Of the bundle that was accepted: for a repeat, that of the first time. */
    objectKey: z.string(),
  }),
);

/** By the id of the build, as it was uploaded; builds without metadata and deleted ones are left out. */
export const metadataOfBuilds = defineCall(
  'buildPipeline.metadataOfBuilds',
  z.object({ builds: z.array(idSchema) }),
  z.record(z.string(), storedMetadataSchema),
);

/** Rejected with BUILD_NOT_FOUND, also when there was no such build yet at the time `asOf`. */
export const getBuild = defineCall(
  'buildPipeline.getBuild',
  z.object({ appId: idSchema, id: idSchema, asOf: timeSchema.optional() }),
  buildSchema,
);

/** Newest first; as they stood at the time `asOf`, else as they stand now. */
export const listBuilds = defineCall(
  'buildPipeline.listBuilds',
  pageRequestSchema.extend({
    appId: idSchema,
    channel: channelSchema.optional(),
    status: buildStatusSchema.optional(),
    asOf: timeSchema.optional(),
  }),
  pageOf(buildSchema),
);

/** Of the builds of a version, those that are found in each app. */
export const MAX_FOUND_BUILDS = 5;

export const foundBuildSchema = buildSchema.pick({ id: true, version: true, channel: true, status: true });

/** An app, and what was found in it. */
export const foundInAppSchema = appSchema
  .pick({ id: true, app_id: true, name: true })
  .extend({ builds: z.array(foundBuildSchema) });
export type FoundInApp = z.infer<typeof foundInAppSchema>;

/** For each of the apps, in their order: its newest builds of exactly this version. */
export const findBuilds = defineCall(
  'buildPipeline.findBuilds',
  z.object({ apps: z.array(idSchema).max(50), version: z.string().max(100) }),
  z.array(z.array(foundBuildSchema).max(MAX_FOUND_BUILDS)),
);

/**
 * Members left out stay as they are. Rejected with BUILD_NOT_FOUND, BUILD_CHANGED, BUILD_NOT_READY or
 * VERSION_ALREADY_EXISTS.
 */
export const editBuild = defineCall(
  'buildPipeline.editBuild',
  z.object({
    appId: idSchema,
    id: idSchema,
    status: z.enum(['active', 'paused', 'archived']).optional(),
    releaseNotes: z.string().nullable().optional(),
    /** Setting it clears nativeRange, and the other way round. */
    minNativeVersion: z.string().nullable().optional(),
    nativeRange: z.string().nullable().optional(),
    fingerprint: z.string().nullable().optional(),
    mandatory: z.boolean().optional(),
    ...chosenAudience,
    /** Null: it is for all devices again. */
    audience: chosenAudience.audience.nullable(),
    ifRevision: ifRevisionSchema,
  }),
  buildSchema,
  [
    'BUILD_CHANGED',
    'BUILD_NOT_READY',
    'VERSION_ALREADY_EXISTS',
    'BUILD_RECALLED',
    'BUILD_REPUBLISHED',
    'UPGRADE_NOT_FINISHED',
  ],
);

/** Members left out stay as they are. */
export const changeRollout = defineCall(
  'buildPipeline.changeRollout',
  z.object({
    appId: idSchema,
    id: idSchema,
    rolloutPercentage: z.int().min(0).max(100).optional(),
    enabled: z.boolean().optional(),
    ring: ringSchema.optional(),
    ifRevision: ifRevisionSchema,
  }),
  buildSchema,
  ['BUILD_CHANGED', 'BUILD_REPUBLISHED', 'UPGRADE_NOT_FINISHED'],
);

export const promoteBuild = defineCall(
  'buildPipeline.promoteBuild',
  z.object({
    appId: idSchema,
    id: idSchema,
    targetChannel: channelSchema,
    /** With a plan, its openingPercentage. */
    rolloutPercentage: z.int().min(0).max(100).optional(),
    mandatory: z.boolean().optional(),
    /** Default: that of the build. */
    ring: ringSchema.optional(),
    plan: requestedPlanSchema.optional(),
    ...chosenAudience,
  }),
  buildSchema,
  ['BUILD_NOT_READY', 'VERSION_ALREADY_EXISTS', 'ALREADY_IN_CHANNEL', 'BUILD_RECALLED', 'UPGRADE_NOT_FINISHED'],
);

/**
 * Permanent: the version is free again, and builds promoted from it keep working. Rejected with
 * BUILD_NOT_FOUND, also the second time, or BUILD_CHANGED.
 */
export const deleteBuild = defineCall(
  'buildPipeline.deleteBuild',
  z.object({ appId: idSchema, id: idSchema, ifRevision: ifRevisionSchema }),
  z.object({ deleted: z.literal(true), id: idSchema }),
  ['BUILD_CHANGED', 'BUILD_REPUBLISHED'],
);

/** A build with the same bundle in another channel of the app. */
const copySchema = buildSchema.pick({ id: true, channel: true, version: true });

export const recallReplySchema = z.object({
  build: buildSchema,
  /** The build that devices of the recalled one get; null: the target is `embedded` or `none`. */
  republished: buildSchema.nullable(),
  also_in: z.array(copySchema).meta({
    description: 'Builds with the same bundle in other channels that are not recalled.',
  }),
  also_recalled: z.array(copySchema).meta({
    description: 'Builds with the same bundle in other channels that are recalled.',
  }),
  presigned_until: timeSchema.nullable().meta({
    description:
      'Until when the object store still serves download URLs that it was asked for before. Null: the server serves all downloads, and rejects those of the build from now on.',
  }),
});

/** A recall in force, or what one would do now. */
export const recallPlanSchema = z.object({
  build: buildSchema.pick({ id: true, channel: true, version: true }),
  recalled_at: timeSchema
    .nullable()
    .meta({ description: 'Null: the build is not recalled, and the rest is what a recall would do.' }),
  reason: z.string().nullable(),
  target: recallTargetSchema.nullable().meta({
    description:
      'Where devices of the version go, also where the target was recalled in turn. Null: no build below it can run on every device that can run it, so that a recall has to name a target.',
  }),
  target_version: z.string().nullable(),
  replacement: z
    .object({ id: idSchema.nullable(), version: z.string() })
    .nullable()
    .meta({ description: 'The build that devices of the version get. Its ID is null before the recall.' }),
  also_in: recallReplySchema.shape.also_in,
  also_recalled: recallReplySchema.shape.also_recalled,
});

export type RecallPlan = z.infer<typeof recallPlanSchema>;

/** Also of a deleted build that is recalled. Rejected with BUILD_NOT_FOUND, or BUILD_REPUBLISHED. */
export const getRecall = defineCall(
  'buildPipeline.getRecall',
  z.object({ appId: idSchema, id: idSchema }),
  recallPlanSchema,
  ['BUILD_REPUBLISHED'],
);

/**
 * From the reply on no device is offered the build. Devices that run its version get the target: by default the newest
 * build below it that devices could run. A repeat with the same target changes nothing. Rejected with BUILD_NOT_FOUND
 * also for a target of another channel, and while the installation has no format that knows recalls.
 */
export const recallBuild = defineCall(
  'buildPipeline.recallBuild',
  z.object({
    appId: idSchema,
    id: idSchema,
    reason: z.string(),
    to: recallTargetSchema.optional(),
    version: z.string().optional(),
    everywhere: z.boolean().optional(),
  }),
  recallReplySchema,
  [
    'BUILD_RECALLED',
    'BUILD_REPUBLISHED',
    'BUILD_NOT_READY',
    'RECALL_TARGET_MISSING',
    'VERSION_ALREADY_EXISTS',
    'UPGRADE_NOT_FINISHED',
  ],
);

/** Leaves the build paused. Devices that the recall moved stay where they are. */
export const unrecallBuild = defineCall(
  'buildPipeline.unrecallBuild',
  z.object({ appId: idSchema, id: idSchema }),
  /** `build` null: it was deleted. Its version is free again. */
  z.object({ id: idSchema, build: buildSchema.nullable() }),
);

/** Devices that rolled the build back are offered it again. Rejected with BUILD_NOT_FOUND. */
export const retryBuild = defineCall(
  'buildPipeline.retryBuild',
  z.object({ appId: idSchema, id: idSchema }),
  buildSchema,
  ['BUILD_RECALLED', 'BUILD_NOT_READY', 'UPGRADE_NOT_FINISHED'],
);

/** So many builds are named; all are counted. */
export const MAX_PREVIEWED_BUILDS = 1_000;

/** What the retention of builds would delete of an app now. */
export const retentionSchema = z.object({
  /** How many builds of each channel it keeps; 0: all of them. */
  keep_builds: keepBuildsSchema,
  total: z.int().min(0),
  /** Of the bundles that no other build needs. */
  freed_bytes: z.int().min(0),
  /** By channel, newest version first; at most 1,000. */
  builds: z.array(
    buildSchema.pick({ id: true, version: true, channel: true, state: true, file_size: true, created_at: true }),
  ),
});
export type Retention = z.infer<typeof retentionSchema>;

/** `keepBuilds` null: the installation's number. */
export const previewRetention = defineCall(
  'buildPipeline.previewRetention',
  z.object({ appId: idSchema, keepBuilds: keepBuildsSchema.nullable() }),
  retentionSchema,
);

/** Bytes of the bundles of these apps, those without one left out; one that several builds share counts once. */
export const getStorage = defineCall(
  'buildPipeline.getStorage',
  z.object({ apps: z.array(idSchema) }),
  z.array(z.object({ appId: idSchema, bytes: z.int().min(0) })),
);

const bytes = z.int().min(0);

/** How much of its storage an owner uses. */
export const storageSchema = z.object({
  limit_bytes: bytes,
  used_bytes: bytes,
  /** By id, those without a bundle left out. */
  apps: z.array(z.object({ id: idSchema, bytes })),
});
export type Storage = z.infer<typeof storageSchema>;

/** Of an app that is being removed: its channels take nothing more. Any number of times. */
export const closeAppChannels = defineCall(
  'buildPipeline.closeAppChannels',
  z.object({ appId: idSchema, /** In addition to the standard ones. */ added: z.array(channelSchema).default([]) }),
  z.object({ closed: z.literal(true) }),
);

/** Rejected with JOB_NOT_FOUND. */
export const getJob = defineCall('buildPipeline.getJob', z.object({ id: ulidSchema }), jobSchema);

type NativePlatform = Exclude<BuildPlatform, 'all'>;

/** What a build is, wherever it came from. */
export interface BuildFacts {
  readonly buildId: number;
  /** What devices know the build by: a UUID. */
  readonly bundleId: string;
  readonly appId: number;
  readonly channel: Channel;
  readonly version: string;
  readonly objectKey: string;
  /** Bytes. */
  readonly size: number;
  /** Lower-case hex SHA-256 of the bundle. */
  readonly checksum: string;
  readonly signature: string | null;
  readonly releaseNotes: string | null;
  readonly minNativeVersion: string | null;
  /** A semver range of native versions; null or left out: any. */
  readonly nativeRange?: string | null;
  /** What devices have to send as their own; null or left out: any, or none. */
  readonly fingerprint?: string | null;
  /** Left out: all. */
  readonly platform?: NativePlatform;
  /** Left out: the bundle is a zip, and no ciphertext. */
  readonly delivery?: Delivery;
  readonly rolloutPercentage: number;
  readonly mandatory: boolean;
  /** Left out: per_build. */
  readonly ring?: Ring | undefined;
}

/** Left out: all devices. */
interface ForAudience {
  readonly audience?: Audience;
}

/** Streams `channel-{appId}-{channel}`, as other services read them. */
export type BuildEvent =
  /** `plan`: the RequestedPlan that is set once the build is active; until then the build has its openingPercentage. */
  | {
      readonly type: 'BuildAccepted';
      readonly data: BuildFacts & ForAudience & { readonly jobId: string; readonly plan?: JsonObject };
    }
  /** `signature`: made by the server; a supplied one stands in BuildAccepted. */
  | { readonly type: 'BuildActivated'; readonly data: { readonly buildId: number; readonly signature?: string } }
  | { readonly type: 'BuildFailed'; readonly data: { readonly buildId: number; readonly error: string } }
  /** `signedByServer`: its signature is one that the server made for the bundle; left out, or it was supplied. */
  | {
      readonly type: 'BuildPromoted';
      readonly data: BuildFacts &
        ForAudience & {
          readonly promotedFromId: number;
          readonly signedByServer?: true;
          readonly plan?: JsonObject;
        };
    }
  /** In the source's channel: the bundle is promised to a build that may appear in the target's. */
  | {
      readonly type: 'PromotionStarted';
      readonly data: {
        readonly buildId: number;
        readonly appId: number;
        readonly objectKey: string;
        readonly promotedId: number;
        readonly targetChannel: Channel;
      };
    }
  /** In the target's channel: that build will never appear. */
  | { readonly type: 'PromotionCancelled'; readonly data: { readonly buildId: number } }
  | { readonly type: 'BuildPaused'; readonly data: { readonly buildId: number } }
  | { readonly type: 'BuildResumed'; readonly data: { readonly buildId: number } }
  | { readonly type: 'BuildArchived'; readonly data: { readonly buildId: number } }
  | {
      readonly type: 'BuildEdited';
      readonly data: {
        readonly buildId: number;
        readonly releaseNotes?: string | null;
        readonly minNativeVersion?: string | null;
        readonly nativeRange?: string | null;
        readonly fingerprint?: string | null;
        readonly mandatory?: boolean;
        /** Null: it is for all devices again. */
        readonly audience?: Audience | null;
      };
    }
  /** `planRevision`: a rollout plan did it; left out: a person did. */
  | {
      readonly type: 'RolloutChanged';
      readonly data: {
        readonly buildId: number;
        readonly rolloutPercentage: number;
        readonly enabled: boolean;
        readonly ring?: Ring;
        readonly planRevision?: number;
      };
    }
  /** Paused until it is unrecalled; devices that run its version get the target. `everywhere`: its copies in other channels are recalled too. */
  | {
      readonly type: 'BuildRecalled';
      readonly data: {
        readonly buildId: number;
        readonly appId: number;
        readonly channel: Channel;
        readonly version: string;
        /** Of the build; left out: all. */
        readonly platform?: NativePlatform;
        readonly checksum: string;
        readonly reason: string;
        readonly target: RecallTarget;
        readonly everywhere?: true;
      };
    }
  /**
   * The target of a recall once more, under a version above all others, for devices of the recalled build alone.
   * `republishedVersion`: that of the target.
   */
  | {
      readonly type: 'BuildRepublished';
      readonly data: BuildFacts & {
        readonly recallOf: number;
        readonly republishedFromId: number;
        readonly republishedVersion?: string;
        readonly signedByServer?: true;
      };
    }
  /** The recall is over; the build stays paused. */
  | { readonly type: 'BuildUnrecalled'; readonly data: { readonly buildId: number } }
  /** Devices that rolled it back are offered it again. `retries`: how often so far, this time included. */
  | { readonly type: 'BuildRetried'; readonly data: { readonly buildId: number; readonly retries: number } }
  /** Devices were pinned to it or no longer are: how many, and how many are pinned until when. Null: none is. */
  | {
      readonly type: 'PinsChanged';
      readonly data: {
        readonly buildId: number;
        readonly added: number;
        readonly removed: number;
        readonly devices: number;
        readonly until: string | null;
      };
    }
  | {
      readonly type: 'BuildDeleted';
      readonly data: {
        readonly buildId: number;
        readonly objectKey: string;
        /** The job that was still to check it. */
        readonly jobId: string | null;
      };
    }
  /** The channel or its app is being removed: from here on it takes nothing more and gives its builds up. */
  | {
      readonly type: 'ChannelClosed';
      readonly data: { readonly appId: number; readonly channel: Channel };
    };

/** Streams of the build pipeline, whose events change what clients are shown. */
export const buildChanges: AnnouncedChanges = {
  'channel-': { topic: 'builds', of: ({ subject, data }) => ({ app: Number(subject), id: data['buildId'] }) },
  'plan-': { topic: 'builds', of: ({ subject, data }) => ({ app: Number(data['appId']), id: Number(subject) }) },
  'job-': {
    topic: 'jobs',
    of: ({ subject, type }) => (type === 'JobRenewed' ? undefined : { app: null, id: subject }),
    appInFirstEvent: true,
  },
};
