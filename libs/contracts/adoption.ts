import { attributeRuleSchema } from './audience';
import { z } from 'zod';
import { buildStateSchema } from './build-state';
import { defineCall } from './call';
import { pageOf, pageRequestSchema } from './paging';
import {
  buildPlatformSchema,
  channelNameSchema,
  channelSchema,
  idSchema,
  recallTargetSchema,
  ringSchema,
  timeSchema,
} from './values';

/** A UTC day, `2026-01-31`. */
export const daySchema = z.iso.date();
const days = { from: daySchema, to: daySchema };
const count = z.int().min(0);

export const devicePlatformSchema = z.enum(['ios', 'android', 'web', 'all']);
export type DevicePlatform = z.infer<typeof devicePlatformSchema>;

/** The most used first. A `version` of null is all others. */
const versionsSchema = z.array(z.object({ version: z.string().nullable(), active: z.array(count) }));

/** Active devices of an app by day; the numbers of `total` and `active` are in the order of `days`. */
export const adoptionSchema = z.object({
  days: z.array(daySchema),
  /** A device counts once a day, whatever it reports. */
  total: z.array(count),
  /**
   * By the last version that a device reported that day. On days that an earlier release closed, a device may count for
   * several versions, so they may add up to more than `total`.
   */
  versions: versionsSchema,
  /** As in the last report of the day; a platform that no device reported is left out. */
  platforms: z.array(z.object({ platform: devicePlatformSchema, active: z.array(count) })),
  /** Of native apps, as in the last report of the day, of devices that send one. */
  native_versions: versionsSchema,
  releases: z
    .array(z.object({ build_id: idSchema, version: z.string(), channel: channelNameSchema, at: timeSchema }))
    .default([])
    .meta({
      description: 'The builds that first became active in their channel on these days, newest first, at most 200.',
    }),
});
export type Adoption = z.infer<typeof adoptionSchema>;

const outcomes = {
  /** Of its channel, on days on which it was first offered to a device, or reported. Approximate, as `offered` is. */
  checks: count,
  offered: count.meta({
    description:
      'Devices that were offered the build, each once, within about 2%: on a day those for the first time. Devices whose client sends no ID are left out.',
  }),
  downloads: count,
  download_failures: count,
  installs: count,
  install_failures: count,
  rollbacks: count,
};

/** What became of a build: of each device that reported a thing, once. */
export const buildStatsSchema = z.object({
  build_id: idSchema,
  version: z.string(),
  channel: channelNameSchema,
  /** Since it was made. */
  totals: z.object(outcomes),
  days: z.array(z.object({ day: daySchema, ...outcomes })),
  running: count.default(0).meta({
    description: 'Devices that run the build now, by the last report of each within `DEVICE_STATE_DAYS` days.',
  }),
  rolled_back_devices: count.default(0).meta({
    description: 'Devices that are not offered the build because they reported its rollback since it was retried last.',
  }),
  /** Errors that devices reported on these days, the most frequent first, of reports that are kept. */
  errors: z.array(
    z.object({
      report: z.enum(['download', 'install', 'rollback']),
      error: z.string(),
      count: count.meta({ description: 'Devices.' }),
      first_at: timeSchema.nullable().default(null).meta({
        description: 'When a device first reported it. Null: unknown, as of errors that are counted together.',
      }),
      last_at: timeSchema.nullable().default(null).meta({
        description: 'When it was last reported by a device that had not reported it before. Null: unknown.',
      }),
    }),
  ),
});
export type BuildStats = z.infer<typeof buildStatsSchema>;

const audienceOwnerSchema = z.enum(['channel', 'build']);

/** Which build a device would be offered now, and why not each newer one than it runs. */
export const explanationSchema = z.object({
  channel: channelNameSchema.meta({
    description: 'The channel that the device gets builds of. It may be another one than the requested.',
  }),
  channel_from: z.enum(['self_assigned', 'requested', 'default', 'production']).default('requested').meta({
    description:
      'Why it is this channel: the device has chosen it, the request names it, it is the default of the app for the platform, or none of these. An API key that belongs to one channel decides before all of these.',
  }),
  platform: devicePlatformSchema,
  app_platform: z.enum(['ios', 'android', 'both']),
  /** As it was understood. */
  version: z.string(),
  /** Null: none was given, or it is no version, and so gates nothing. */
  app_version: z.string().nullable(),
  fingerprint: z.string().nullable().default(null),
  /** Null: none was given. */
  embedded_version: z.string().nullable().default(null),
  native_update_required: z
    .object({ minimum: z.string() })
    .nullable()
    .default(null)
    .meta({ description: 'The lowest native version that would get the device a newer build, as in the check.' }),
  offered: z
    .object({
      build_id: idSchema,
      version: z.string(),
      mandatory: z.boolean(),
      /** The builds that make it so: itself, or those that it skips. */
      mandatory_because_of: z.array(idSchema),
    })
    .nullable(),
  /** Set if the version that the device runs is recalled. */
  recalled: z
    .object({
      /** The build that the device is sent to, also where that one was recalled in turn and has a target of its own. */
      target: recallTargetSchema,
      /** The check responds with rollBackToEmbedded. */
      roll_back_to_embedded: z.boolean(),
    })
    .nullable()
    .default(null),
  /** Newest first; at most 200 of them. */
  newer: z.array(
    z.object({
      build_id: idSchema,
      version: z.string(),
      status: z.string(),
      state: buildStateSchema,
      mandatory: z.boolean(),
      min_native_version: z.string().nullable(),
      native_range: z.string().nullable().default(null),
      fingerprint: z.string().nullable().default(null),
      platform: buildPlatformSchema.default('all'),
      rollout_percentage: z.int().min(0).max(100),
      rollout_enabled: z.boolean(),
      ring: ringSchema.default('per_build'),
      /** Of the device in this build's rollout: in when below the percentage. */
      bucket: z.number().min(0).lt(100),
      pinned: z.boolean().default(false).meta({ description: 'Whether the device is pinned to the build.' }),
      offered: z.boolean(),
      why_not: z.array(
        z.enum([
          ...(['status', 'recalled', 'recall_only', 'platform', 'build_platform', 'native_version'] as const),
          ...(['native_range', 'fingerprint', 'client', 'embedded_version'] as const),
          ...(['halted', 'audience', 'rollout', 'rolled_back', 'newer_offered'] as const),
        ]),
      ),
      audience_unmet: z
        .array(
          z.union([
            z.object({
              of: audienceOwnerSchema,
              attribute: z.string(),
              rule: attributeRuleSchema,
              value: z.string().nullable(),
            }),
            z.object({ of: audienceOwnerSchema, groups: z.array(z.string()) }),
            z.object({ of: audienceOwnerSchema, pinned_only: z.literal(true) }),
          ]),
        )
        .default([])
        .meta({
          description:
            'The rules of audiences that the device does not meet: attributes, with the value that it sends, groups of which none has it, and pinned_only, where it is not pinned. `of`: whose audience it is.',
        }),
    }),
  ),
});
export type Explanation = z.infer<typeof explanationSchema>;

export const getAdoption = defineCall(
  'deviceUpdates.getAdoption',
  z.object({ appId: idSchema, ...days }),
  adoptionSchema,
);

/** Rejected with BUILD_NOT_FOUND. */
export const getBuildStats = defineCall(
  'deviceUpdates.getBuildStats',
  z.object({ appId: idSchema, id: idSchema, ...days }),
  buildStatsSchema,
);

/** How many devices last reported each of these versions, in their order; within DEVICE_STATE_DAYS. */
export const countDevicesOnVersions = defineCall(
  'deviceUpdates.countDevicesOnVersions',
  z.object({ appId: idSchema, versions: z.array(z.string()).max(100) }),
  z.object({ counts: z.array(count) }),
);

/** The versions as a device sends them. Rejected with APP_NOT_FOUND. */
export const explainUpdate = defineCall(
  'deviceUpdates.explainUpdate',
  z.object({
    appId: idSchema,
    deviceId: z.string(),
    channel: channelSchema,
    /** The device names no channel, and `channel` is production. */
    unnamed: z.boolean().optional(),
    platform: devicePlatformSchema,
    version: z.string(),
    appVersion: z.string().optional(),
    fingerprint: z.string().optional(),
    embeddedVersion: z.string().optional(),
    attributes: z.record(z.string(), z.string()).optional(),
  }),
  explanationSchema,
);

/** What a device last reported. */
export const deviceStateSchema = z.object({
  last_seen_at: timeSchema,
  /** Of its bundle. Null: it reported none, or went back to one that it did not name. */
  version: z.string().nullable(),
  /** Of its native app. */
  native_version: z.string().nullable(),
  platform: devicePlatformSchema.nullable(),
  channel: channelNameSchema.nullable().default(null).meta({
    description:
      'The channel of the build that it last downloaded or installed, or the only one of the API key that it reported with. Null: not known, because reports name no channel.',
  }),
  api_key_id: idSchema.nullable().default(null).meta({
    description: 'The API key of its last report. Null: an earlier release stored the report.',
  }),
  /** What last became of a download or an install; null: it reported none. */
  last_outcome: z
    .object({
      build_id: idSchema,
      report: z.enum(['download', 'install']),
      status: z.enum(['complete', 'failed', 'rollback']),
    })
    .nullable(),
});
export type DeviceState = z.infer<typeof deviceStateSchema>;

/** A report of a device that is kept. */
export const keptReportSchema = z.object({
  /** Of this device's reports, such as `build/7/installs`. */
  id: z.string(),
  report: z.enum(['active', 'download', 'install']),
  /** Null of a device that was active. */
  status: z.enum(['complete', 'failed', 'rollback']).nullable(),
  /** Of a download or an install. */
  build_id: idSchema.nullable(),
  /** Of a device that was active: what it ran. */
  version: z.string().nullable(),
  native_version: z.string().nullable(),
  platform: devicePlatformSchema.nullable(),
  /** Of the first such report; of an active device, of the first one of the day with its version, platform and native version. */
  at: timeSchema,
  error: z.string().nullable(),
  previous_version: z.string().nullable(),
  inferred: z.boolean().default(false).meta({
    description: 'Whether Sluice inferred the report from an update check, because the client sends no reports.',
  }),
});
export type KeptReport = z.infer<typeof keptReportSchema>;

const ofDevice = { appId: idSchema, deviceId: z.string() };

/** What is kept of a device of the app, but its reports; `state` is null when nothing is. */
export const getDevice = defineCall(
  'deviceUpdates.getDevice',
  z.object(ofDevice),
  z.object({
    state: deviceStateSchema.nullable(),
    reports: count,
    rolled_back: z.array(idSchema).default([]).meta({
      description: 'The builds that the device is not offered because it reported their rollback.',
    }),
    pins: z
      .array(z.object({ build_id: idSchema, expires_at: timeSchema }))
      .default([])
      .meta({ description: 'The builds that the device is pinned to.' }),
    channel_pins: z
      .array(z.object({ channel: channelNameSchema, expires_at: timeSchema }))
      .default([])
      .meta({ description: 'The channels in whose audience the device is because it is pinned there.' }),
    groups: z.array(z.string()).default([]).meta({ description: 'The device groups that it is in.' }),
    chosen_channel: z.object({ channel: channelNameSchema, expires_at: timeSchema }).nullable().default(null).meta({
      description:
        'The channel that the device has chosen itself. It has an effect as long as the channel exists and has self_assign.',
    }),
  }),
);

/** The reports of a device that are kept, in a stable order. */
export const listDeviceReports = defineCall(
  'deviceUpdates.listDeviceReports',
  pageRequestSchema.extend(ofDevice),
  pageOf(keptReportSchema),
);

/**
 * For each signing key of an app, how many devices last reported a version that the server first signed while this was
 * the newest key: from when it was made until it was superseded. In the order of the keys.
 */
export const countDevicesBySigner = defineCall(
  'deviceUpdates.countDevicesBySigner',
  z.object({
    appId: idSchema,
    keys: z.array(z.object({ createdAt: timeSchema, supersededAt: timeSchema.nullable() })).max(50),
  }),
  z.object({ counts: z.array(count) }),
);

/** Deletes all that is kept of a device of the app; totals of closed days, which name no device, stay. */
export const forgetDevice = defineCall('deviceUpdates.forgetDevice', z.object(ofDevice), z.object({ deleted: count }));
