import { defineCall } from './call';
import { z } from 'zod';
import { pageOf, pageRequestSchema } from './paging';
import { channelNameSchema, idSchema, ifRevisionSchema, revisionOf, timeSchema } from './values';
import { webhookUrlSchema } from './webhook-url';

const MINUTES_A_MONTH = 43_200;
const wholeNumber = (name: string, from: number, to: number) => {
  const rule = `The ${name} must be a whole number from ${from} to ${to}.`;
  return z.int(rule).min(from, rule).max(to, rule);
};
const percent = (name: string) => {
  const rule = `The ${name} must be a number from 0.1 to 90.`;
  return z.number(rule).min(0.1, rule).max(90, rule);
};

export const planStepSchema = z.object({
  percentage: wholeNumber('percentage of a step', 1, 100),
  hold_minutes: wholeNumber('hold_minutes of a step', 0, MINUTES_A_MONTH).meta({
    description: 'The minimum duration of the step. A plan enters at most one step a minute.',
  }),
  min_devices: wholeNumber('min_devices of a step', 0, 10_000_000).meta({
    description:
      'How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not.',
  }),
});
export type PlanStep = z.infer<typeof planStepSchema>;

export const weekdaySchema = z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']);
export type Weekday = z.infer<typeof weekdaySchema>;

const hour = (name: string) =>
  z
    .string(`The ${name} of a window must be a time of day, for example 09:00.`)
    .regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, `The ${name} of a window must be a time of day, for example 09:00.`);

const WEEKDAYS = `The days of a window must be some of ${weekdaySchema.options.join(', ')}.`;

export const planWindowSchema = z
  .object({
    days: z
      .array(z.enum(weekdaySchema.options, WEEKDAYS), WEEKDAYS)
      .min(1, 'A window without days never opens. Name at least one weekday.')
      .max(7, WEEKDAYS),
    from: hour('from'),
    to: hour('to').meta({ description: 'Later than `from`. 24:00 is the end of the day.' }),
  })
  .refine(({ from, to }) => from < to, {
    path: ['to'],
    error:
      'A window whose `to` is not later than its `from` never opens. Split a window that passes midnight into two: one to 24:00, one from 00:00.',
  });
export type PlanWindow = z.infer<typeof planWindowSchema>;

const TIME_ZONE_RULE = 'The time_zone must be the name of a time zone, for example Europe/Berlin.';

export const ON_FAIL = ['hold', 'halt', 'recall'] as const;

/** What a plan does. Only numbers and rules: who set it and how far it is, is in its stream. */
export const planRulesSchema = z.object({
  steps: z
    .array(planStepSchema, 'A plan needs steps: a list of {percentage, hold_minutes, min_devices}.')
    .min(1, 'A plan needs at least one step.')
    .max(20, 'A plan has at most 20 steps.')
    .refine((steps) => steps.every(({ percentage }, at) => at === 0 || percentage > (steps[at - 1]?.percentage ?? 0)), {
      error: 'The percentages must rise from step to step.',
    })
    .meta({ description: 'The percentages must rise from step to step.' }),
  gates: z
    .object({
      failures: z
        .object({ threshold_percent: percent('threshold_percent of failures').default(2) })
        .prefault({})
        .meta({
          description:
            'Accepted share of the devices whose installation failed or was rolled back. The limit is this threshold, or 1.5 times the share of the previous build if that is higher, but at most 90.',
        }),
      silence: z
        .object({
          after_minutes: wholeNumber('after_minutes of silence', 1, MINUTES_A_MONTH).default(1_440),
          threshold_percent: percent('threshold_percent of silence').default(50),
        })
        .prefault({})
        .meta({
          description:
            'Of the devices that downloaded the build at least after_minutes ago, the share that has not reported how the installation ended. A step passes only if it is below the threshold.',
        }),
      webhook: z
        .object(
          {
            url: webhookUrlSchema.describe(
              'A public https address without user name and password. Everyone who can read the plan can read it, so it must not contain a secret.',
            ),
          },
          'The webhook must be {url}, or null.',
        )
        .nullable()
        .default(null)
        .meta({
          description:
            'The webhook gate: a service that has to answer pass before a step ends. It gets a signed POST once a minute. If it answers fail, the plan does what on_fail specifies.',
        }),
    })
    .prefault({}),
  windows: z
    .array(planWindowSchema, 'The windows must be a list of {days, from, to}.')
    .max(20, 'A plan has at most 20 windows.')
    .default([])
    .meta({ description: 'The weekdays and times of day at which the plan may enter a step. Empty: always.' }),
  time_zone: z
    .string(TIME_ZONE_RULE)
    .max(64, TIME_ZONE_RULE)
    .refine(isTimeZone, TIME_ZONE_RULE)
    .default('UTC')
    .meta({ description: 'The time zone of the windows: a name of the IANA time zone database.' }),
  start_at: timeSchema
    .nullable()
    .default(null)
    .meta({ description: 'The plan does not enter its first step before this time. Null: it may immediately.' }),
  on_fail: z.enum(ON_FAIL, 'The on_fail must be hold, halt or recall.').default('hold').meta({
    description:
      'What happens when a gate fails. hold: the build stays at its percentage until a person decides; halt: no further device is offered the build; recall: devices that run it also get the previous build.',
  }),
});
export type PlanRules = z.output<typeof planRulesSchema>;

/**
 * The rollout of a build from the moment it is active until its plan enters a step: that of the first step, or no device
 * if the plan waits for its start or for a window.
 */
export function openingPercentage({ steps, windows, start_at }: PlanRules): number {
  return start_at !== null || windows.length > 0 ? 0 : (steps[0]?.percentage ?? 0);
}

const TEMPLATE_NAME_RULE =
  'The name of a plan template must be 1 to 50 lower-case letters, digits and single hyphens, and begin with a letter, for example careful.';
export const templateNameSchema = z
  .string(TEMPLATE_NAME_RULE)
  .max(50, TEMPLATE_NAME_RULE)
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, TEMPLATE_NAME_RULE);

/** The rules of a plan, and the template that they were copied from. */
export const requestedPlanSchema = planRulesSchema.extend({
  template: templateNameSchema
    .nullable()
    .default(null)
    .meta({ description: 'The template that the plan was copied from. Null: none.' }),
});
export type RequestedPlan = z.output<typeof requestedPlanSchema>;

/** A template has no start_at: plans at any date use it. */
export const templateRulesSchema = planRulesSchema.omit({ start_at: true });

export const planTemplateSchema = templateRulesSchema.extend({
  name: templateNameSchema,
  revision: revisionOf('template').default(1),
  updated_at: timeSchema,
});
export type PlanTemplate = z.output<typeof planTemplateSchema>;

/** Whether the platform has rules of this time zone. */
function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const count = z.int().min(0);
const share = z.number().min(0).max(100);

export const WEBHOOK_VERDICTS = ['pass', 'fail', 'wait'] as const;
export const PLAN_VERDICTS = ['pass', 'fail', 'inconclusive'] as const;

const evidenceSchema = z.object({
  finished: count.meta({ description: 'Devices whose installation succeeded, failed or was rolled back.' }),
  failed: count.meta({ description: 'Those whose installation failed or was rolled back.' }),
  left_out: count.meta({
    description:
      'Further devices, which do not count: one address counts as at most 2% of the devices, or as 3 if that is more.',
  }),
  failed_percent: share,
  at_least_percent: share.meta({
    description:
      'The share is higher than this, with an error of at most 1 in 1,000 plans. The plan fails once it exceeds the limit.',
  }),
  silent: count.meta({
    description: 'Devices of the sample that have not reported how the installation ended.',
  }),
  downloaded: count.meta({
    description: 'The size of the sample: downloads that are old enough (gates.silence.after_minutes), at most 10,000.',
  }),
});

export const planSchema = requestedPlanSchema.extend({
  revision: revisionOf('plan'),
  build_id: idSchema,
  version: z.string(),
  channel: channelNameSchema,
  status: z.enum(['running', 'held', 'completed', 'failed', 'aborted']),
  message: z.string().meta({ description: 'The state of the plan and the reason, in words.' }),
  because: z.enum(['manual', 'inconclusive', 'failed', 'changed', 'deleted']).nullable().meta({
    description:
      'Why the plan is held or ended. manual: a person held it; inconclusive: the step is over without enough evidence; failed: a gate failed; changed: a person changed the rollout or the status of the build; deleted: the plan was deleted.',
  }),
  step: z.int().min(1).nullable().meta({ description: 'The number of the current or last step. Null: none yet.' }),
  entered: z
    .array(
      z.object({
        step: z.int().min(1),
        at: timeSchema.meta({ description: 'When the plan entered the step.' }),
        verdict: z.enum(PLAN_VERDICTS).nullable().meta({
          description:
            'The last verdict in this step. Null: there was none, as when a person skipped it before its end.',
        }),
        skipped: z.boolean().meta({ description: 'A person ended the step.' }),
      }),
    )
    .meta({ description: 'The steps that the plan has entered, in order.' }),
  change: z.string().nullable().meta({
    description:
      'The event of the build that ended the plan, for example RolloutChanged. Null: no change of the build ended it, or it is unknown which.',
  }),
  hold_until: timeSchema.nullable().meta({
    description: 'When the minimum duration of the step is over. Null: the plan is in no step, or is held or ended.',
  }),
  next_step_at: timeSchema.nullable().meta({
    description:
      'The earliest time at which the plan can enter its next step, or complete: after hold_until and start_at, and in a window. Null: it is held or ended.',
  }),
  limit_percent: share,
  baseline: z.object({ build_id: idSchema, finished: count, failed: count }).nullable().meta({
    description:
      'The previous build, whose failures can raise the limit. Null: there is none, or fewer than 1,000 devices reported a result of it.',
  }),
  judged: evidenceSchema
    .extend({ verdict: z.enum(PLAN_VERDICTS), step: z.int().min(1), at: timeSchema, reasons: z.array(z.string()) })
    .nullable()
    .meta({ description: 'The last recorded verdict.' }),
  now: evidenceSchema.omit({ silent: true, downloaded: true }).nullable().meta({
    description: 'From the reports until now. Null: the plan is in no step, or the reports could not be counted.',
  }),
  webhook_answer: z
    .object({
      verdict: z.enum(WEBHOOK_VERDICTS),
      reason: z.string().nullable().meta({
        description: 'The reason in the answer, cut after 200 characters; or why the answer is invalid.',
      }),
      at: timeSchema,
    })
    .nullable()
    .meta({ description: 'The last answer of the webhook gate. Null: there is no such gate, or no answer yet.' }),
  warnings: z.array(z.string()),
  set_at: timeSchema,
  ended_at: timeSchema.nullable(),
});
export type Plan = z.infer<typeof planSchema>;

/** A plan that somebody should see. Once a build that failed is not stopped any more, its plan is not listed. */
export const openPlanSchema = planSchema.pick({ build_id: true, version: true, channel: true, because: true }).extend({
  status: z.enum(['running', 'held', 'failed']),
  percentage: z
    .int()
    .min(1)
    .max(100)
    .nullable()
    .meta({ description: 'The percentage of its step. Null: it is in none yet.' }),
  reasons: z.array(z.string()).meta({ description: 'In words, why the last verdict was not `pass`.' }),
});
export type OpenPlan = z.infer<typeof openPlanSchema>;

/** At most 50 of each status for an app, in the order of the apps, newest first. */
export const listOpenPlans = defineCall(
  'buildPipeline.listOpenPlans',
  z.object({ apps: z.array(idSchema).max(50) }),
  z.array(z.array(openPlanSchema)),
);

const gateSecretSchema = z.string().meta({
  description:
    'The secret that verifies the requests to the webhook gates of this app (Standard Webhooks). Only this response contains it.',
});

const ofBuild = z.object({ appId: idSchema, id: idSchema });
const CHANGES = ['PLAN_NOT_FOUND', 'PLAN_NOT_RUNNING'];

/** Rejected with BUILD_NOT_FOUND, PLAN_RUNNING, and BUILD_NOT_READY unless the build is active. */
export const setPlan = defineCall(
  'buildPipeline.setPlan',
  ofBuild.extend({ plan: requestedPlanSchema }),
  planSchema.extend({ gate_secret: gateSecretSchema.optional() }),
  ['PLAN_RUNNING', 'BUILD_NOT_READY', 'BUILD_REPUBLISHED', 'UPGRADE_NOT_FINISHED'],
);

/** The plan that was set last. Rejected with BUILD_NOT_FOUND or PLAN_NOT_FOUND. */
export const getPlan = defineCall('buildPipeline.getPlan', ofBuild, planSchema, ['PLAN_NOT_FOUND']);

/** Ends the plan: the build keeps its rollout. */
export const deletePlan = defineCall('buildPipeline.deletePlan', ofBuild, planSchema, CHANGES);

/** The build keeps its percentage until the plan is resumed. */
export const holdPlan = defineCall('buildPipeline.holdPlan', ofBuild, planSchema, CHANGES);

/** The step begins again: it lasts for its hold_minutes from now on. */
export const resumePlan = defineCall('buildPipeline.resumePlan', ofBuild, planSchema, CHANGES);

/** Enters the next step immediately, or completes the plan. */
export const skipPlanStep = defineCall('buildPipeline.skipPlanStep', ofBuild, planSchema, CHANGES);

/**
 * All steps: those before the present one stay as they are, and the present one keeps its percentage. It has lasted as
 * long as before. Rejected with PLAN_CHANGED when the plan has another revision than the caller expects.
 */
export const changePlanSteps = defineCall(
  'buildPipeline.changePlanSteps',
  ofBuild.extend({ steps: planRulesSchema.shape.steps, ifRevision: ifRevisionSchema }),
  planSchema,
  [...CHANGES, 'PLAN_CHANGED', 'UPGRADE_NOT_FINISHED'],
);

const ofTemplate = z.object({ appId: idSchema, name: templateNameSchema });

/** By name. */
export const listPlanTemplates = defineCall(
  'registry.listPlanTemplates',
  pageRequestSchema.extend({ appId: idSchema }),
  pageOf(planTemplateSchema),
);

/** Rejected with PLAN_TEMPLATE_NOT_FOUND. */
export const getPlanTemplate = defineCall('registry.getPlanTemplate', ofTemplate, planTemplateSchema, [
  'PLAN_TEMPLATE_NOT_FOUND',
]);

/** Plans that were copied from the template stay as they are. */
export const setPlanTemplate = defineCall(
  'registry.setPlanTemplate',
  ofTemplate.extend({ ifRevision: ifRevisionSchema, rules: templateRulesSchema }),
  planTemplateSchema,
  ['PLAN_TEMPLATE_CHANGED', 'PLAN_TEMPLATE_LIMIT_REACHED', 'PLAN_TEMPLATE_NOT_FOUND'],
);

/** Rejected with PLAN_TEMPLATE_NOT_FOUND, and while a default rollout of the app names it. */
export const deletePlanTemplate = defineCall(
  'registry.deletePlanTemplate',
  ofTemplate.extend({ ifRevision: ifRevisionSchema }),
  z.object({ deleted: z.literal(true), name: templateNameSchema }),
  ['PLAN_TEMPLATE_CHANGED', 'PLAN_TEMPLATE_NOT_FOUND', 'PLAN_TEMPLATE_IN_USE'],
);

/**
 * What devices reported of the installations of a build, by reports that are kept. One address supplies at most 2% of
 * the devices, or 3. `silenceAfterMinutes`: also count downloads of which no installation followed.
 */
export const gateCountsSchema = z.object({
  finished: count,
  failed: count,
  leftOut: count,
  /** Of the address that supplies the most devices, and of the one that supplies the most failures, as they count. */
  mostFinished: count,
  mostFailed: count,
  downloaded: count,
  silent: count,
});
export type GateCounts = z.infer<typeof gateCountsSchema>;

export const countGate = defineCall(
  'deviceUpdates.countGate',
  z.object({ appId: idSchema, buildId: idSchema, silenceAfterMinutes: z.int().min(1).optional() }),
  gateCountsSchema,
);

/** Announced after devices reported the end of an installation: the ids of the builds, as `builds`. */
export const INSTALLATIONS_REPORTED = 'installationsReported';

const ofApp = z.object({ appId: idSchema });

/** Checks the address of a webhook gate, and creates the secret of the app unless it has one. Rejected as ValidationError. */
export const prepareGate = defineCall(
  'merchantSync.prepareGate',
  ofApp.extend({ url: z.string() }),
  z.object({ gate_secret: gateSecretSchema.optional() }),
);

/** Makes a new secret for the webhook gates of an app. The previous one is no longer used. */
export const replaceGateSecret = defineCall(
  'merchantSync.replaceGateSecret',
  ofApp,
  z.object({ gate_secret: gateSecretSchema }),
);

/** What a webhook gate is sent. */
export const gateRequestSchema = z.object({
  app: idSchema,
  build: idSchema,
  version: z.string(),
  channel: channelNameSchema,
  step: z.int().min(1),
  percentage: z.int().min(1).max(100),
  /** When the step began. */
  since: timeSchema,
  counts: z.object({ finished: count, failed: count, left_out: count }),
});

/** Asks a webhook gate. What is no valid answer is `wait`, with the reason in words. */
export const askGate = defineCall(
  'merchantSync.askGate',
  ofApp.extend({ url: z.string(), body: gateRequestSchema }),
  z.object({ verdict: z.enum(WEBHOOK_VERDICTS), reason: z.string().nullable() }),
);
