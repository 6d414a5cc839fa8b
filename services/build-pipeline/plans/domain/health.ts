import { BASELINE_DEVICES, judge, limitOf, NOTHING_FORGIVEN } from './gate';
import type { LivePlan } from './plan';
import type { Baseline } from './plan-events';

/** With fewer devices, a build is not called healthy, nor worth a look. */
export const MIN_ATTEMPTS = 20;

export type Health = 'healthy' | 'watch' | 'failing' | 'unknown';

/** Devices that tried to install a build, and those of them that failed or rolled it back. */
export interface Attempts {
  readonly finished: number;
  readonly failed: number;
}

export interface JudgedHealth {
  readonly health: Health;
  /** As a share of 1. */
  readonly limit: number;
  readonly judgedBy: 'plan' | 'baseline' | 'default';
  readonly baseline: Baseline | null;
}

export interface HealthRules {
  /** The plan of the build that was set last. */
  readonly plan: LivePlan | null;
  /** What devices reported of the build before it. */
  readonly previous: Baseline | null;
  /** In percent, of a build without a plan. */
  readonly defaultThreshold: number;
}

/**
 * Whether a build is all right, by the rule of the gates of rollout plans: that of its own plan, else that of a plan
 * with the default threshold. Other than a gate, it counts all devices of an address; a plan that is not over therefore
 * decides itself whether the build fails.
 */
export function healthOf(attempts: Attempts, { plan: last, previous, defaultThreshold }: HealthRules): JudgedHealth {
  const plan = last?.status === 'aborted' ? null : last;
  const known = previous !== null && previous.finished >= BASELINE_DEVICES ? previous : null;
  const baseline = plan === null ? known : plan.baseline;
  const failureThreshold = plan === null ? defaultThreshold : plan.failureThreshold;
  const limit = limitOf({ failureThreshold, baseline });
  const { finished, verdict } = judge(
    { ...attempts, ...{ leftOut: 0, mostFinished: 0, mostFailed: 0, downloaded: 0, silent: 0 } },
    {
      ...{ limit, silenceThreshold: 100, forgiven: plan?.forgiven ?? NOTHING_FORGIVEN },
      step: { percentage: 100, holdMinutes: 0, minDevices: MIN_ATTEMPTS },
    },
  );
  const judged = {
    fail: 'failing',
    pass: 'healthy',
    inconclusive: finished < MIN_ATTEMPTS ? 'unknown' : 'watch',
  } as const;
  const raises = baseline !== null && limit > failureThreshold / 100;
  return {
    health: plan === null ? judged[verdict] : ofPlan(plan, judged[verdict]),
    limit,
    judgedBy: plan !== null ? 'plan' : raises ? 'baseline' : 'default',
    baseline: raises ? baseline : null,
  };
}

function ofPlan({ status, because }: LivePlan, judged: Health): Health {
  if (status === 'failed' || because === 'failed') return 'failing';
  if (status === 'completed') return judged;
  return judged === 'failing' || because === 'inconclusive' ? 'watch' : judged;
}
