/** What may become of a rollout plan and its build. It imports nothing of the server. */

export type State =
  | 'none'
  | 'running'
  | 'held by hand'
  | 'held without evidence'
  | 'held after a failure'
  | 'completed'
  | 'failed'
  | 'ended by a change'
  | 'deleted';

export interface Event {
  readonly type: string;
  readonly actor: string;
  /** Milliseconds since the epoch, by the event store. */
  readonly at: number;
  readonly data: {
    readonly step?: number;
    readonly percentage?: number;
    readonly because?: string;
    readonly change?: string;
    readonly verdict?: string;
    readonly action?: { readonly type: 'halt' | 'recall' };
  };
}

export interface Step {
  readonly percentage: number;
  readonly holdMinutes: number;
}

/** What reports show; `unknown`: they can not be counted. */
export type Reports = 'good' | 'bad' | 'few' | 'unknown';
const VERDICTS: Readonly<Record<Reports, string | undefined>> = {
  ...{ good: 'pass', bad: 'fail', few: 'inconclusive', unknown: undefined },
};

export interface Build {
  readonly percentage: number;
  readonly enabled: boolean;
  readonly status: 'active' | 'paused' | 'archived' | 'deleted';
  readonly recalled: boolean;
}

const RUNNER = 'system:rollout-plan';
const MINUTE = 60_000;

const HELD: readonly State[] = ['held by hand', 'held without evidence', 'held after a failure'];
const LIVE: readonly State[] = ['running', ...HELD];
const WATCHED: readonly State[] = ['running', 'held by hand', 'held without evidence'];
const OVER: readonly State[] = ['none', 'completed', 'failed', 'ended by a change', 'deleted'];

interface Rule {
  readonly from: readonly State[];
  /** Undefined: the same. */
  readonly to?: State;
  /** Who may cause it: a person by a command, the runner, or either. */
  readonly by: 'person' | 'runner' | 'either';
}

/** By event, and its reason. */
const RULES: Readonly<Record<string, Rule>> = {
  PlanSet: { from: OVER, to: 'running', by: 'person' },
  StepEntered: { from: LIVE, to: 'running', by: 'either' },
  StepDue: { from: ['running'], by: 'runner' },
  GateJudged: { from: WATCHED, by: 'runner' },
  'PlanHeld manual': { from: ['running'], to: 'held by hand', by: 'person' },
  'PlanHeld inconclusive': { from: ['running'], to: 'held without evidence', by: 'runner' },
  'PlanHeld failed': { from: WATCHED, to: 'held after a failure', by: 'runner' },
  PlanResumed: { from: HELD, to: 'running', by: 'person' },
  StepSkipped: { from: LIVE, by: 'person' },
  PlanCompleted: { from: LIVE, to: 'completed', by: 'either' },
  'PlanAborted changed': { from: LIVE, to: 'ended by a change', by: 'either' },
  'PlanAborted deleted': { from: LIVE, to: 'deleted', by: 'person' },
  'PlanAborted failed': { from: WATCHED, to: 'failed', by: 'runner' },
};

/** One build and the plan that was set for it last. */
export class PlanModel {
  state: State = 'none';
  step = 0;
  build: Build = { percentage: 100, enabled: true, status: 'active', recalled: false };
  private steps: readonly Step[] = [];
  private since = 0;
  private last: Event | undefined;
  /** The rollout of a step that was entered, and that no process has applied yet. */
  private pending: number | undefined;
  /** Who changed the build since the plan was set, and who let it enter a step. */
  private readonly changers = new Set<string>();
  private readonly enterers = new Set<string>();

  get isLive(): boolean {
    return LIVE.includes(this.state);
  }

  private get isUntouched(): boolean {
    return this.changers.size === 0;
  }

  /** A person changes the build. @returns whether that ends its plan */
  change(changes: Partial<Build>, actor: string): boolean {
    const after = { ...this.build, ...changes };
    const isSame = (Object.keys(after) as (keyof Build)[]).every((name) => after[name] === this.build[name]);
    if (isSame) return false;
    this.build = after;
    this.changers.add(actor);
    this.pending = undefined;
    return true;
  }

  /** Before the events of a plan. @param changer who changed the build after the plan was computed for it */
  set(steps: readonly Step[], changer?: string): void {
    this.steps = steps;
    this.pending = undefined;
    this.enterers.clear();
    this.changers.clear();
    if (changer !== undefined) this.changers.add(changer);
  }

  /**
   * The next event of the plan's stream.
   * @param by who acts now; undefined: a process that completes the work of others
   * @param applied whether the rollout of a step follows immediately
   * @throws Error when it may not happen
   */
  take(event: Event, by: string | undefined, reports: Reports, applied: boolean): void {
    const { type, data, at, actor } = event;
    const name = data.because === undefined ? type : `${type} ${data.because}`;
    const wrong = (why: string) =>
      new Error(`${name} by ${actor} in ${this.state}, step ${this.step}: ${why}: ${JSON.stringify(event)}`);
    const rule = RULES[name];
    if (rule === undefined) throw wrong('unknown');
    if (!rule.from.includes(this.state)) throw wrong('not in this state');
    if (rule.by !== 'either' && (actor === RUNNER) !== (rule.by === 'runner')) throw wrong('by another one');
    const before = this.last;
    this.last = event;
    switch (type) {
      case 'PlanSet':
        this.step = 0;
        this.since = at;
        break;
      case 'PlanResumed':
        this.since = at;
        break;
      case 'StepEntered': {
        const next = this.steps[this.step];
        if (next === undefined || data.step !== this.step + 1 || data.percentage !== next.percentage) {
          throw wrong('another step');
        }
        if (actor === RUNNER) this.requireEnd(at, before, wrong);
        else if (before?.type !== (this.step === 0 ? 'PlanSet' : 'StepSkipped')) throw wrong('no person wanted it');
        this.step = data.step;
        this.since = at;
        this.enterers.add(actor);
        this.pending = this.isUntouched ? next.percentage : undefined;
        if (applied) this.apply();
        break;
      }
      case 'GateJudged':
        if (data.verdict !== VERDICTS[reports] || data.step !== this.step) throw wrong(`the reports are ${reports}`);
        break;
      case 'PlanCompleted':
        if (this.step !== this.steps.length) throw wrong('there are more steps');
        if (actor === RUNNER) this.requireEnd(at, before, wrong);
        else if (before?.type !== 'StepSkipped') throw wrong('no person wanted it');
        break;
      case 'PlanHeld':
        if (data.because !== 'manual' && before?.type !== 'GateJudged') throw wrong('nothing was judged');
        break;
      case 'PlanAborted':
        if (data.because === 'changed') {
          const causes = data.change === 'unknown' ? this.enterers : this.changers;
          if (this.isUntouched || !causes.has(actor)) throw wrong(`${[...this.changers].join()} changed the build`);
        } else if (data.because === 'failed') {
          if (before?.data.verdict !== 'fail') throw wrong('nothing failed');
          if (this.isUntouched) this.fail(data.action!.type);
        } else if (applied) this.apply();
        break;
    }
    const isOfThis = by === undefined || actor === by || name === 'PlanAborted changed';
    if (!isOfThis) throw wrong(`${by} acted`);
    this.state = rule.to ?? this.state;
  }

  /** A process completes what others left. */
  apply(): void {
    if (this.pending !== undefined) this.build = { ...this.build, percentage: this.pending, enabled: true };
    this.pending = undefined;
  }

  /** After all work is done. @throws Error when the plan could still touch a build that a person changed */
  requireDefined(): void {
    if (this.isUntouched || !this.isLive) return;
    throw new Error(`${[...this.changers].join()} changed the build, and its plan is ${this.state}.`);
  }

  private fail(action: 'halt' | 'recall'): void {
    if (action === 'recall') this.build = { ...this.build, status: 'paused', recalled: true };
    else this.build = { ...this.build, enabled: false };
    this.pending = undefined;
  }

  private requireEnd(at: number, before: Event | undefined, wrong: (why: string) => Error): void {
    if (before?.data.verdict !== 'pass') throw wrong('the step did not pass');
    const hold = Math.max(1, this.steps[this.step - 1]!.holdMinutes) * MINUTE;
    if (at - this.since < hold) throw wrong(`${(at - this.since) / MINUTE} minutes after its beginning`);
  }
}
