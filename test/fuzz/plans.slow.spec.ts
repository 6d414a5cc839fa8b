import { join } from 'node:path';
import type { GateCounts } from '@sluice/contracts';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import type { DocumentStore } from '@sluice/document-store';
import {
  type CommandHandling,
  createCommandHandling,
  type EventStore,
  type Recorded,
  START,
} from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { type Clock, DomainError, newCommandId, UnavailableError } from '@sluice/kernel';
import { createProjections, type Projections } from '@sluice/projections';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import fc from 'fast-check';
import {
  type ChannelCommand,
  channelDecider,
  channelStream,
} from '../../services/build-pipeline/builds/domain/channel';
import {
  planDecider,
  type PlanCommand,
  type PlanEvent,
  type PlanRules,
  planStream,
} from '../../services/build-pipeline/plans/domain/plan';
import { PlanEffects } from '../../services/build-pipeline/plans/plan-effects';
import { PlanRunner } from '../../services/build-pipeline/plans/plan-runner';
import { plansProjection } from '../../services/build-pipeline/plans/plans.projection';
import { buildFacts } from '../support/device-plane';
import { withTime } from '../support/timed-store';
import { type Build, type Event, PlanModel, type Reports } from './plans-model';

/** `PLAN_HISTORIES=1000 npm run jest -- --selectProjects slow --testPathPatterns fuzz/plans` looks longer. */
const HISTORIES = Number(process.env.PLAN_HISTORIES ?? 40);
/** The same histories again. A failure prints it. */
const SEED = Number(
  process.env.FUZZ_SEED ?? (process.env.PLAN_HISTORIES === undefined ? 20_261_126 : Date.now() % 2 ** 31),
);
/** Long enough for a failure to shrink. */
const TIMEOUT_MS = 60_000 + HISTORIES * 2_000;
jest.setTimeout(TIMEOUT_MS);

const MINUTE = 60_000;
const RUNNER = 'system:rollout-plan';
/** Of the clocks of the replicas that look at the plans, ahead of the store's. */
const AHEAD_MINUTES = [0, 120, -120];

const COUNTS: Readonly<Record<Exclude<Reports, 'unknown'>, GateCounts>> = {
  good: { finished: 1_000, failed: 1, leftOut: 0, mostFinished: 1, mostFailed: 1, downloaded: 0, silent: 0 },
  bad: { finished: 100, failed: 50, leftOut: 0, mostFinished: 1, mostFailed: 1, downloaded: 0, silent: 0 },
  few: { finished: 10, failed: 0, leftOut: 0, mostFinished: 1, mostFailed: 0, downloaded: 0, silent: 0 },
};

const step = fc.record({
  kind: fc.constantFrom(
    ...(['look', 'look', 'look', 'look', 'look', 'look', 'look', 'look', 'set', 'set', 'set'] as const),
    ...(['hold', 'resume', 'resume', 'skip', 'delete plan', 'complete work', 'complete work'] as const),
    ...(['rollout', 'rollout', 'status', 'recall', 'unrecall', 'delete', 'promote', 'second build'] as const),
  ),
  minutes: fc.constantFrom(0, 1, 1, 5, 30),
  replica: fc.nat(AHEAD_MINUTES.length - 1),
  reports: fc.constantFrom<Reports>('good', 'good', 'good', 'good', 'bad', 'few', 'unknown'),
  holds: fc.array(fc.constantFrom(0, 1, 5), { minLength: 1, maxLength: 4 }),
  onFail: fc.constantFrom('hold', 'halt', 'recall'),
  /** The process ends right after its append. */
  dies: fc.integer({ min: 0, max: 9 }).map((digit) => digit < 3),
  /** Something comes between the look at a build and its plan; and work is repeated from its beginning. */
  rare: fc.integer({ min: 0, max: 9 }).map((digit) => digit === 0),
  percentage: fc.constantFrom(0, 10, 100),
  enabled: fc.boolean(),
  status: fc.constantFrom('active', 'active', 'paused', 'archived'),
});
type Step = typeof step extends fc.Arbitrary<infer Of> ? Of : never;

const WORTH_SEEING = [
  ...['running', 'held by hand', 'held without evidence', 'held after a failure', 'completed', 'failed'],
  ...['ended by a change', 'deleted', 'StepEntered by the runner', 'ended by the runner', 'set late'],
  ...['PLAN_RUNNING', 'PLAN_NOT_RUNNING', 'PLAN_NOT_FOUND', 'BUILD_RECALLED'],
];

describe('rollout plans whose builds people change', () => {
  let now = Date.UTC(2026, 0, 1);
  let reports: Reports = 'good';
  let events: EventStore;
  let documents: DocumentStore;
  let views: Projections;
  let commands: CommandHandling;
  let effects: PlanEffects;
  let replicas: PlanRunner[];
  const seen = new Set<string>();

  const clockAt = (minutes: number): Clock => ({
    now: () => new Date(now + minutes * MINUTE),
    monotonic: () => now + minutes,
  });

  beforeAll(async () => {
    const folder = temporaryDirectory();
    events = withTime(await openSqliteEventStore({ path: join(folder, 'events.db') }), () => now);
    documents = await openSqliteDocumentStore({ path: join(folder, 'read.db') });
    const logger = recordingLogger();
    views = createProjections({ events, documents, projections: [plansProjection], waitMs: 5_000, logger });
    await views.start();
    const visible = views.visible.bind(views);
    commands = createCommandHandling({ store: events, clock: clockAt(0), visible });
    effects = new PlanEffects(commands, events);
    replicas = AHEAD_MINUTES.map((minutes) => {
      const clock = clockAt(minutes);
      const own = createCommandHandling({ store: events, clock, visible });
      return new PlanRunner({
        ...{ commands: own, effects: new PlanEffects(own, events), readStore: documents, state: documents, clock },
        logger: recordingLogger(),
        messaging: {
          listen: () => () => undefined,
          request: async (_, body) => {
            if (reports === 'unknown') throw new UnavailableError('No counts.');
            const { buildId } = body as { readonly buildId: number };
            const { forgiven } = (await commands.load(planDecider, planStream(buildId))).state.plan!;
            const { finished, failed, ...more } = COUNTS[reports];
            return { ...more, finished: finished + forgiven.finished, failed: failed + forgiven.failed } as never;
          },
        },
      });
    });
  });

  afterAll(async () => {
    await Promise.all(replicas.map((each) => each.stop()));
    await views.close();
    await documents.close();
    await events.close();
  });

  /** One app with one build, and what the model says of it. */
  class History {
    private readonly model = new PlanModel();
    private readonly channel: string;
    private readonly plan: string;
    private turns = 0;
    private taken = -1;
    private completed = START;
    private others = 0;

    constructor(
      private readonly appId: number,
      private readonly buildId: number,
    ) {
      this.channel = channelStream(appId, 'production');
      this.plan = planStream(buildId);
    }

    async open(): Promise<void> {
      await this.release(this.buildId - 1, '0.9.0');
      await this.release(this.buildId, '1.0.0');
    }

    async play(step: Step): Promise<void> {
      const actor = `token:${(this.turns += 1)}`;
      now += step.minutes * MINUTE;
      reports = step.reports;
      await this.act(step, actor);
      await this.compare();
    }

    /** Whatever is left is done, and time passes. */
    async end(): Promise<void> {
      await this.completeWork(START);
      await this.compare();
      this.model.requireDefined();
      for (const given of ['bad', 'good'] as const) {
        reports = given;
        now += 120 * MINUTE;
        for (const replica of replicas) await replica.runNow().catch(() => undefined);
        await this.takeEvents(RUNNER, true);
        await this.compare();
      }
      this.model.requireDefined();
      seen.add(this.model.state);
      if (this.model.isLive) await this.command({ type: 'DeletePlan' }, 'token:0', false);
    }

    private async act(step: Step, actor: string): Promise<void> {
      const { model } = this;
      const { kind, dies, percentage, enabled, status } = step;
      const isGone = model.build.status === 'deleted';
      switch (kind) {
        case 'look':
          // The faults are logged.
          await replicas[step.replica]!.runNow().catch(() => undefined);
          return this.takeEvents(RUNNER, true);
        case 'complete work':
          return this.completeWork(step.rare ? START : this.completed);
        case 'second build':
          return this.release(this.buildId + 1 + (this.others += 1), `1.${this.others}.0`);
        case 'set':
          return isGone ? undefined : this.set(step, actor);
        case 'hold':
          return this.onPlan({ type: 'HoldPlan' }, actor, dies);
        case 'resume':
          return this.onPlan({ type: 'ResumePlan' }, actor, dies);
        case 'skip':
          return this.onPlan({ type: 'SkipStep' }, actor, dies);
        case 'delete plan':
          return this.onPlan({ type: 'DeletePlan' }, actor, dies);
        case 'rollout':
          return this.change(
            { type: 'ChangeRollout', ...this.of, rolloutPercentage: percentage, enabled },
            { percentage, enabled },
            actor,
            dies,
          );
        case 'status': {
          const isRefused = model.build.recalled && status !== model.build.status;
          return this.change({ type: 'EditBuild', ...this.of, status }, { status }, actor, dies, isRefused);
        }
        case 'recall': {
          const republishedId = this.buildId + 500 + this.turns;
          const given = {
            reason: 'White screen.',
            to: 'none',
            republishedId,
            bundleId: `bundle-${republishedId}`,
          } as const;
          return this.change(
            { type: 'RecallBuild', ...this.of, ...given },
            { recalled: true, status: 'paused' },
            actor,
            dies,
          );
        }
        case 'unrecall':
          return this.change({ type: 'UnrecallBuild', ...this.of }, { recalled: false }, actor, dies);
        case 'delete':
          return this.change({ type: 'DeleteBuild', ...this.of }, { status: 'deleted' }, actor, dies);
        case 'promote':
          return this.promote(actor);
      }
    }

    private get of() {
      return { buildId: this.buildId };
    }

    private async set({ holds, onFail, dies, rare, percentage }: Step, actor: string): Promise<void> {
      const { model } = this;
      if (model.build.status !== 'active') return;
      const { state, revision } = await commands.load(channelDecider, this.channel);
      const { manualRevision } = state.builds.get(this.buildId)!;
      const basis = { channel: 'production', channelRevision: Number(revision), manualRevision } as const;
      const steps = holds.map((holdMinutes, at) => ({
        ...{ percentage: ((at + 1) * 100) / holds.length, holdMinutes, minDevices: 100 },
      }));
      const plan: PlanRules = {
        ...{ steps, failureThreshold: 2, silenceAfterMinutes: 60, silenceThreshold: 50 },
        ...{ windows: [], timeZone: 'UTC', startAt: null, onFail },
      };
      const late = `${actor}1`;
      const isLate =
        rare && !model.isLive && percentage !== model.build.percentage
          ? (await this.change(
              { type: 'ChangeRollout', ...this.of, rolloutPercentage: percentage },
              { percentage },
              late,
              dies,
            ),
            true)
          : false;
      if (isLate) seen.add('set late');
      if (!model.isLive) model.set(steps, isLate ? late : undefined);
      const of = { appId: this.appId, ...this.of, version: '1.0.0', baseline: null, basis };
      await this.command({ type: 'SetPlan', plan, of }, actor, dies, model.isLive ? 'PLAN_RUNNING' : undefined);
    }

    private async onPlan(command: PlanCommand, actor: string, dies: boolean): Promise<void> {
      const { isLive, state, build } = this.model;
      if (build.status === 'deleted') return;
      const refusal = isLive ? undefined : state === 'none' ? 'PLAN_NOT_FOUND' : 'PLAN_NOT_RUNNING';
      await this.command(command, actor, dies, refusal);
    }

    private async command(command: PlanCommand, actor: string, dies: boolean, refusal?: string): Promise<void> {
      const given = await this.codeOf(async () => {
        const { events: caused } = await commands.handle(planDecider, this.plan, command, by(actor));
        if (dies) return;
        for (const event of caused as readonly Recorded<PlanEvent>[]) await effects.apply(event);
      });
      expect(given).toBe(refusal);
      await this.takeEvents(actor, !dies);
    }

    private async change(
      command: ChannelCommand,
      changes: Partial<Build>,
      actor: string,
      dies: boolean,
      isRefused = false,
    ) {
      const { model } = this;
      if (model.build.status === 'deleted') return;
      if (!isRefused) model.change(changes, actor);
      const given = await this.codeOf(async () => {
        const { events: caused } = await commands.handle(channelDecider, this.channel, command, by(actor));
        if (!dies) await effects.endedBy(caused);
      });
      expect(given).toBe(isRefused ? 'BUILD_RECALLED' : undefined);
      await this.takeEvents(actor, !dies);
    }

    /** Neither the source nor its plan notice. */
    private async promote(actor: string): Promise<void> {
      const stream = channelStream(this.appId, 'staging');
      const promotedId = this.buildId + 700 + this.turns;
      await this.codeOf(async () => {
        const target = (await commands.load(channelDecider, stream)).state;
        const start = { ...this.of, promotedId, targetChannel: 'staging', target } as const;
        const { state } = await commands.handle(
          channelDecider,
          this.channel,
          { type: 'StartPromotion', ...start },
          by(actor),
        );
        const arrival = { buildId: promotedId, bundleId: `bundle-${promotedId}`, channel: 'staging' } as const;
        const source = state.builds.get(this.buildId)!;
        await commands.handle(channelDecider, stream, { type: 'PromoteIn', source, ...arrival }, by(actor));
      });
    }

    private async release(buildId: number, version: string): Promise<void> {
      const build = {
        ...buildFacts(buildId, version, { appId: this.appId, channel: 'production' }),
        jobId: `job-${buildId}`,
      };
      await commands.handle(channelDecider, this.channel, { type: 'AcceptBuild', build }, by('token:0'));
      await commands.handle(channelDecider, this.channel, { type: 'ActivateBuild', buildId }, by('system:worker'));
    }

    /** As the process manager: each event after a position, in the order of the store. */
    private async completeWork(after: string): Promise<void> {
      for await (const event of events.readAll({ after, prefixes: ['plan-', 'channel-'] })) {
        this.completed = event.position;
        if (event.stream !== this.plan && event.stream !== this.channel) continue;
        await effects.apply(event as unknown as Recorded<PlanEvent>);
      }
      await this.takeEvents(undefined, true);
      if (this.model.isLive || ['completed', 'deleted'].includes(this.model.state)) this.model.apply();
    }

    private async takeEvents(actor: string | undefined, applied: boolean): Promise<void> {
      for await (const event of events.readStream(this.plan, { from: this.taken + 1 })) {
        const { type, metadata, recordedAt, data } = event;
        this.taken = event.revision;
        const taken: Event = { type, actor: metadata.actor, at: Date.parse(recordedAt), data: data };
        this.model.take(taken, actor, reports, applied);
        seen.add(this.model.state);
        if (type === 'StepEntered' && actor === RUNNER) seen.add('StepEntered by the runner');
        if (type === 'PlanAborted' && actor === RUNNER && taken.data.because === 'changed')
          seen.add('ended by the runner');
      }
    }

    private async compare(): Promise<void> {
      const { builds, recalls } = (await commands.load(channelDecider, this.channel)).state;
      const build = builds.get(this.buildId);
      const { model } = this;
      if (model.build.status === 'deleted') {
        expect(build).toBeUndefined();
        return;
      }
      expect({
        ...{ percentage: build?.rolloutPercentage, enabled: build?.rolloutEnabled, status: build?.status },
        recalled: recalls.get(this.buildId) !== undefined,
      }).toEqual(model.build);
    }

    private async codeOf(work: () => Promise<void>): Promise<string | undefined> {
      try {
        await work();
        return undefined;
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        seen.add(error.code);
        return error.code;
      }
    }
  }

  it('never touch a build that a person changed, and record who did what', async () => {
    let apps = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50, size: 'max' }), async (steps) => {
        apps += 1;
        const history = new History(apps, apps * 1_000);
        await history.open();
        for (const each of steps) await history.play(each);
        await history.end();
      }),
      { numRuns: HISTORIES, seed: SEED, interruptAfterTimeLimit: TIMEOUT_MS - 20_000, markInterruptAsFailure: true },
    );
    // A generator that never leads there would prove nothing.
    expect([...seen]).toEqual(expect.arrayContaining(WORTH_SEEING));
  });
});

const by = (actor: string) => ({ commandId: newCommandId(), actor });
