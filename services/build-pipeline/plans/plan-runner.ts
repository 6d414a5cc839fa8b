import { setTimeout as delay } from 'node:timers/promises';
import { askGate, type Caller, countGate, INSTALLATIONS_REPORTED } from '@sluice/contracts';
import type { ReadableRows, ReadStore, StateStore } from '@sluice/document-store';
import type { CommandHandling, Recorded } from '@sluice/event-store';
import { channelName, type Clock, isUnavailable, KeyedMutex, type Logger, stableUuid } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { PeriodicTask } from '@sluice/service-host';
import type { GateCounts, Judgement } from './domain/gate';
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
  stepOf,
  type WebhookAnswer,
} from './domain/plan';
import type { PlanEffects } from './plan-effects';
import { type PlanRow, planRows, plansProjection } from './plans.projection';
import { WebhookAnswers } from './webhook-answers';

const POLL_MS = 2_000;
/** Between two attempts to enter a step: another clock may run ahead. */
const RETRY_MS = 60_000;
/** Longer than merchant-sync waits for a webhook. */
const ASK_TIMEOUT_MS = 15_000;

export interface PlanRunnerOptions {
  readonly commands: CommandHandling;
  readonly readStore: ReadStore;
  readonly state: StateStore;
  readonly effects: Pick<PlanEffects, 'apply' | 'entered'>;
  /** To device-updates, which counts the reports, and to merchant-sync, which asks webhooks. */
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

/** A plan as it is now. */
interface Look extends Pick<PlanState, 'turn' | 'dues'> {
  readonly plan: LivePlan;
  /** Its wait seems to be over. */
  readonly due: boolean;
  readonly counts: GateCounts;
  /** Undefined before the first step. */
  readonly judgement: Judgement | undefined;
}

/**
 * Moves the plans on: judges them after every batch of reports, asks their webhook gates once a minute, and enters steps
 * when they are due. Any number of replicas may run it: the ids of its commands are made of the build and the step, and
 * recorded times alone decide whether a step is over. Without counts it does nothing, so that the plan waits.
 */
export class PlanRunner extends PeriodicTask {
  private readonly rows: ReadableRows<PlanRow>;
  private readonly sightings = new Map<number, Sighting>();
  /** Builds that are looked at now; `again`: there are new reports meanwhile. */
  private readonly inHand = new Map<number, { again: boolean; done: Promise<void> }>();
  /** Builds with a plan that is not over. */
  private live: ReadonlySet<number> = new Set();
  private readonly answers: WebhookAnswers;
  /** Builds whose webhook is asked now, or waits for those of other builds of its app: slow ones delay no other app. */
  private readonly asking = new Map<number, Promise<void>>();
  private readonly ofApp = new KeyedMutex();
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
    this.answers = new WebhookAnswers(options.state, options.clock);
  }

  override start(): void {
    this.endListening = this.options.messaging.listen(INSTALLATIONS_REPORTED, ({ builds }) => {
      for (const build of Array.isArray(builds) ? builds : []) {
        // The next look at all of them logs the fault.
        if (typeof build === 'number' && this.live.has(build)) void this.look(build).catch(() => undefined);
      }
    });
    // Otherwise the first reports of a plan would wait for the next look at all of them.
    this.options.effects.entered = () => this.wake();
    super.start();
  }

  override async stop(): Promise<void> {
    this.endListening();
    await super.stop();
    await Promise.allSettled([...this.inHand.values()].map(({ done }) => done));
    await this.asked();
  }

  /** Resolves when no request to a webhook is under way. */
  async asked(): Promise<void> {
    await Promise.allSettled(this.asking.values());
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
    await this.answers.sweep(this.live);
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
    const look = await this.see(build);
    if (look === undefined) return;
    if (waitsForWebhook(look)) this.askLater(look.plan);
    else await this.decide(look);
  }

  private async see(build: number): Promise<Look | undefined> {
    const { state } = await this.options.commands.load(planDecider, planStream(build));
    const { plan, turn, dues } = state;
    if (!isLive(plan)) return undefined;
    const due = plan.status === 'running' && this.isTime(state, plan);
    if (!due && !isWatched(plan)) return undefined;
    // What can't be counted is not due.
    const counts = await this.count(plan, due ? plan.silenceAfterMinutes : undefined);
    return { plan, turn, dues, due, counts, judgement: judgePlan(plan, counts) };
  }

  private async decide({ plan, turn, dues, due, counts, judgement }: Look): Promise<void> {
    const { buildId } = plan;
    if (due) return this.advance({ plan, turn, dues, counts });
    if (judgement?.verdict !== 'fail') return;
    const { finished, failed } = counts;
    await this.give(buildId, { type: 'JudgeReports', counts }, ['judge', turn, dues, finished, failed]);
  }

  private async advance(
    { plan: { buildId }, turn, dues, counts }: Pick<Look, 'plan' | 'turn' | 'dues' | 'counts'>,
    answer?: WebhookAnswer,
  ): Promise<void> {
    await this.give(buildId, { type: 'MarkDue', turn, dues }, ['due', turn, dues]);
    await this.give(buildId, { type: 'Advance', turn, dues: dues + 1, counts, answer }, ['advance', turn, dues]);
  }

  /** In the background, because a webhook may take seconds. */
  private askLater(plan: LivePlan): void {
    const { appId, buildId } = plan;
    if (this.asking.has(buildId)) return;
    const asked = this.ofApp
      .run(String(appId), () => this.ask(plan))
      // The next look at all plans logs what is unavailable.
      .catch((error: unknown) => {
        if (!isUnavailable(error))
          this.options.logger.error({ err: error }, 'The webhook of a rollout plan could not be asked');
      })
      .finally(() => this.asking.delete(buildId));
    this.asking.set(buildId, asked);
  }

  private async ask(plan: LivePlan): Promise<void> {
    if (this.signal.aborted) return;
    const claim = await this.answers.claim(plan);
    if (claim === undefined) return;
    const look = await this.see(plan.buildId);
    if (look?.plan.setAt !== plan.setAt || !waitsForWebhook(look)) return;
    const { turn, dues, due, counts } = look;
    const answer = await this.answerOf(look, claim.row.asks);
    await this.answers.record(claim, { ...answer, at: this.options.clock.now().toISOString() });
    if (answer.verdict === 'fail') {
      const step = ['webhook', turn, dues, claim.row.asks];
      await this.give(plan.buildId, { type: 'JudgeReports', counts, answer }, step);
    } else if (due && answer.verdict === 'pass') await this.advance(look, answer);
  }

  private async answerOf({ plan, counts }: Look, asks: number): Promise<WebhookAnswer> {
    const { appId, buildId, version, basis, step, since, webhookUrl: url = '' } = plan;
    const { finished, failed, leftOut: left_out } = counts;
    const body = {
      ...{ app: appId, build: buildId, version, channel: channelName(basis.channel) },
      ...{ step, percentage: stepOf(plan)?.percentage ?? 0, since, counts: { finished, failed, left_out } },
    };
    const by = caller(buildId, ['ask', plan.setAt, asks]);
    try {
      return await this.options.messaging.request(askGate, { appId, url, body }, by, { timeoutMs: ASK_TIMEOUT_MS });
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return { verdict: 'wait', reason: 'merchant-sync, which sends the requests, did not respond.' };
    }
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
    const { events, repeated } = await commands.handle(planDecider, planStream(build), command, context, {
      waitForReaders: false,
    });
    for (const event of events as readonly Recorded<PlanEvent>[]) {
      if (!repeated) this.warnOf(event);
      await effects.apply(event, { waitForReaders: false });
    }
  }

  /** In the log, what a webhook answered is left out. */
  private warnOf({ type, data }: PlanEvent): void {
    const { logger } = this.options;
    if (type === 'GateJudged' && data.verdict !== 'pass') {
      const reason = data.webhook === undefined ? data.reasons.join(' ') : 'The webhook gate failed.';
      logger.warn({ app_id: data.appId, build_id: data.buildId, reason }, 'A rollout plan was held or failed');
    }
  }
}

/** Whether the webhook decides: it is not asked for what the reports decide already. */
function waitsForWebhook({ plan, due, judgement }: Look): boolean {
  if (plan.webhookUrl === undefined || judgement === undefined) return false;
  return due ? judgement.verdict === 'pass' : judgement.verdict !== 'fail';
}

function isWanted({ again }: { readonly again: boolean }): boolean {
  return again;
}

function caller(build: number, step: readonly (string | number)[]): Caller {
  return { commandId: stableUuid('rollout-plan', build, ...step), actor: 'system:rollout-plan' };
}
