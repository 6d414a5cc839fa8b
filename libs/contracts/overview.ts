import { z } from 'zod';
import { buildStateSchema } from './build-state';
import { buildSchema } from './builds';
import { defineCall } from './call';
import { buildHealthSchema } from './health';
import { openPlanSchema } from './plans';
import { appSchema } from './registry';
import { channelNameSchema, idSchema, timeSchema } from './values';

const count = z.int().min(0);

/** What the devices of an app are given, and what they report. */
export const appDevicesSchema = z.object({
  /** Of each channel the newest build that is active: further ones serve whom its rollout leaves out. */
  channels: z.array(
    z.object({
      channel: channelNameSchema,
      build: z
        .object({
          id: idSchema,
          version: z.string(),
          state: buildStateSchema,
          rollout_percentage: z.int().min(0).max(100),
          rollout_enabled: z.boolean(),
          mandatory: z.boolean(),
        })
        .nullable(),
    }),
  ),
  /** Days are UTC, today's is not over yet; up to a few seconds old. A device counts once a day. */
  active_today: count,
  active_yesterday: count,
  /** Reported since yesterday began. */
  install_failures: count,
  rollbacks: count,
});
export type AppDevices = z.infer<typeof appDevicesSchema>;

export const unfinishedBuildsSchema = z.object({
  processing: count,
  failed: count,
  recalled: z
    .array(buildSchema.pick({ id: true, version: true, channel: true, recall_reason: true }))
    .default([])
    .meta({ description: 'The recalled ones of the newest 20 builds that are paused, newest first.' }),
});
export type UnfinishedBuilds = z.infer<typeof unfinishedBuildsSchema>;

/** Whom the restrictions of an app's API keys kept out, since the keys that are there were made. */
export const blockedCallersSchema = z.object({ count, last_at: timeSchema.nullable() });
export type BlockedCallers = z.infer<typeof blockedCallersSchema>;

/** One app at a glance. A part is null while the service that knows it does not answer. */
export const appOverviewSchema = appSchema.pick({ id: true, app_id: true, name: true, platform: true }).extend({
  devices: appDevicesSchema.nullable(),
  builds: unfinishedBuildsSchema.nullable(),
  blocked: blockedCallersSchema.nullable(),
  plans: z
    .array(openPlanSchema)
    .nullable()
    .meta({ description: 'Rollout plans that run or are held, and those that failed and whose builds are stopped.' }),
  health: z
    .array(buildHealthSchema.omit({ days: true }))
    .nullable()
    .meta({ description: 'The current builds, at most 20: failing ones first, then those to watch, newest first.' }),
});
export type AppOverview = z.infer<typeof appOverviewSchema>;

/** Answers in the order of the apps; of an app that is none, nothing but zeros. */
const ofApps = z.object({ apps: z.array(idSchema).max(50) });
export const getAppDevices = defineCall('deviceUpdates.getAppDevices', ofApps, z.array(appDevicesSchema));
export const countUnfinishedBuilds = defineCall(
  'buildPipeline.countUnfinishedBuilds',
  ofApps,
  z.array(unfinishedBuildsSchema),
);
export const countBlockedCallers = defineCall('keys.countBlockedCallers', ofApps, z.array(blockedCallersSchema));
