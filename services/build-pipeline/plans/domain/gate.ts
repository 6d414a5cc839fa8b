import { failuresToExceed, lowerBound } from './evidence';
import type { Baseline, Evidence, PlanRules, PlanStep } from './plan-events';

/** The chance that a plan ever stops a build whose failures are at the limit, over all its steps. */
const ALPHA = 0.001;
/** Fewer devices of the build before it show no rate. */
export const BASELINE_DEVICES = 1_000;
const BASELINE_FACTOR = 1.5;
/** A baseline of failures alone gives no limit that any build exceeds. */
const HIGHEST_LIMIT = 0.9;

/** What devices reported, each address with a limited share. */
export interface GateCounts extends Pick<Evidence, 'finished' | 'failed' | 'leftOut' | 'downloaded' | 'silent'> {
  /** Of the address that supplies the most devices, and of the one that supplies the most failures, as they count. */
  readonly mostFinished: number;
  readonly mostFailed: number;
}

export interface Judgement extends Evidence {
  readonly verdict: 'pass' | 'fail' | 'inconclusive';
  /** Why it does not pass, in words. */
  readonly reasons: readonly string[];
}

/** What was counted when a person let a failed plan continue: it does not count again. */
export interface Forgiven {
  readonly finished: number;
  readonly failed: number;
  /** How often. */
  readonly times: number;
}

export const NOTHING_FORGIVEN: Forgiven = { finished: 0, failed: 0, times: 0 };

/** The highest failure rate that is accepted, as a share of 1. */
export function limitOf({
  failureThreshold,
  baseline,
}: Pick<PlanRules, 'failureThreshold'> & { readonly baseline: Baseline | null }): number {
  const base = baseline === null ? 0 : (BASELINE_FACTOR * baseline.failed) / baseline.finished;
  return Math.min(HIGHEST_LIMIT, Math.max(failureThreshold / 100, base));
}

/** A half, a quarter, an eighth …: all judgements of a plan together stay below ALPHA. */
function alphaOf({ times }: Forgiven): number {
  return ALPHA / 2 ** (times + 1);
}

export interface Gate {
  readonly limit: number;
  readonly step: PlanStep;
  /** Percent. */
  readonly silenceThreshold: number;
  readonly forgiven: Forgiven;
}

/**
 * No verdict depends on the reports of one address: to fail, failures must be too frequent also without those of the address that
 * supplies most of them, and to pass, devices must be enough without the address that supplies most of them. Nor does one
 * address keep a step from passing: the failures of the one that supplies most of them count as one.
 */
export function judge(counts: GateCounts, { limit, step, silenceThreshold, forgiven }: Gate): Judgement {
  const finished = Math.max(0, counts.finished - forgiven.finished);
  const failed = Math.min(finished, Math.max(0, counts.failed - forgiven.failed));
  const mostFailed = Math.min(failed, counts.mostFailed);
  const independent = Math.max(0, finished - counts.mostFinished);
  const { leftOut, downloaded, silent } = counts;
  const bound = lowerBound({ failed: failed - mostFailed, cases: finished - mostFailed }, alphaOf(forgiven));
  const rate = finished === 0 ? 0 : failed / finished;
  const evidence: Evidence = { finished, failed, leftOut, rate, bound, limit, downloaded, silent };
  if (bound > limit) {
    const reasons = [
      `${percent(rate)} of ${finished} devices failed (almost certainly at least ${percent(bound)}); the limit is ${percent(limit)}.`,
    ];
    return { ...evidence, verdict: 'fail', reasons };
  }
  const reasons: string[] = [];
  const without = counts.mostFinished > 0 ? ', not counting the address with the most devices' : '';
  if (independent < step.minDevices) {
    reasons.push(`${independent} of ${step.minDevices} devices reported a result${without}.`);
  }
  const failures = failed - Math.max(0, mostFailed - 1);
  if (failures > limit * independent) {
    reasons.push(
      `${failures} devices failed, which is above the limit: ${percent(limit)} of ${independent} devices${without}.`,
    );
  }
  if (silent * 100 >= silenceThreshold * downloaded && silent > 0) {
    reasons.push(`${silent} of ${downloaded} devices downloaded the build and reported no installation.`);
  }
  return { ...evidence, verdict: reasons.length === 0 ? 'pass' : 'inconclusive', reasons };
}

const list = new Intl.ListFormat('en');

/**
 * Steps whose number of devices is too small to find a build that fails on twice the limit, in a sentence; empty: there
 * are none.
 * @param present the first step that is not over
 */
export function weakSteps(steps: readonly PlanStep[], limit: number, present = 1): string[] {
  const alpha = alphaOf(NOTHING_FORGIVEN);
  const detects = (devices: number) => failuresToExceed(limit, devices, alpha) <= Math.round(2 * limit * devices);
  const weak = steps.flatMap(({ minDevices }, at) => (at + 1 < present || detects(minDevices) ? [] : [at + 1]));
  if (weak.length === 0) return [];
  let enough = 1;
  while (!detects(enough)) enough = Math.ceil(enough * 1.1);
  const counts = [...new Set(weak.map((step) => String(steps[step - 1]?.minDevices)))];
  return [
    `The min_devices of ${weak.length === 1 ? 'step' : 'steps'} ${list.format(weak.map(String))} (${list.format(counts)}) are too few to detect a build that fails on ${percent(Math.min(1, 2 * limit))} of devices, twice the limit. About ${enough} devices are enough.`,
  ];
}

/** `2%`, `0.25%` */
export function percent(of: number): string {
  return `${Number((of * 100).toFixed(2))}%`;
}
