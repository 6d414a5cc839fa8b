import {
  type Decider,
  DomainError,
  type ExpectsRevision,
  requireRevision,
  unknownEvent,
  ValidationError,
} from '@sluice/kernel';
import { type Forgiven, type GateCounts, judge, type Judgement, limitOf, NOTHING_FORGIVEN } from './gate';
import type { Baseline, Basis, PlanEvent, PlanRules, PlanStep, WebhookAnswer } from './plan-events';
import { isOpen } from './windows';

export type {
  Baseline,
  Basis,
  Evidence,
  PlanEvent,
  PlanRules,
  PlanStep,
  PlanWindow,
  WebhookAnswer,
} from './plan-events';

/** Names the present wait of a plan, so that replicas give the same command once. */
interface Turn {
  readonly turn: number;
  readonly dues: number;
}

export type PlanCommand =
  | {
      readonly type: 'SetPlan';
      readonly plan: PlanRules;
      readonly of: Pick<LivePlan, 'appId' | 'buildId' | 'version' | 'baseline' | 'basis'>;
    }
  /** At the end of a step, and when the first may begin, by the clock of the replica. */
  | ({ readonly type: 'MarkDue' } & Turn)
  /** After it: the recorded times decide. `answer`: of the webhook gate. */
  | ({ readonly type: 'Advance'; readonly counts: GateCounts; readonly answer?: WebhookAnswer | undefined } & Turn)
  /** Between the steps: only a failure has consequences. */
  | { readonly type: 'JudgeReports'; readonly counts: GateCounts; readonly answer?: WebhookAnswer | undefined }
  | { readonly type: 'HoldPlan' }
  | { readonly type: 'ResumePlan' }
  | { readonly type: 'SkipStep' }
  /** `steps`: all of them. */
  | ({ readonly type: 'ChangeSteps'; readonly steps: PlanRules['steps'] } & ExpectsRevision)
  | { readonly type: 'DeletePlan' }
  /** A person changed the build, by this event. It ends plans that were set before this revision of the channel. */
  | { readonly type: 'EndPlan'; readonly change: string; readonly channelRevision: number };

export interface LivePlan extends PlanRules {
  /** Rises with every change that a person sees, also when another plan is set. */
  readonly revision: number;
  readonly appId: number;
  readonly buildId: number;
  readonly version: string;
  readonly baseline: Baseline | null;
  readonly basis: Basis;
  readonly setAt: string;
  /** `failed`: its build was halted or recalled for that. */
  readonly status: 'running' | 'held' | 'completed' | 'failed' | 'aborted';
  readonly because: 'manual' | 'inconclusive' | 'failed' | 'changed' | 'deleted' | null;
  readonly change: string | null;
  readonly endedAt: string | null;
  /** From 1; 0: in none yet. */
  readonly step: number;
  /** When the wait for the next step began, by the event store's clock, as all of these times. */
  readonly since: string;
  /** Of the last StepDue of this wait. */
  readonly dueAt: string | null;
  /** The steps that it has entered, in order. */
  readonly entered: readonly EnteredStep[];
  readonly judged: (Outcome & { readonly step: number; readonly at: string }) | null;
  readonly forgiven: Forgiven;
}

export interface EnteredStep {
  readonly step: number;
  readonly at: string;
  /** The last one in this step. */
  readonly verdict: Judgement['verdict'] | null;
  /** A person ended the step. */
  readonly skipped: boolean;
}

/** The verdict of all gates. */
interface Outcome extends Judgement {
  readonly webhook?: WebhookAnswer;
}

export interface PlanState extends Turn {
  /** The plan that was set last. */
  readonly plan: LivePlan | null;
}

const MINUTE_MS = 60_000;
const WEBHOOK_FAILED = 'The webhook gate failed';

export const planDecider: Decider<PlanState, PlanCommand, PlanEvent> = {
  initialState: () => ({ plan: null, turn: 0, dues: 0 }),
  decide,
  evolve,
};

export function planStream(buildId: number): string {
  return `plan-${buildId}`;
}

/** Whether it may still change the build. */
export function isLive(plan: LivePlan | null): plan is LivePlan {
  return plan?.status === 'running' || plan?.status === 'held';
}

/** Whether reports can still make it fail. */
export function isWatched(plan: LivePlan | null): plan is LivePlan {
  return isLive(plan) && plan.step > 0 && plan.because !== 'failed';
}

export function stepOf({ steps, step }: LivePlan): PlanStep | undefined {
  return steps[step - 1];
}

/** How long the present wait lasts at least: a plan enters at most one step a minute. */
export function holdMs(plan: LivePlan): number {
  const step = stepOf(plan);
  return step === undefined ? 0 : Math.max(1, step.holdMinutes) * MINUTE_MS;
}

/** Whether the plan may enter its next step at this time, as far as times decide. @param at ISO 8601 */
export function isDue(plan: LivePlan, at: string): boolean {
  const waited = Date.parse(at) - Date.parse(plan.since);
  const started = plan.step > 0 || plan.startAt === null || Date.parse(plan.startAt) <= Date.parse(at);
  return started && waited >= holdMs(plan) && isOpen(plan.windows, plan.timeZone, at);
}

export function judgePlan(plan: LivePlan, counts: GateCounts): Judgement | undefined {
  const { forgiven, silenceThreshold } = plan;
  const step = stepOf(plan);
  return step && judge(counts, { limit: limitOf(plan), step, silenceThreshold, forgiven });
}

/** @throws DomainError PLAN_NOT_FOUND */
export function planOf({ plan }: Pick<PlanState, 'plan'>): LivePlan {
  if (plan !== null) return plan;
  throw planNotFound('This build has no rollout plan.');
}

export function planNotFound(message: string): DomainError {
  return new DomainError('PLAN_NOT_FOUND', message);
}

function decide(command: PlanCommand, state: PlanState): readonly PlanEvent[] {
  const { plan } = state;
  switch (command.type) {
    case 'SetPlan': {
      refuseRunning(state);
      const { appId, buildId, basis } = command.of;
      const { steps, startAt, windows } = command.plan;
      const set: PlanEvent = { type: 'PlanSet', data: { ...command.of, ...command.plan } };
      const [first] = steps;
      return startAt !== null || windows.length > 0 || first === undefined
        ? [set]
        : [set, { type: 'StepEntered', data: { appId, buildId, step: 1, percentage: first.percentage, basis } }];
    }
    case 'MarkDue':
      if (plan?.status !== 'running' || !isTurn(command, state)) return [];
      return [{ type: 'StepDue', data: { ...idsOf(plan), step: plan.step } }];
    case 'Advance': {
      if (plan?.status !== 'running' || !isTurn(command, state)) return [];
      if (plan.dueAt === null || !isDue(plan, plan.dueAt)) return [];
      const judgement = judgePlan(plan, command.counts);
      if (judgement === undefined) return next(plan);
      const outcome = withWebhook(plan, judgement, command.answer);
      return outcome === undefined ? [] : [judgedOf(plan, outcome), ...consequences(plan, outcome)];
    }
    case 'JudgeReports': {
      if (!isWatched(plan)) return [];
      const judgement = judgePlan(plan, command.counts);
      const outcome = judgement && withWebhook(plan, judgement, command.answer);
      return outcome?.verdict === 'fail' ? [judgedOf(plan, outcome), ...consequences(plan, outcome)] : [];
    }
    case 'HoldPlan': {
      const live = requireLive(plan);
      return live.status === 'held' ? [] : [{ type: 'PlanHeld', data: { ...idsOf(live), because: 'manual' } }];
    }
    case 'ResumePlan': {
      const live = requireLive(plan);
      return live.status === 'running' ? [] : [{ type: 'PlanResumed', data: idsOf(live) }];
    }
    case 'SkipStep': {
      const live = requireLive(plan);
      return [{ type: 'StepSkipped', data: { ...idsOf(live), step: live.step } }, ...next(live)];
    }
    case 'ChangeSteps': {
      const live = requireLive(plan);
      requireRevision('PLAN_CHANGED', `The plan of build ${live.buildId}`, live.revision, command);
      const { steps } = command;
      if (isSame(steps, live.steps)) return [];
      refuseEntered(live, steps);
      return [{ type: 'PlanStepsChanged', data: { ...idsOf(live), steps } }];
    }
    case 'DeletePlan':
      return [{ type: 'PlanAborted', data: { ...idsOf(requireLive(plan)), because: 'deleted' } }];
    case 'EndPlan': {
      const { change, channelRevision } = command;
      return isLive(plan) && plan.basis.channelRevision < channelRevision
        ? [{ type: 'PlanAborted', data: { ...idsOf(plan), because: 'changed', change } }]
        : [];
    }
  }
}

function isTurn(command: Turn, state: Turn): boolean {
  return command.turn === state.turn && command.dues === state.dues;
}

function idsOf({ appId, buildId }: LivePlan): { readonly appId: number; readonly buildId: number } {
  return { appId, buildId };
}

function next(plan: LivePlan): readonly PlanEvent[] {
  const step = plan.step + 1;
  const entered = plan.steps[step - 1];
  return entered === undefined
    ? [{ type: 'PlanCompleted', data: idsOf(plan) }]
    : [{ type: 'StepEntered', data: { ...idsOf(plan), step, percentage: entered.percentage, basis: plan.basis } }];
}

/** Adds the webhook gate, if the plan has one. Undefined: the plan waits for it. */
function withWebhook(plan: LivePlan, judgement: Judgement, answer?: WebhookAnswer): Outcome | undefined {
  if (plan.webhookUrl === undefined || judgement.verdict === 'fail') return judgement;
  if (answer?.verdict === 'fail') {
    const { reason } = answer;
    return {
      ...judgement,
      verdict: 'fail',
      reasons: [WEBHOOK_FAILED + (reason === null ? '.' : `: ${reason}`)],
      webhook: answer,
    };
  }
  if (judgement.verdict === 'inconclusive') return judgement;
  return answer?.verdict === 'pass' ? { ...judgement, webhook: answer } : undefined;
}

function judgedOf(plan: LivePlan, outcome: Outcome): PlanEvent {
  return { type: 'GateJudged', data: { ...idsOf(plan), step: plan.step, ...outcome } };
}

function consequences(plan: LivePlan, { verdict, reasons }: Outcome): readonly PlanEvent[] {
  if (verdict === 'pass') return next(plan);
  const ids = idsOf(plan);
  if (verdict === 'inconclusive') return [{ type: 'PlanHeld', data: { ...ids, because: 'inconclusive' } }];
  const { onFail, basis } = plan;
  if (onFail === 'hold') return [{ type: 'PlanHeld', data: { ...ids, because: 'failed' } }];
  const action = { type: onFail, reason: reasons.join(' '), basis };
  return [{ type: 'PlanAborted', data: { ...ids, because: 'failed', action } }];
}

/** @throws DomainError PLAN_RUNNING */
export function refuseRunning({ plan }: Pick<PlanState, 'plan'>): void {
  if (!isLive(plan)) return;
  const { buildId, status } = plan;
  throw new DomainError(
    'PLAN_RUNNING',
    `Build ${buildId} has a plan that is ${status}. Delete it first: the build keeps its rollout.`,
    { status },
  );
}

/** @throws ValidationError when steps change that the plan has left, or the percentage of the one that it is in */
function refuseEntered({ step, steps }: LivePlan, wanted: PlanRules['steps']): void {
  const present = steps[step - 1];
  if (present === undefined) return;
  if (!isSame(steps.slice(0, step - 1), wanted.slice(0, step - 1))) {
    throw new ValidationError({ steps: [`The plan is in step ${step}. The steps before it can not change.`] });
  }
  if (wanted[step - 1]?.percentage === present.percentage) return;
  throw new ValidationError({
    steps: [`The plan is in step ${step}, which must keep its percentage of ${present.percentage}.`],
  });
}

function isSame(some: PlanRules['steps'], others: PlanRules['steps']): boolean {
  return (
    some.length === others.length &&
    some.every(({ percentage, holdMinutes, minDevices }, index) => {
      const other = others[index];
      return percentage === other?.percentage && holdMinutes === other.holdMinutes && minDevices === other.minDevices;
    })
  );
}

/** @throws DomainError PLAN_NOT_FOUND, PLAN_NOT_RUNNING */
function requireLive(plan: LivePlan | null): LivePlan {
  const known = planOf({ plan });
  const { buildId, status } = known;
  if (isLive(known)) return known;
  const message = `The plan of build ${buildId} is ${status}. Set another one to continue.`;
  throw new DomainError('PLAN_NOT_RUNNING', message, { status });
}

/** A person does not see that the plan changed. */
const UNSEEN: readonly PlanEvent['type'][] = ['StepDue', 'GateJudged', 'StepSkipped'];

function evolve(before: PlanState, event: PlanEvent, _at: string, recordedAt: string): PlanState {
  const { plan, ...turn } = evolvePlan(before, event, recordedAt);
  if (plan === null || UNSEEN.includes(event.type)) return { plan, ...turn };
  return { plan: { ...plan, revision: (before.plan?.revision ?? 0) + 1 }, ...turn };
}

function evolvePlan(state: PlanState, event: PlanEvent, recordedAt: string): PlanState {
  if (event.type === 'PlanSet') {
    const set = { status: 'running', because: null, change: null, endedAt: null, step: 0, dueAt: null } as const;
    const plan = {
      ...event.data,
      ...set,
      setAt: recordedAt,
      since: recordedAt,
      judged: null,
      entered: [],
      forgiven: NOTHING_FORGIVEN,
      revision: 0,
    };
    return waiting(state, plan);
  }
  const { plan } = state;
  if (plan === null) return state;
  switch (event.type) {
    case 'StepEntered': {
      const { step } = event.data;
      const entered = [...plan.entered, { step, at: recordedAt, verdict: null, skipped: false }];
      return waiting(state, { ...forgive(plan), status: 'running', because: null, step, entered, since: recordedAt });
    }
    case 'PlanResumed':
      return waiting(state, { ...forgive(plan), status: 'running', because: null, since: recordedAt });
    // The step has lasted as long as before, and its replicas measure again how long it still lasts.
    case 'PlanStepsChanged':
      return waiting(state, { ...plan, steps: event.data.steps });
    case 'StepDue':
      return { ...state, plan: { ...plan, dueAt: recordedAt }, dues: state.dues + 1 };
    case 'GateJudged':
      return {
        ...state,
        plan: { ...withEntered(plan, { verdict: event.data.verdict }), judged: { ...event.data, at: recordedAt } },
      };
    case 'PlanHeld':
      return { ...state, plan: { ...plan, status: 'held', because: event.data.because } };
    case 'StepSkipped':
      return { ...state, plan: withEntered(plan, { skipped: true }) };
    case 'PlanCompleted':
      return { ...state, plan: { ...plan, status: 'completed', because: null, endedAt: recordedAt } };
    case 'PlanAborted': {
      const { because, change = null, action } = event.data;
      const status = action === undefined ? 'aborted' : 'failed';
      return { ...state, plan: { ...plan, status, because, change, endedAt: recordedAt } };
    }
    default:
      return unknownEvent(event);
  }
}

/** Changes what is known of the present step. */
function withEntered(plan: LivePlan, changes: Partial<EnteredStep>): LivePlan {
  const entered = plan.entered.map((each) => (each.step === plan.step ? { ...each, ...changes } : each));
  return { ...plan, entered };
}

function waiting({ turn }: PlanState, plan: LivePlan): PlanState {
  return { plan: { ...plan, dueAt: null }, turn: turn + 1, dues: 0 };
}

/** A person lets a plan continue that failed by its reports: what was counted until then does not count again. */
function forgive(plan: LivePlan): LivePlan {
  const { because, judged, forgiven } = plan;
  if (because !== 'failed' || judged === null || judged.webhook !== undefined) return plan;
  const finished = forgiven.finished + judged.finished;
  const failed = forgiven.failed + judged.failed;
  return { ...plan, forgiven: { finished, failed, times: forgiven.times + 1 } };
}
