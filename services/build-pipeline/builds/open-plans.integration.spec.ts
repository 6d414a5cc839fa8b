import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import type { DocumentStore } from '@sluice/document-store';
import { type CommandHandling, createCommandHandling, type EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newCommandId, newUlid, systemClock, UnavailableError } from '@sluice/kernel';
import { createProjections, type Projections } from '@sluice/projections';
import { installation, INSTALLATION_STREAM, PLAN_STEPS_FORMAT } from '@sluice/service-host';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import { StoredMetadata } from './build-metadata';
import { BuildResources } from './build-resources';
import { buildsProjection } from './builds.projection';
import { channelDecider, type ChannelCommand, channelStream } from './domain/channel';
import { PlanSetter } from './plan-setter';
import { PlanHandlers } from './plan.handlers';
import { planDecider, type PlanCommand, type PlanRules, planStream } from '../plans/domain/plan';
import { PlanEffects } from '../plans/plan-effects';
import { plansProjection } from '../plans/plans.projection';

const APP = 7;
const rules: PlanRules = {
  steps: [25, 100].map((percentage) => ({ percentage, holdMinutes: 10, minDevices: 0 })),
  ...{ failureThreshold: 2, silenceAfterMinutes: 60, silenceThreshold: 50 },
  ...{ windows: [], timeZone: 'UTC', startAt: null, onFail: 'halt' },
};
const STEP = { percentage: 25, hold_minutes: 10, min_devices: 0 };
const FAILS = expect.stringMatching(
  /^.* devices failed \(almost certainly at least .*\); the limit is 2%\.$/,
) as string;
const BAD = { finished: 100, failed: 50, leftOut: 0, mostFinished: 1, mostFailed: 1, downloaded: 0, silent: 0 };

let events: EventStore;
let documents: DocumentStore;
let views: Projections;
let commands: CommandHandling;
let effects: PlanEffects;
let handlers: PlanHandlers;

const by = () => ({ commandId: newCommandId(), actor: 'token:1' });

beforeEach(async () => {
  const folder = temporaryDirectory();
  const logger = recordingLogger();
  events = await openSqliteEventStore({ path: join(folder, 'events.db') });
  documents = await openSqliteDocumentStore({ path: join(folder, 'read.db') });
  const projections = [buildsProjection, plansProjection];
  views = createProjections({ events, documents, projections, waitMs: 5_000, logger });
  await views.start();
  commands = createCommandHandling({
    ...{ store: events, clock: systemClock },
    visible: (stream, position) => views.visible(stream, position),
  });
  effects = new PlanEffects(commands, events);
  const builds = new BuildResources(documents, views, new StoredMetadata(documents));
  const none = { request: () => Promise.reject(new UnavailableError('No reports.')) };
  const setter = new PlanSetter(commands, none as never, effects);
  handlers = new PlanHandlers(commands, builds, effects, setter, documents, documents);
});

afterEach(async () => {
  await views.close();
  await documents.close();
  await events.close();
});

const open = async (...apps: number[]) => handlers.listOpen({ apps });

async function change(app: number, command: ChannelCommand) {
  const { events: recorded } = await commands.handle(channelDecider, channelStream(app, 'production'), command, by());
  await effects.endedBy(recorded);
}

async function give(build: number, command: PlanCommand) {
  const { events: recorded } = await commands.handle(planDecider, planStream(build), command, by());
  for (const event of recorded) await effects.apply(event);
}

async function planned(app: number, buildId: number, onFail: PlanRules['onFail'] = 'halt') {
  const build = {
    ...{ buildId, bundleId: randomUUID(), jobId: newUlid(), appId: app, channel: 'production' as const },
    ...{ version: `1.0.${buildId}`, objectKey: randomUUID(), size: 1, checksum: '', signature: null },
    ...{ releaseNotes: null, minNativeVersion: null, rolloutPercentage: 100, mandatory: false },
  };
  await change(app, { type: 'AcceptBuild', build });
  await change(app, { type: 'ActivateBuild', buildId });
  const { revision } = await commands.load(channelDecider, channelStream(app, 'production'));
  const basis = { channel: 'production', channelRevision: Number(revision), manualRevision: 0 } as const;
  const of = { appId: app, buildId, version: build.version, baseline: null, basis };
  await give(buildId, { type: 'SetPlan', plan: { ...rules, onFail }, of });
}

it('lists the plans that run, are held or stopped their builds, of the given apps alone', async () => {
  for (const build of [1, 2, 3, 4, 5]) await planned(APP, build);
  await planned(8, 6);
  await give(2, { type: 'HoldPlan' });
  await give(3, { type: 'JudgeReports', counts: BAD });
  await give(4, { type: 'DeletePlan' });
  for (let step = 0; step < 2; step += 1) await give(5, { type: 'SkipStep' });
  const of = { channel: 'production', percentage: 25, reasons: [] };
  expect(await open(APP, 9)).toEqual([
    [
      { build_id: 1, version: '1.0.1', status: 'running', because: null, ...of },
      { build_id: 2, version: '1.0.2', status: 'held', because: 'manual', ...of },
      { build_id: 3, version: '1.0.3', status: 'failed', because: 'failed', ...of, reasons: [FAILS] },
    ],
    [],
  ]);
  expect((await open(8)).flat().map(({ build_id: id }) => id)).toEqual([6]);
});

it('changes the steps of a plan only once no replica of an earlier release runs', async () => {
  await planned(APP, 1);
  const change = () => handlers.changeSteps({ appId: APP, id: 1, steps: [STEP, { ...STEP, percentage: 60 }] }, by());
  await expect(change()).rejects.toMatchObject({ code: 'UPGRADE_NOT_FINISHED' });
  expect((await commands.load(planDecider, planStream(1))).state.plan?.revision).toBe(2);
  const raise = { format: PLAN_STEPS_FORMAT, replicas: [] };
  await commands.handle(installation, INSTALLATION_STREAM, raise, by());
  expect(await change()).toMatchObject({ status: 'running', step: 1, revision: 3, steps: [{}, { percentage: 60 }] });
  await give(1, { type: 'SkipStep' });
  expect((await open(APP)).flat()).toMatchObject([{ build_id: 1, percentage: 60 }]);
});

it('leaves out a failed plan once a person resumed or deleted its build, or set another plan', async () => {
  for (const build of [1, 2]) {
    await planned(APP, build);
    await give(build, { type: 'JudgeReports', counts: BAD });
  }
  expect((await open(APP)).flat()).toHaveLength(2);
  await change(APP, { type: 'ChangeRollout', buildId: 1, enabled: true });
  await change(APP, { type: 'DeleteBuild', buildId: 2 });
  expect((await open(APP)).flat()).toEqual([]);
});

it('lists a plan that is held because its build failed', async () => {
  await planned(APP, 1, 'hold');
  await give(1, { type: 'JudgeReports', counts: BAD });
  expect((await open(APP)).flat()).toMatchObject([
    { status: 'held', because: 'failed', percentage: 25, reasons: [FAILS] },
  ]);
});
