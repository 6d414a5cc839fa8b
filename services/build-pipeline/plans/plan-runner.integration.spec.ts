import { join } from 'node:path';
import { askGate, countGate, type GateCounts, INSTALLATIONS_REPORTED } from '@sluice/contracts';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import type { DocumentStore } from '@sluice/document-store';
import { type CommandHandling, createCommandHandling, type EventStore, type Recorded } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { type Clock, newCommandId, newUlid, UnavailableError } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { createProjections, type Projections, type RunningProcess, startProcess } from '@sluice/projections';
import { eventually, recordingLogger, temporaryDirectory } from '@sluice/testing';
import { channelDecider, type ChannelCommand, type ChannelEvent, channelStream } from '../builds/domain/channel';
import { projections } from '../projections';
import {
  planDecider,
  type PlanCommand,
  type PlanEvent,
  type PlanRules,
  planStream,
  type WebhookAnswer,
} from './domain/plan';
import { countPlans } from './count-plans';
import { HealthHandlers } from './health.handlers';
import { PlanEffects } from './plan-effects';
import { PlanRunner } from './plan-runner';
import { lastAnswer } from './webhook-answers';
import { withTime } from '../../../test/support/timed-store';

jest.setTimeout(120_000);

const BUILD = 1;
const STREAM = channelStream(7, 'production');
const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

const GOOD: GateCounts = {
  ...{ finished: 1_000, failed: 1, leftOut: 0, mostFinished: 1, mostFailed: 1, downloaded: 0, silent: 0 },
};
const BAD: GateCounts = { ...GOOD, finished: 100, failed: 50 };
const rules: PlanRules = {
  steps: [5, 25, 100].map((percentage) => ({ percentage, holdMinutes: 10, minDevices: 100 })),
  ...{ failureThreshold: 2, silenceAfterMinutes: 60, silenceThreshold: 50 },
  ...{ windows: [], timeZone: 'UTC', startAt: null, onFail: 'hold' },
};

/** The event store's clock, and as many of replicas as a test needs. */
let now: number;
let counts: GateCounts | undefined;
/** Of the webhook gate; undefined: the service that asks it is unavailable. */
let answer: WebhookAnswer | undefined;
/** What the webhook gate was sent, and in which minute. */
let asked: { readonly minute: number; readonly body: unknown }[];
let folder: string;
let events: EventStore;
let documents: DocumentStore;
let views: Projections;
let running: { stop(): Promise<void> }[];
let logger: ReturnType<typeof recordingLogger>;

/** A replica's clock, ahead of the store's by so much. */
const clockAt = (ahead: number): Clock => ({ now: () => new Date(now + ahead), monotonic: () => now + ahead * 1_000 });

interface Replica {
  readonly commands: CommandHandling;
  readonly effects: PlanEffects;
  readonly runner: PlanRunner;
  readonly report: () => void;
}

function replica(ahead = 0, crash: () => void = () => undefined): Replica {
  const clock = clockAt(ahead);
  const whole = createCommandHandling({
    ...{ store: events, clock },
    visible: (stream, position) => views.visible(stream, position),
  });
  const commands: CommandHandling = {
    ...whole,
    handle: async (...given) => {
      crash();
      const handled = await whole.handle(...given);
      crash();
      return handled;
    },
  };
  const effects = new PlanEffects(commands, events);
  let listener: (body: { builds: number[] }) => void = () => undefined;
  const runner = new PlanRunner({
    ...{ commands, readStore: documents, state: documents, effects, clock, logger },
    messaging: {
      request: (call, request) => {
        if (call === (askGate as never)) {
          asked.push({ minute: (now - START) / MINUTE, body: request });
          const unavailable = new UnavailableError('No answer.');
          return answer === undefined ? Promise.reject(unavailable) : Promise.resolve(answer as never);
        }
        expect(call).toBe(countGate);
        return counts === undefined
          ? Promise.reject(new UnavailableError('No counts.'))
          : Promise.resolve(counts as never);
      },
      listen: (topic, told) => {
        expect(topic).toBe(INSTALLATIONS_REPORTED);
        listener = told;
        return () => undefined;
      },
    },
  });
  running.push(runner);
  return { commands, effects, runner, report: () => listener({ builds: [BUILD] }) };
}

beforeEach(async () => {
  now = START;
  counts = GOOD;
  [answer, asked] = [{ verdict: 'pass', reason: null }, []];
  logger = recordingLogger();
  running = [];
  folder = temporaryDirectory();
  events = withTime(await openSqliteEventStore({ path: join(folder, 'events.db') }), () => now);
  documents = await openSqliteDocumentStore({ path: join(folder, 'read.db') });
  views = createProjections({ events, documents, projections, waitMs: 5_000, logger: recordingLogger() });
  await views.start();
  const { commands } = replica();
  const build = {
    ...{ buildId: BUILD, jobId: newUlid(), bundleId: 'bundle-1', appId: 7, version: '1.0.0' },
    channel: 'production' as const,
    ...{ objectKey: 'bundles/1.zip', size: 1, checksum: 'ab'.repeat(32), signature: null },
    ...{ releaseNotes: null, minNativeVersion: null, rolloutPercentage: 100, mandatory: false },
  };
  await change(commands, { type: 'AcceptBuild', build });
  await change(commands, { type: 'ActivateBuild', buildId: BUILD });
});

afterEach(async () => {
  await Promise.all(running.map((each) => each.stop()));
  await views.close();
  await documents.close();
  await events.close();
});

const by = (actor = 'token:1') => ({ commandId: newCommandId(), actor });
const change = (commands: CommandHandling, command: ChannelCommand) =>
  commands.handle(channelDecider, STREAM, command, by());
const give = async ({ commands, effects }: Replica, command: PlanCommand) => {
  const { events: given } = await commands.handle(planDecider, planStream(BUILD), command, by());
  for (const event of given as readonly Recorded<PlanEvent>[]) await effects.apply(event);
};
const set = async (of: Replica, changes: Partial<PlanRules> = {}) => {
  const { revision } = await of.commands.load(channelDecider, STREAM);
  const basis = { channel: 'production', channelRevision: Number(revision), manualRevision: 0 } as const;
  await give(of, {
    ...{ type: 'SetPlan', plan: { ...rules, ...changes } },
    of: { appId: 7, buildId: BUILD, version: '1.0.0', baseline: null, basis },
  });
};
const planNow = async ({ commands }: Replica) => (await commands.load(planDecider, planStream(BUILD))).state.plan;
const buildNow = async ({ commands }: Replica) => (await commands.load(channelDecider, STREAM)).state.builds.get(BUILD);

/** The types of the plan's events, and of those that changed the build. */
async function typesIn(stream: string): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of events.readStream(stream)) types.push(type);
  return types;
}

it('enters one step after the other, and applies each once', async () => {
  const [one, two] = [replica(), replica()];
  await set(one);
  expect(await buildNow(one)).toMatchObject({ rolloutPercentage: 5, rolloutEnabled: true });
  const percentages: unknown[] = [];
  for (let minute = 0; minute < 35; minute += 1) {
    now = START + minute * MINUTE;
    await Promise.all([one.runner.runNow(), two.runner.runNow()]);
    percentages.push((await buildNow(one))?.rolloutPercentage);
  }
  expect(percentages.indexOf(25)).toBe(10);
  expect(percentages.indexOf(100)).toBe(20);
  expect(await planNow(one)).toMatchObject({ status: 'completed', step: 3 });
  const steps = ['StepEntered', 'StepDue', 'GateJudged'];
  expect(await typesIn(planStream(BUILD))).toEqual(['PlanSet', ...steps, ...steps, ...steps, 'PlanCompleted']);
  expect((await typesIn(STREAM)).filter((type) => type === 'RolloutChanged')).toHaveLength(3);
});

it('is deleted with the step applied that a stopped process entered, and changes nothing later', async () => {
  const [stopped, one] = [replica(), replica()];
  stopped.effects.apply = () => Promise.resolve();
  await set(stopped);
  expect(await buildNow(one)).toMatchObject({ rolloutPercentage: 100 });
  await give(one, { type: 'DeletePlan' });
  expect(await buildNow(one)).toMatchObject({ rolloutPercentage: 5, rolloutEnabled: true });
  await change(one.commands, { type: 'ChangeRollout', buildId: BUILD, rolloutPercentage: 40 });
  for await (const event of events.readStream(planStream(BUILD))) await one.effects.apply(event as never);
  expect(await buildNow(one)).toMatchObject({ rolloutPercentage: 40 });
});

it('enters no step early by a clock that is two hours ahead, and none late by one that is behind', async () => {
  const [one, ahead, behind] = [replica(), replica(120 * MINUTE), replica(-120 * MINUTE)];
  await set(one);
  for (let minute = 0; minute < 10; minute += 1) {
    now = START + minute * MINUTE;
    await Promise.all([ahead.runner.runNow(), behind.runner.runNow()]);
    expect(await planNow(one)).toMatchObject({ step: 1 });
  }
  now = START + 10 * MINUTE;
  await Promise.all([ahead.runner.runNow(), behind.runner.runNow()]);
  expect(await planNow(one)).toMatchObject({ step: 2 });
});

it('waits while the reports can not be counted', async () => {
  const one = replica();
  await set(one);
  counts = undefined;
  now = START + 600 * MINUTE;
  await one.runner.runNow();
  expect(await typesIn(planStream(BUILD))).toEqual(['PlanSet', 'StepEntered']);
  counts = GOOD;
  await one.runner.runNow();
  expect(await planNow(one)).toMatchObject({ step: 2, status: 'running' });
});

it.each(['hold', 'halt', 'recall'] as const)('on failure, after a batch of reports: %s', async (onFail) => {
  const one = replica();
  await set(one, { onFail });
  one.runner.start();
  await one.runner.runNow();
  counts = BAD;
  one.report();
  await eventually(async () => (await planNow(one))?.because === 'failed');
  await one.runner.stop();
  expect(await planNow(one)).toMatchObject({ status: onFail === 'hold' ? 'held' : 'failed' });
  const expected = {
    hold: { status: 'active', rolloutPercentage: 5, rolloutEnabled: true },
    halt: { status: 'active', rolloutPercentage: 5, rolloutEnabled: false },
    // There is no build below it.
    recall: { status: 'paused' },
  };
  expect(await buildNow(one)).toMatchObject(expected[onFail]);
});

describe('with a webhook gate', () => {
  const url = 'https://gate.example.com/sluice';
  const hooked = { webhookUrl: url };
  /** One look of each replica in each of these minutes, until all requests are answered. */
  const look = async (replicas: readonly Replica[], from: number, to: number) => {
    for (let minute = from; minute <= to; minute += 1) {
      now = START + minute * MINUTE;
      for (let looks = 0; looks < 2; looks += 1) {
        await Promise.all(replicas.map(({ runner }) => runner.runNow()));
        await Promise.all(replicas.map(({ runner }) => runner.asked()));
      }
    }
  };

  it('asks once a minute, whatever the clocks of replicas show, and enters the step once it passes', async () => {
    const [one, ahead, behind] = [replica(), replica(120 * MINUTE), replica(-120 * MINUTE)];
    await set(one, hooked);
    answer = { verdict: 'wait', reason: 'Not yet.' };
    await look([one, ahead, behind], 0, 14);
    expect(asked.map(({ minute }) => minute)).toEqual(Array.from({ length: 15 }, (_, minute) => minute));
    const { finished, failed, leftOut: left_out } = GOOD;
    expect(asked[14]!.body).toEqual({
      ...{ appId: 7, url },
      body: {
        ...{ app: 7, build: BUILD, version: '1.0.0', channel: 'production', step: 1, percentage: 5 },
        ...{ since: new Date(START).toISOString(), counts: { finished, failed, left_out } },
      },
    });
    expect(await planNow(one)).toMatchObject({ step: 1, status: 'running' });
    expect(await lastAnswer(documents, (await planNow(one))!)).toMatchObject({ verdict: 'wait', reason: 'Not yet.' });
    expect(await typesIn(planStream(BUILD))).toEqual(['PlanSet', 'StepEntered']);
    answer = { verdict: 'pass', reason: null };
    await look([one, ahead, behind], 15, 15);
    expect(await planNow(one)).toMatchObject({ step: 2, judged: { verdict: 'pass', webhook: answer } });
    expect((await typesIn(planStream(BUILD))).filter((type) => type === 'StepEntered')).toHaveLength(2);
  });

  it('waits, and asks again, while the service that asks is unavailable', async () => {
    const one = replica();
    await set(one, hooked);
    answer = undefined;
    await look([one], 0, 12);
    expect(asked).toHaveLength(13);
    expect(await planNow(one)).toMatchObject({ step: 1, status: 'running' });
    const last = await lastAnswer(documents, (await planNow(one))!);
    expect(last).toMatchObject({ verdict: 'wait', reason: expect.stringMatching(/did not respond/) as string });
    answer = { verdict: 'pass', reason: null };
    await look([one], 13, 13);
    expect(await planNow(one)).toMatchObject({ step: 2 });
  });

  it.each(['hold', 'halt', 'recall'] as const)('stops between the steps when it fails: %s', async (onFail) => {
    const one = replica();
    await set(one, { ...hooked, onFail });
    await look([one], 0, 2);
    answer = { verdict: 'fail', reason: 'crashes of a-secret' };
    await look([one], 3, 4);
    expect(await planNow(one)).toMatchObject({ status: onFail === 'hold' ? 'held' : 'failed', because: 'failed' });
    expect(asked).toHaveLength(4);
    expect((await buildNow(one))?.status).toBe(onFail === 'recall' ? 'paused' : 'active');
    const [status, because] = [onFail === 'hold' ? 'held' : 'failed', 'failed'];
    await eventually(async () => (await countPlans(documents)).some((of) => of.status === status && of.count > 0));
    const counted = await countPlans(documents);
    expect(counted.filter(({ count }) => count > 0)).toEqual([{ status, because, count: 1 }]);
    expect(counted).toHaveLength(5);
    const warnings = JSON.stringify(logger.lines);
    expect(warnings).toContain('The webhook gate failed.');
    expect(warnings).not.toContain('a-secret');
  });

  it('enters each step once, and asks at most once a minute, while commands fail at random moments', async () => {
    const random = randomOf(20_261_126);
    let failures = 0;
    const fail = () => {
      if (random() >= 0.5) return;
      failures += 1;
      throw new Error('The process crashed.');
    };
    await set(replica(), hooked);
    await look([replica(0, fail), replica(0, fail)], 0, 240);
    expect(failures).toBeGreaterThan(10);
    const steps: number[] = [];
    for await (const event of events.readStream(planStream(BUILD))) {
      if (event.type === 'StepEntered') steps.push((event.data as { step: number }).step);
    }
    expect(steps).toEqual([1, 2, 3]);
    expect((await planNow(replica()))?.status).toBe('completed');
    const minutes = asked.map(({ minute }) => minute);
    expect(minutes).toEqual([...new Set(minutes)]);
    expect(minutes.length).toBeGreaterThan(30);
  });

  it('is not asked where the reports decide, before the first step, nor after the plan', async () => {
    const one = replica();
    await set(one, { ...hooked, startAt: new Date(START + 5 * MINUTE).toISOString() });
    await look([one], 0, 4);
    expect(asked).toEqual([]);
    counts = BAD;
    await look([one], 5, 7);
    expect(asked).toEqual([]);
    expect(await planNow(one)).toMatchObject({ status: 'held', because: 'failed' });
    await give(one, { type: 'DeletePlan' });
    counts = GOOD;
    await look([one], 8, 20);
    expect(asked).toEqual([]);
  });

  it('begins without an answer in the next plan of the build, and forgets the answers of plans that are over', async () => {
    const one = replica();
    await set(one, hooked);
    await look([one], 0, 1);
    await give(one, { type: 'DeletePlan' });
    now = START + 2 * MINUTE;
    await set(one, hooked);
    expect(await lastAnswer(documents, (await planNow(one))!)).toBeUndefined();
    await look([one], 2, 3);
    expect(asked).toHaveLength(4);
    const second = (await planNow(one))!;
    expect(await lastAnswer(documents, second)).toMatchObject({ verdict: 'pass' });
    await give(one, { type: 'DeletePlan' });
    await look([one], 4, 14);
    expect(await lastAnswer(documents, second)).toBeUndefined();
  });
});

it('looks at a plan as soon as it is set', async () => {
  const one = replica();
  const woken = jest.spyOn(one.runner, 'wake');
  one.runner.start();
  await set(one);
  expect(woken).toHaveBeenCalled();
});

it('skips, repeats and hastens no step while processes crash at 200 moments', async () => {
  const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);
  process.stderr.write(`CRASH_SEED=${seed}\n`);
  const random = randomOf(seed);
  const safe = replica();
  let crashes = 0;
  let plans = 0;
  for (; crashes < 200; plans += 1) {
    now += MINUTE;
    await set(safe);
    for (let minutes = 0; minutes < 500 && (await planNow(safe))?.status === 'running'; minutes += 1) {
      now += MINUTE;
      const crashing = replica(0, () => {
        if (random() >= 0.3) return;
        crashes += 1;
        throw new Error('The process crashed.');
      });
      // A new process waits for a step as long as the clock says.
      await crashing.runner.runNow();
      for await (const event of events.readStream(planStream(BUILD))) {
        await crashing.effects.apply(event as unknown as Recorded<PlanEvent>).catch(() => undefined);
      }
      await crashing.runner.stop();
    }
    for await (const event of events.readStream(planStream(BUILD))) {
      await safe.effects.apply(event as unknown as Recorded<PlanEvent>);
    }
    expect(await planNow(safe)).toMatchObject({ status: 'completed', step: 3 });
    expect(await buildNow(safe)).toMatchObject({ rolloutPercentage: 100, rolloutEnabled: true });
  }
  const entered: { step: number; at: number }[] = [];
  for await (const event of events.readStream(planStream(BUILD))) {
    const { type, data, recordedAt } = event as unknown as Recorded<PlanEvent>;
    if (type === 'StepEntered') entered.push({ step: data.step, at: Date.parse(recordedAt) });
  }
  expect(entered.map(({ step }) => step)).toEqual(Array.from({ length: plans }, () => [1, 2, 3]).flat());
  for (const [index, { step, at }] of entered.entries()) {
    if (step > 1) expect(at - (entered[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(10 * MINUTE);
  }
  const percentages: number[] = [];
  for await (const event of events.readStream(STREAM)) {
    const { type, data } = event as unknown as Recorded<ChannelEvent>;
    if (type === 'RolloutChanged') percentages.push(data.rolloutPercentage);
  }
  // A step that was overtaken before it was applied is left out, and none is applied twice.
  for (const [index, percentage] of percentages.entries()) expect(percentage).not.toBe(percentages[index - 1]);
});

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) / 2 ** 24;
  };
}

describe('the process', () => {
  let processManager: RunningProcess;
  const start = async ({ effects }: Replica) => {
    processManager = await startProcess({
      events,
      state: documents,
      process: effects.process,
      logger: recordingLogger(),
    });
  };
  afterEach(() => processManager.close());

  it('applies what a stopped process left, and nothing twice', async () => {
    const one = replica();
    // The handler died after each append.
    const { revision } = await one.commands.load(channelDecider, STREAM);
    const basis = { channel: 'production', channelRevision: Number(revision), manualRevision: 0 } as const;
    const of = { appId: 7, buildId: BUILD, version: '1.0.0', baseline: null, basis };
    const commands: PlanCommand[] = [{ type: 'SetPlan', plan: rules, of }, { type: 'SkipStep' }];
    for (const command of commands) await one.commands.handle(planDecider, planStream(BUILD), command, by());
    await start(one);
    await eventually(async () => (await buildNow(one))?.rolloutPercentage === 25);
    await processManager.close();
    const before = await typesIn(STREAM);
    // Once more from the start, as after a crash before the checkpoint.
    for await (const event of events.readStream(planStream(BUILD))) {
      await one.effects.apply(event as unknown as Recorded<PlanEvent>);
    }
    expect(await typesIn(STREAM)).toEqual(before);
  });

  it('never takes a build back to an earlier step', async () => {
    const one = replica();
    await set(one);
    await give(one, { type: 'SkipStep' });
    const fresh = replica();
    const before = await typesIn(STREAM);
    for await (const event of events.readStream(planStream(BUILD))) {
      // Under other command ids, as if the repeat were forgotten.
      await fresh.effects.apply({
        ...(event as unknown as Recorded<PlanEvent>),
        id: newCommandId(),
      });
    }
    expect(await typesIn(STREAM)).toEqual(before);
    expect(await buildNow(one)).toMatchObject({ rolloutPercentage: 25 });
    await start(one);
  });

  it.each<ChannelCommand>([
    { type: 'ChangeRollout', buildId: BUILD, rolloutPercentage: 50 },
    { type: 'ChangeRollout', buildId: BUILD, enabled: false },
    { type: 'EditBuild', buildId: BUILD, status: 'paused' },
    { type: 'EditBuild', buildId: BUILD, status: 'archived' },
    { ...{ type: 'RecallBuild', buildId: BUILD, reason: 'Bad.', to: 'none' }, republishedId: 9, bundleId: 'bundle-9' },
    { type: 'DeleteBuild', buildId: BUILD },
  ])('ends the plan when a person changes the build: %j', async (command) => {
    const one = replica();
    await start(one);
    await set(one);
    await one.commands.handle(channelDecider, STREAM, command, by('owner:1'));
    const after = await buildNow(one);
    await eventually(async () => (await planNow(one))?.because === 'changed');
    expect(await planNow(one)).toMatchObject({ status: 'aborted' });
    now += 60 * MINUTE;
    await one.runner.runNow();
    expect(await buildNow(one)).toEqual(after);
    let last: Recorded<ChannelEvent | PlanEvent> | undefined;
    for await (const event of events.readStream(planStream(BUILD))) last = event as unknown as Recorded<PlanEvent>;
    expect(last).toMatchObject({ type: 'PlanAborted', metadata: { actor: 'owner:1' } });
  });

  it('leaves a build alone that a person changed just before the step, and ends the plan', async () => {
    const one = replica();
    await set(one);
    await change(one.commands, { type: 'ChangeRollout', buildId: BUILD, rolloutPercentage: 1 });
    await give(one, { type: 'SkipStep' });
    expect(await buildNow(one)).toMatchObject({ rolloutPercentage: 1 });
    expect(await planNow(one)).toMatchObject({ status: 'aborted', because: 'changed' });
    await start(one);
  });
});

it('is read for the health of its build while it is live, once when it is over, and not when it was deleted', async () => {
  const one = replica();
  let loads = 0;
  const commands: CommandHandling = { ...one.commands, load: (...of) => ((loads += 1), one.commands.load(...of)) };
  const builds = [{ build_id: BUILD, attempts: 0, failed_attempts: 0, previous: null }];
  const messaging = { request: () => Promise.resolve([{ devices: 0, builds }]) } as unknown as Messaging;
  const health = new HealthHandlers(commands, messaging, documents);
  const judgedTwice = async () => {
    loads = 0;
    await health.get({ apps: [7] });
    const [app] = await health.get({ apps: [7] });
    return [app!.builds[0]!.judged_by, app!.builds[0]!.limit_percent, loads];
  };
  await set(one, { failureThreshold: 3 });
  expect(await judgedTwice()).toEqual(['plan', 3, 2]);
  await give(one, { type: 'DeletePlan' });
  expect(await judgedTwice()).toEqual(['default', 2, 0]);
  await set(one, { failureThreshold: 4 });
  for (let step = 0; step < 3; step += 1) await give(one, { type: 'SkipStep' });
  expect(await judgedTwice()).toEqual(['plan', 4, 1]);
  await set(one, { failureThreshold: 5 });
  expect(await judgedTwice()).toEqual(['plan', 5, 2]);
});
