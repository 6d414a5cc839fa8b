import type { Channel } from '../../builds/domain/channel';

export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';

export interface PlanStep {
  readonly percentage: number;
  readonly holdMinutes: number;
  readonly minDevices: number;
}

export interface PlanWindow {
  readonly days: readonly Weekday[];
  /** `09:00`; `24:00` is the end of the day. */
  readonly from: string;
  readonly to: string;
}

export interface PlanRules {
  readonly steps: readonly PlanStep[];
  /** Percent, as all thresholds. */
  readonly failureThreshold: number;
  readonly silenceAfterMinutes: number;
  readonly silenceThreshold: number;
  /** When a step may be entered; none: always. */
  readonly windows: readonly PlanWindow[];
  readonly timeZone: string;
  /** ISO 8601. */
  readonly startAt: string | null;
  readonly onFail: 'hold' | 'halt' | 'recall';
  /** Of the webhook gate, if it has one. */
  readonly webhookUrl?: string;
  /** That they were copied from; left out: none. */
  readonly template?: string;
}

/** What the webhook gate answered, or why it did not. */
export interface WebhookAnswer {
  readonly verdict: 'pass' | 'fail' | 'wait';
  readonly reason: string | null;
}

/** What devices reported of the build before it. */
export interface Baseline {
  readonly buildId: number;
  readonly finished: number;
  readonly failed: number;
}

/** The evidence that a verdict is based on. */
export interface Evidence {
  readonly finished: number;
  readonly failed: number;
  /** Devices of an address that supplies too many. */
  readonly leftOut: number;
  /** The failure rate, the bound that it exceeds, and the limit, as shares of 1. */
  readonly rate: number;
  readonly bound: number;
  readonly limit: number;
  readonly downloaded: number;
  readonly silent: number;
}

/** How the plan found its build: it leaves it alone once a person changes it. */
export interface Basis {
  readonly channel: Channel;
  /** Of the channel's stream. */
  readonly channelRevision: number;
  /** ChannelBuild.manualRevision */
  readonly manualRevision: number;
}

type OfPlan<Data extends object = object> = Data & { readonly appId: number; readonly buildId: number };
type OfStep<Data extends object = object> = OfPlan<Data & { readonly step: number }>;

/** Stream `plan-{buildId}`. Steps count from 1. */
export type PlanEvent =
  | {
      readonly type: 'PlanSet';
      readonly data: OfPlan<
        PlanRules & {
          readonly version: string;
          readonly baseline: Baseline | null;
          readonly basis: Basis;
        }
      >;
    }
  | { readonly type: 'StepEntered'; readonly data: OfStep<{ readonly percentage: number; readonly basis: Basis }> }
  /** A replica found the step to be over. Its recorded time decides whether it is. */
  | { readonly type: 'StepDue'; readonly data: OfStep }
  | {
      readonly type: 'GateJudged';
      readonly data: OfStep<
        Evidence & {
          readonly verdict: 'pass' | 'fail' | 'inconclusive';
          readonly reasons: readonly string[];
          /** Left out where the verdict does not depend on it. */
          readonly webhook?: WebhookAnswer;
        }
      >;
    }
  | {
      readonly type: 'PlanHeld';
      readonly data: OfPlan<{ readonly because: 'manual' | 'inconclusive' | 'failed' }>;
    }
  /** Its step begins again. */
  | { readonly type: 'PlanResumed'; readonly data: OfPlan }
  | { readonly type: 'StepSkipped'; readonly data: OfStep }
  /** All its steps: those that it has entered are the same. */
  | { readonly type: 'PlanStepsChanged'; readonly data: OfPlan<Pick<PlanRules, 'steps'>> }
  | { readonly type: 'PlanCompleted'; readonly data: OfPlan }
  /** `change`: the type of the event of the build that ended it. `action`: what becomes of a build that failed, for this reason. */
  | {
      readonly type: 'PlanAborted';
      readonly data: OfPlan<{
        readonly because: 'failed' | 'changed' | 'deleted';
        readonly change?: string;
        readonly action?: { readonly type: 'halt' | 'recall'; readonly reason: string; readonly basis: Basis };
      }>;
    };
