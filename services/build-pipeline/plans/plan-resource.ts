import type { GateCounts, Plan, RequestedPlan } from '@sluice/contracts';
import { channelName } from '@sluice/kernel';
import { limitOf, percent, weakSteps } from './domain/gate';
import { nextOpening } from './domain/windows';
import { type Evidence, holdMs, judgePlan, type LivePlan, type PlanRules, stepOf } from './domain/plan';
import type { TimedAnswer } from './webhook-answers';

/** The plan of the API. @param latest the last answer of its webhook gate, if it is known apart from the verdict */
export function toPlan(plan: LivePlan, counts: GateCounts | undefined, latest: TimedAnswer | undefined): Plan {
  const { status, because, step, judged, baseline, change } = plan;
  const answer = latest ?? (judged?.webhook && { ...judged.webhook, at: judged.at });
  const limit = limitOf(plan);
  const now = counts && judgePlan(plan, counts);
  const until = status === 'running' && step > 0 ? Date.parse(plan.since) + holdMs(plan) : undefined;
  return {
    ...sentRules(plan),
    ...{
      revision: plan.revision,
      build_id: plan.buildId,
      version: plan.version,
      channel: channelName(plan.basis.channel),
    },
    ...{ status, because, message: messageOf(plan, answer), step: step === 0 ? null : step },
    entered: plan.entered.map((each) => ({ ...each })),
    change: change === 'unknown' ? null : change,
    hold_until: until === undefined ? null : new Date(until).toISOString(),
    next_step_at: status === 'running' ? (nextOpening(plan.windows, plan.timeZone, earliestOf(plan)) ?? null) : null,
    limit_percent: asPercent(limit),
    baseline: baseline && { build_id: baseline.buildId, finished: baseline.finished, failed: baseline.failed },
    judged: judged && {
      ...evidenceOf(judged),
      ...{ downloaded: judged.downloaded, silent: judged.silent },
      ...{ verdict: judged.verdict, step: judged.step, at: judged.at, reasons: [...judged.reasons] },
    },
    now: now ? evidenceOf(now) : null,
    webhook_answer: answer ?? null,
    warnings: weakSteps(plan.steps, limit, step),
    set_at: plan.setAt,
    ended_at: plan.endedAt,
  };
}

/** Steps as the domain has them. */
export function readSteps(sent: RequestedPlan['steps']): PlanRules['steps'] {
  return sent.map(({ percentage, hold_minutes: holdMinutes, min_devices: minDevices }) => ({
    ...{ percentage, holdMinutes, minDevices },
  }));
}

/** The rules as the domain has them. */
export function readRules(sent: RequestedPlan): PlanRules {
  const { steps, gates, windows, time_zone, start_at, on_fail, template } = sent;
  return {
    steps: readSteps(steps),
    failureThreshold: gates.failures.threshold_percent,
    silenceAfterMinutes: gates.silence.after_minutes,
    silenceThreshold: gates.silence.threshold_percent,
    windows,
    timeZone: time_zone,
    startAt: start_at,
    onFail: on_fail,
    ...(gates.webhook !== null && { webhookUrl: gates.webhook.url }),
    ...(template !== null && { template }),
  };
}

function sentRules(rules: PlanRules): RequestedPlan {
  return {
    steps: rules.steps.map(({ percentage, holdMinutes: hold_minutes, minDevices: min_devices }) => ({
      ...{ percentage, hold_minutes, min_devices },
    })),
    gates: {
      failures: { threshold_percent: rules.failureThreshold },
      silence: { after_minutes: rules.silenceAfterMinutes, threshold_percent: rules.silenceThreshold },
      webhook: rules.webhookUrl === undefined ? null : { url: rules.webhookUrl },
    },
    windows: rules.windows.map(({ days, from, to }) => ({ days: [...days], from, to })),
    ...{ time_zone: rules.timeZone, start_at: rules.startAt, on_fail: rules.onFail },
    template: rules.template ?? null,
  };
}

/** As far as its step and its start decide. */
function earliestOf(plan: LivePlan): string {
  const start = plan.step === 0 && plan.startAt !== null ? Date.parse(plan.startAt) : 0;
  return new Date(Math.max(Date.parse(plan.since) + holdMs(plan), start)).toISOString();
}

function evidenceOf({ finished, failed, leftOut, rate, bound }: Evidence) {
  return {
    ...{ finished, failed, left_out: leftOut },
    ...{ failed_percent: asPercent(rate), at_least_percent: asPercent(bound) },
  };
}

function asPercent(share: number): number {
  return Number((share * 100).toFixed(3));
}

function messageOf(plan: LivePlan, answer: TimedAnswer | undefined): string {
  const { status, because, step, steps, judged, change, onFail } = plan;
  const at = step === 0 ? 'before its first step' : `at ${percent((stepOf(plan)?.percentage ?? 0) / 100)}`;
  const reasons = judged === null ? '' : ` ${judged.reasons.join(' ')}`;
  switch (status) {
    case 'running':
      return step === 0
        ? 'The plan waits for its start or for a window.'
        : `Step ${step} of ${steps.length}, ${at} of the devices.${waitsFor(answer)}`;
    case 'held':
      if (because === 'manual') return `Held by a person ${at}.`;
      if (because === 'inconclusive') return `Held ${at}: the step is over without enough evidence.${reasons}`;
      return judged?.webhook === undefined
        ? `Held ${at}: the build fails on too many devices.${reasons}`
        : `Held ${at}.${reasons}`;
    case 'completed':
      return `Completed ${at}.`;
    case 'failed':
      return `Failed ${at}, and the build was ${onFail === 'recall' ? 'recalled' : 'halted'}.${reasons}`;
    case 'aborted':
      return because === 'deleted'
        ? `Deleted ${at}.`
        : `Ended ${at}, because a person changed the build${change === null || change === 'unknown' ? '' : ` (${change})`}.`;
  }
}

function waitsFor(answer: TimedAnswer | undefined): string {
  if (answer?.verdict !== 'wait') return '';
  return ` The webhook gate does not pass yet${answer.reason === null ? '.' : `: ${answer.reason}`}`;
}
