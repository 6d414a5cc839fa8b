import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, countGate, INSTALLATIONS_REPORTED } from '@sluice/contracts';
import type { ReadableRows, ReadStore } from '@sluice/document-store';
import type { CommandHandling, Recorded } from '@sluice/event-store';
import { type Clock, type Logger, stableUuid } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { PeriodicTask } from '@sluice/service-host';
import {
  holdMs,
  isDue,
  isLive,
  isWatched,
  judgePlan,
  type LivePlan,
  type PlanCommand,
  planDecider,
  type PlanEvent,
  type PlanState,
  planStream,
} from './domain/plan';
import type { PlanEffects } from './plan-effects';
import { type PlanRow, planRows, plansProjection } from './plans.projection';

const POLL_MS = 2_000;
/** Between two attempts to enter a step: another clock may run ahead. */
const RETRY_MS = 60_000;

export interface PlanRunnerOptions {
  readonly commands: CommandHandling;
  readonly readStore: ReadStore;
  readonly effects: Pick<PlanEffects, 'apply'>;
  /** To device-updates, which counts the reports. */
  readonly messaging: Pick<Messaging, 'request' | 'listen'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A wait of a plan as this process sees it. */
interface Sighting {
  readonly turn: number;
  readonly dues: number;
  /** On this process's monotonic clock, in milliseconds. */
  readonly tryAt: number;
}

/**
 * Moves the plans on: judges them after every batch of reports, and enters steps when they are due. Any number of
 * replicas may run it: the ids of its commands are made of the build and the step, and recorded times alone decide
 * whether a step is over. Without counts it does nothing, so that the plan waits.
 */
export class PlanRunner extends PeriodicTask {
  private readonly rows: ReadableRows<PlanRow>;
  private readonly sightings = new Map<number, Sighting>();
  /** Builds that are looked at now; `again`: there are new reports meanwhile. */
  private readonly inHand = new Map<number, { again: boolean; done: Promise<void> }>();
  /** Builds with a plan that is not over. */
  private live: ReadonlySet<number> = new Set();
  private endListening: () => void = () => undefined;

  constructor(private readonly options: PlanRunnerOptions) {
    super({
      everyMs: () => POLL_MS,
      firstAfterMs: 0,
      run: () => this.lookAtAll(),
      fault: 'A rollout plan waits, because it could not be judged; it will be tried again',
      logger: options.logger,
    });
    this.rows = options.readStore.view(plansProjection.name, planRows);
  }

  override start(): void {
    this.endListening = this.options.messaging.listen(INSTALLATIONS_REPORTED, ({ builds }) => {
      for (const build of Array.isArray(builds) ? builds : []) {
        // The next look at all of them logs the fault.
        if (typeof build === 'number' && this.live.has(build)) void this.look(build).catch(() => undefined);
      }
    });
    super.start();
  }

  override async stop(): Promise<void> {
    this.endListening();
    await super.stop();
    await Promise.allSettled([...this.inHand.values()].map(({ done }) => done));
  }

  /** @throws as the stores and device-updates do, after every plan was looked at */
  private async lookAtAll(): Promise<void> {
    const found = await this.rows.ids({ where: { status: { in: ['running', 'held'] } } });
    this.live = new Set(found.map(Number));
    for (const build of this.sightings.keys()) if (!this.live.has(build)) this.sightings.delete(build);
    const faults: unknown[] = [];
    for (const build of this.live) {
      if (this.signal.aborted) return;
      await this.look(build).catch((error: unknown) => faults.push(error));
    }
    if (faults.length > 0) throw faults[0];
  }

  /** One look at a time; reports that arrive meanwhile cause another one. */
  private look(build: number): Promise<void> {
    const before = this.inHand.get(build);
    if (before !== undefined) {
      before.again = true;
      return before.done;
    }
    const now = { again: false, done: Promise.resolve() };
    this.inHand.set(build, now);
    now.done = this.lookUntilSeen(build, now).finally(() => this.inHand.delete(build));
    return now.done;
  }

  private async lookUntilSeen(build: number, now: { again: boolean }): Promise<void> {
    const { clock } = this.options;
    for (;;) {
      now.again = false;
      const from = clock.monotonic();
      await this.lookOnce(build);
      if (!isWanted(now) || this.signal.aborted) return;
      // Counting many reports takes long: half of the time is for others.
      await delay(clock.monotonic() - from, undefined, { ref: false });
    }
  }

  private async lookOnce(build: number): Promise<void> {
    const { state } = await this.options.commands.load(planDecider, planStream(build));
    const { plan, turn, dues } = state;
    if (!isLive(plan)) return;
    if (plan.status === 'running' && this.isTime(state, plan)) {
      // Counted first: what can't be counted is not due.
      const counts = await this.count(plan, plan.silenceAfterMinutes);
      await this.give(build, { type: 'MarkDue', turn, dues }, ['due', turn, dues]);
      await this.give(build, { type: 'Advance', turn, dues: dues + 1, counts }, ['advance', turn, dues]);
      return;
    }
    if (!isWatched(plan)) return;
    const counts = await this.count(plan);
    if (judgePlan(plan, counts)?.verdict !== 'fail') return;
    const { finished, failed } = counts;
    await this.give(build, { type: 'JudgeReports', counts }, ['judge', turn, dues, finished, failed]);
  }

  /**
   * Whether the step seems to be over. The wait is measured on this process's own clock from when it saw the step
   * begin, and is never longer than the step, whatever the clocks of others show.
   */
  private isTime({ turn, dues }: PlanState, plan: LivePlan): boolean {
    const { clock } = this.options;
    const now = clock.monotonic();
    let seen = this.sightings.get(plan.buildId);
    if (seen?.turn !== turn || seen.dues !== dues) {
      const [from, wait] = plan.dueAt === null ? [plan.since, holdMs(plan)] : [plan.dueAt, RETRY_MS];
      const left = Math.min(wait, Math.max(0, Date.parse(from) + wait - clock.now().getTime()));
      // A clock that runs ahead would otherwise try again and again.
      seen = { turn, dues, tryAt: now + (seen?.turn === turn ? RETRY_MS : left) };
      this.sightings.set(plan.buildId, seen);
    }
    if (now < seen.tryAt) return false;
    // Only windows and the start are left to ask of this clock.
    return isDue({ ...plan, since: new Date(0).toISOString() }, clock.now().toISOString());
  }

  private count({ appId, buildId }: LivePlan, silenceAfterMinutes?: number) {
    const request = { appId, buildId, ...(silenceAfterMinutes !== undefined && { silenceAfterMinutes }) };
    return this.options.messaging.request(countGate, request, caller(buildId, ['count']));
  }

  private async give(build: number, command: PlanCommand, step: readonly (string | number)[]): Promise<void> {
    const { commands, effects } = this.options;
    const context = caller(build, step);
    const { events } = await commands.handle(planDecider, planStream(build), command, context, {
      waitForReaders: false,
    });
    for (const event of events as readonly Recorded<PlanEvent>[]) await effects.apply(event, { waitForReaders: false });
  }
}

function isWanted({ again }: { readonly again: boolean }): boolean {
  return again;
}

function caller(build: number, step: readonly (string | number)[]): Caller {
  return { commandId: stableUuid('rollout-plan', build, ...step), actor: 'system:rollout-plan' };
}
