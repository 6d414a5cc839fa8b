import { z } from 'zod';
import { daySchema } from './adoption';
import { buildStateSchema } from './build-state';
import { defineCall } from './call';
import { channelNameSchema, idSchema } from './values';

const count = z.int().min(0);

const dayOutcomesSchema = z.object({ day: daySchema, installed: count, failed: count, rolled_back: count });

/** What devices reported of a build. */
const outcomes = {
  build_id: idSchema,
  version: z.string(),
  channel: channelNameSchema,
  state: buildStateSchema,
  recalled: z.boolean(),
  rollout_percentage: z.int().min(0).max(100),
  running: count.meta({
    description: 'Devices that run the build now, by the last report of each within `DEVICE_STATE_DAYS` days.',
  }),
  channel_devices: count.meta({
    description: 'Devices that run any build of its channel. Those that run no known build are counted in production.',
  }),
  installed: count.meta({ description: 'Devices that installed it, since it was created.' }),
  failed: count.meta({ description: 'Devices whose installation failed.' }),
  rolled_back: count.meta({ description: 'Devices that rolled it back.' }),
  attempts: count.meta({ description: 'Devices that installed it, failed or rolled it back, each once.' }),
  failed_attempts: count.meta({ description: 'Devices whose installation failed or was rolled back, each once.' }),
};
const days = z.array(dayOutcomesSchema).meta({ description: 'The last 7 days (UTC), oldest first.' });

/**
 * The builds that devices of an app get, and those that are recalled: of each channel at most five and three, of the app
 * at most 60. The numbers are up to a few seconds old. An app that does not exist has none.
 */
export const countBuilds = defineCall(
  'deviceUpdates.countBuilds',
  z.object({ apps: z.array(idSchema).max(50) }),
  z.array(
    z.object({
      devices: count,
      builds: z.array(
        z.object({
          ...outcomes,
          days,
          /** The build before it in its channel. */
          previous: z.object({ build_id: idSchema, attempts: count, failed_attempts: count }).nullable(),
        }),
      ),
    }),
  ),
);
export type BuildCounts = z.infer<typeof countBuilds.reply>[number]['builds'][number];

export const healthSchema = z.enum(['healthy', 'watch', 'failing', 'unknown']).meta({
  description:
    'failing: it certainly fails on more devices than the limit allows; watch: it may; unknown: too few attempts to judge; healthy: none of these.',
});
export type Health = z.infer<typeof healthSchema>;

export const buildHealthSchema = z.object({
  ...outcomes,
  health: healthSchema,
  failed_percent: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .meta({ description: 'failed_attempts as a share of attempts. Null: there are no attempts.' }),
  limit_percent: z.number().min(0).max(100).meta({ description: 'The highest share that is accepted.' }),
  judged_by: z.enum(['plan', 'baseline', 'default']).meta({
    description:
      'Where the limit is from: the rollout plan of the build, the failure rate of the previous build, or the default of rollout plans.',
  }),
  baseline_build_id: idSchema.nullable().meta({ description: 'The previous build, if its failure rate counts.' }),
  days,
});
export type BuildHealth = z.infer<typeof buildHealthSchema>;

export const appHealthSchema = z.object({
  devices: count.meta({ description: 'Devices of the app that reported anything within `DEVICE_STATE_DAYS` days.' }),
  builds: z.array(buildHealthSchema),
});
export type AppHealth = z.infer<typeof appHealthSchema>;

/** In the order of the apps. */
export const getHealth = defineCall(
  'buildPipeline.getHealth',
  z.object({ apps: z.array(idSchema).max(50) }),
  z.array(appHealthSchema),
);
