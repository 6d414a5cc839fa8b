import { z } from 'zod';
import { buildStateSchema } from './build-state';
import { defineCall } from './call';
import { channelSchema, idSchema } from './values';

/** A UTC day, `2026-01-31`. */
export const daySchema = z.iso.date();
const days = { from: daySchema, to: daySchema };
const count = z.int().min(0);

export const devicePlatformSchema = z.enum(['ios', 'android', 'web', 'all']);

/** Active devices of an app by version and day; the numbers of `active` stand in the order of `days`. */
export const adoptionSchema = z.object({
  days: z.array(daySchema),
  /** The most used first. A `version` null stands for all others. */
  versions: z.array(z.object({ version: z.string().nullable(), active: z.array(count) })),
});
export type Adoption = z.infer<typeof adoptionSchema>;

const outcomes = {
  /** Of its channel, on days on which it was offered or reported. Approximate, as `offered` is. */
  checks: count,
  offered: count,
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
  channel: channelSchema,
  /** Since it was made. */
  totals: z.object(outcomes),
  days: z.array(z.object({ day: daySchema, ...outcomes })),
  /** What devices say went wrong on these days, the most frequent first, of reports that are kept. */
  errors: z.array(z.object({ report: z.enum(['download', 'install']), error: z.string(), count })),
});
export type BuildStats = z.infer<typeof buildStatsSchema>;

/** Which build a device would be offered now, and why not each newer one than it runs. */
export const explanationSchema = z.object({
  channel: channelSchema,
  platform: devicePlatformSchema,
  app_platform: z.enum(['ios', 'android', 'both']),
  /** As it was understood. */
  version: z.string(),
  /** Null: none was given, or it is no version, and so gates nothing. */
  app_version: z.string().nullable(),
  offered: z
    .object({
      build_id: idSchema,
      version: z.string(),
      mandatory: z.boolean(),
      /** The builds that make it so: itself, or those that it skips. */
      mandatory_because_of: z.array(idSchema),
    })
    .nullable(),
  /** Newest first; at most 200 of them. */
  newer: z.array(
    z.object({
      build_id: idSchema,
      version: z.string(),
      status: z.string(),
      state: buildStateSchema,
      mandatory: z.boolean(),
      min_native_version: z.string().nullable(),
      rollout_percentage: z.int().min(0).max(100),
      rollout_enabled: z.boolean(),
      /** Of the device in this build's rollout: in when below the percentage. */
      bucket: z.number().min(0).lt(100),
      offered: z.boolean(),
      why_not: z.array(z.enum(['status', 'platform', 'native_version', 'halted', 'rollout', 'newer_offered'])),
    }),
  ),
});
export type Explanation = z.infer<typeof explanationSchema>;

export const getAdoption = defineCall(
  'deviceUpdates.getAdoption',
  z.object({ appId: idSchema, ...days }),
  adoptionSchema,
);

/** Refused with BUILD_NOT_FOUND. */
export const getBuildStats = defineCall(
  'deviceUpdates.getBuildStats',
  z.object({ appId: idSchema, id: idSchema, ...days }),
  buildStatsSchema,
);

/** The versions as a device sends them. Refused with APP_NOT_FOUND. */
export const explainUpdate = defineCall(
  'deviceUpdates.explainUpdate',
  z.object({
    appId: idSchema,
    deviceId: z.string(),
    channel: channelSchema,
    platform: devicePlatformSchema,
    version: z.string(),
    appVersion: z.string().optional(),
  }),
  explanationSchema,
);

/** Deletes all that is kept of a device of the app; totals of closed days, which name no device, stay. */
export const forgetDevice = defineCall(
  'deviceUpdates.forgetDevice',
  z.object({ appId: idSchema, deviceId: z.string() }),
  z.object({ deleted: count }),
);
