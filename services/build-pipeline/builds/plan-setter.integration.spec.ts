import { join } from 'node:path';
import {
  type Call,
  type Channel,
  openingPercentage,
  type PlanRules,
  prepareGate,
  type RequestedPlan,
  requestedPlanSchema,
} from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { type CommandHandling, createCommandHandling, type EventStore, type Recorded } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newCommandId, newUlid, systemClock, UnavailableError, ValidationError } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { createProjections, type Projections } from '@sluice/projections';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import fc from 'fast-check';
import { type LivePlan, planDecider, type PlanEvent, planStream } from '../plans/domain/plan';
import { PlanEffects } from '../plans/plan-effects';
import { projections } from '../projections';
import { StoredMetadata } from './build-metadata';
import { BuildHandlers } from './build.handlers';
import { BuildResources } from './build-resources';
import { BuildsAsOf } from './builds-as-of';
import { type ChannelCommand, channelDecider, type ChannelEvent, channelStream } from './domain/channel';
import { PlanHandlers } from './plan.handlers';
import { PlanSetter } from './plan-setter';

jest.setTimeout(120_000);

const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_126);
const APP = 7;
/** The staging channel holds the builds that are promoted. */
const SOURCE = channelStream(APP, 'staging');
const TARGET = channelStream(APP, 'production');

let events: EventStore;
let documents: DocumentStore;
let views: Projections;
/** Whether device-updates can be reached. */
let counting: boolean;
/** Addresses of webhook gates that were checked. */
let gates: (string | undefined)[];
let versions = 0;

beforeEach(async () => {
  const folder = temporaryDirectory();
  counting = true;
  gates = [];
  events = await openSqliteEventStore({ path: join(folder, 'events.db') });
  documents = await openSqliteDocumentStore({ path: join(folder, 'read.db') });
  views = createProjections({ events, documents, projections, waitMs: 20_000, logger: recordingLogger() });
  await views.start();
});

afterEach(async () => {
  await views.close();
  await documents.close();
  await events.close();
});

class Crash extends Error {}

/** One process. `crashIn`: so many steps until it is killed. */
function replica(crashIn = Infinity) {
  let left = crashIn;
  const step = () => {
    left -= 1;
    if (left < 0) throw new Crash();
  };
  const whole = createCommandHandling({
    ...{ store: events, clock: systemClock },
    visible: (stream, position) => views.visible(stream, position),
  });
  const commands: CommandHandling = {
    ...whole,
    handle: async (...given) => {
      step();
      const handled = await whole.handle(...given);
      step();
      return handled;
    },
  };
  const counts = { finished: 0, failed: 0, leftOut: 0, mostFinished: 0, mostFailed: 0, downloaded: 0, silent: 0 };
  const request = (call: Call, { url }: { readonly url?: string }) => {
    if (call === prepareGate) gates.push(url);
    if (url?.includes('127.0.0.1')) throw new ValidationError({ 'gates.webhook.url': ['It is a private address.'] });
    return counting ? Promise.resolve(counts) : Promise.reject(new UnavailableError('No counts.'));
  };
  const effects = new PlanEffects(commands, events);
  const setter = new PlanSetter(commands, { request } as unknown as Messaging, effects);
  const metadata = new StoredMetadata(documents);
  const resources = new BuildResources(documents, views, metadata);
  const handlers = new BuildHandlers(
    ...([commands, documents, new BuildsAsOf(documents, views), metadata, resources, effects, setter] as const),
  );
  const plans = new PlanHandlers(commands, resources, effects, setter, documents, documents);
  return { commands, effects, setter, handlers, plans };
}
type Replica = ReturnType<typeof replica>;

const caller = (commandId = newCommandId()) => ({ commandId, actor: 'token:1' });

const upload = (channel: Channel, plan?: RequestedPlan) => ({
  ...{ appId: APP, channel, version: `1.0.${(versions += 1)}`, objectKey: `bundles/${newUlid()}.zip`, size: 10 },
  ...{ checksum: 'c', signature: null, releaseNotes: null, minNativeVersion: null, mandatory: false },
  ...{ rolloutPercentage: 100, plan },
});

/** What the worker does once it has checked the bundle. */
async function activate({ commands, setter }: Replica, buildId: number, stream: string): Promise<void> {
  const { events: appended } = await commands.handle(
    channelDecider,
    stream,
    { type: 'ActivateBuild', buildId },
    caller(),
  );
  for (const event of appended) await setter.begin(event);
}

async function accepted(of: Replica, channel: Channel, plan?: RequestedPlan): Promise<number> {
  return (await of.handlers.accept(upload(channel, plan), caller())).build.id;
}

const change = (command: ChannelCommand) => replica().commands.handle(channelDecider, TARGET, command, caller());

async function read<Event extends ChannelEvent | PlanEvent>(stream: string): Promise<Recorded<Event>[]> {
  const found: Recorded<Event>[] = [];
  for await (const event of events.readStream(stream)) found.push(event as unknown as Recorded<Event>);
  return found;
}

/** What a started process does, and a second time. */
async function recover(buildId: number): Promise<void> {
  for (let times = 0; times < 2; times += 1) {
    const { setter, effects } = replica();
    const stopping = new AbortController().signal;
    for (const event of await read<ChannelEvent>(TARGET)) await setter.process.react(event, stopping);
    for (const event of await read<ChannelEvent>(TARGET)) await effects.process.react(event, stopping);
    for (const event of await read<PlanEvent>(planStream(buildId))) {
      await effects.process.react(event, stopping);
    }
  }
}

/** Of the devices, the percentage that the build was offered to after each of its events while it was active. */
async function offered(buildId: number): Promise<number[]> {
  const percentages: number[] = [];
  let state = channelDecider.initialState();
  for (const event of await read<ChannelEvent>(TARGET)) {
    state = channelDecider.evolve(state, event, event.metadata.at, event.recordedAt);
    const build = state.builds.get(buildId);
    if (build?.status === 'active') percentages.push(build.rolloutEnabled ? build.rolloutPercentage : 0);
  }
  return percentages;
}

const typesOf = async (buildId: number) => (await read<PlanEvent>(planStream(buildId))).map(({ type }) => type);
const planOf = async (buildId: number): Promise<LivePlan | null> =>
  (await replica().commands.load(planDecider, planStream(buildId))).state.plan;

const step = (percentage: number) => ({ percentage, hold_minutes: 60, min_devices: 0 });
const plan = (rules: Partial<PlanRules> = {}, template: string | null = null): RequestedPlan =>
  requestedPlanSchema.parse({ steps: [step(5), step(100)], ...rules, template });

const anyPlan = fc
  .record({
    percentages: fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 6 }),
    windows: fc.constantFrom([], [{ days: ['mon'], from: '09:00', to: '17:00' }]),
    start_at: fc.constantFrom(null, null, '2030-01-01T00:00:00Z'),
    on_fail: fc.constantFrom('hold', 'halt'),
    template: fc.constantFrom(null, 'careful'),
  })
  .map(({ percentages, ...rest }) =>
    requestedPlanSchema.parse({ ...rest, steps: percentages.sort((a, b) => a - b).map(step) }),
  );

it(`offers a build to no more devices than its first step, wherever the process is killed (seed ${SEED})`, async () => {
  const outcomes = { killed: 0, entered: 0, waiting: 0 };
  const anyCase = fc.record({ rules: anyPlan, promoted: fc.boolean(), crashIn: fc.nat(12) });
  await fc.assert(
    fc.asyncProperty(anyCase, async ({ rules, promoted, crashIn }) => {
      const source = promoted ? await accepted(replica(), 'staging') : undefined;
      if (source !== undefined) await activate(replica(), source, SOURCE);
      const request = upload('production', rules);
      const command = newCommandId();
      let id: number | undefined;
      const run = async (of: Replica) => {
        if (source === undefined) {
          id = (await of.handlers.accept(request, caller(command))).build.id;
          await activate(of, id, TARGET);
        } else {
          const { appId, plan: requested } = request;
          const promotion = { appId, id: source, targetChannel: 'production', plan: requested } as const;
          id = (await of.handlers.promote(promotion, caller(command))).id;
        }
      };
      await run(replica(crashIn)).catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error;
        outcomes.killed += 1;
      });
      // The client and the worker try again.
      await run(replica());
      await recover(id!);
      const opening = openingPercentage(rules);
      expect(Math.max(...(await offered(id!)))).toBeLessThanOrEqual(opening);
      expect((await offered(id!)).at(-1)).toBe(opening);
      expect(await typesOf(id!)).toEqual(opening === 0 ? ['PlanSet'] : ['PlanSet', 'StepEntered']);
      expect(await planOf(id!)).toMatchObject({ status: 'running', step: opening === 0 ? 0 : 1 });
      outcomes[opening === 0 ? 'waiting' : 'entered'] += 1;
    }),
    { seed: SEED, numRuns: 60 },
  );
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(10);
});

it('sets the plan after an upload while its reports can not be counted, once they can', async () => {
  const one = replica();
  const older = await accepted(one, 'production');
  await activate(one, older, TARGET);
  const id = await accepted(one, 'production', plan({}, 'careful'));
  counting = false;
  const { events: activated } = await change({ type: 'ActivateBuild', buildId: id });
  await expect(one.setter.begin(activated[0]!)).rejects.toThrow(UnavailableError);
  expect(await planOf(id)).toBeNull();
  counting = true;
  await recover(id);
  expect(await planOf(id)).toMatchObject({ status: 'running', step: 1, template: 'careful', onFail: 'hold' });
});

it('says that the plan of an upload is set once the build is active', async () => {
  const one = replica();
  const id = await accepted(one, 'production', plan());
  const read = () => one.plans.get({ appId: APP, id });
  const message = expect.stringContaining('once the build is active') as string;
  await expect(read()).rejects.toThrow(expect.objectContaining({ code: 'PLAN_NOT_FOUND', message }) as Error);
  await activate(one, id, TARGET);
  expect(await read()).toMatchObject({ status: 'running', step: 1, template: null });
});

it('copies the rules: the bundle of a build is promoted without its plan', async () => {
  const one = replica();
  const id = await accepted(one, 'staging', plan());
  await activate(one, id, SOURCE);
  const promoted = await one.handlers.promote({ appId: APP, id, targetChannel: 'production' }, caller());
  await recover(promoted.id);
  expect(promoted.rollout_percentage).toBe(100);
  expect(await planOf(promoted.id)).toBeNull();
});

it.each<[string, number | undefined, (id: number) => ChannelCommand]>([
  ['fails its checks', undefined, (buildId) => ({ type: 'FailBuild', buildId, error: 'No zip.' })],
  ['is archived', undefined, (buildId) => ({ type: 'EditBuild', buildId, status: 'archived' })],
  ['is given another rollout', 3, (buildId) => ({ type: 'ChangeRollout', buildId, rolloutPercentage: 3 })],
  ['is deleted', undefined, (buildId) => ({ type: 'DeleteBuild', buildId })],
])('sets no plan if the build %s before it is active', async (_, percentage, meanwhile) => {
  const one = replica();
  const id = await accepted(one, 'production', plan());
  await change(meanwhile(id));
  await activate(one, id, TARGET);
  await recover(id);
  expect(await planOf(id)).toBeNull();
  expect((await offered(id)).at(-1)).toBe(percentage);
});

it('leaves a plan alone that a person set or deleted meanwhile', async () => {
  const one = replica();
  const id = await accepted(one, 'production', plan());
  await change({ type: 'ActivateBuild', buildId: id });
  const { state, revision } = await one.commands.load(channelDecider, TARGET);
  const subject = { build: state.builds.get(id)!, state, channelRevision: Number(revision) };
  await one.setter.set({ ...subject, plan: plan({ steps: [step(2)] }) }, caller());
  await one.commands.handle(planDecider, planStream(id), { type: 'DeletePlan' }, caller());
  await recover(id);
  expect(await typesOf(id)).toEqual(['PlanSet', 'StepEntered', 'PlanAborted']);
  expect((await offered(id)).at(-1)).toBe(2);
});

it('rejects a plan that can recall the build before it stores anything, until the upgrade is finished', async () => {
  const one = replica();
  const source = await accepted(one, 'staging');
  await activate(one, source, SOURCE);
  const before = (await read(SOURCE)).length;
  const recalling = plan({ on_fail: 'recall' });
  const rejection = expect.objectContaining({ code: 'UPGRADE_NOT_FINISHED' }) as Error;
  await expect(accepted(one, 'production', recalling)).rejects.toThrow(rejection);
  const promotion = { appId: APP, id: source, targetChannel: 'production', plan: recalling } as const;
  await expect(one.handlers.promote(promotion, caller())).rejects.toThrow(rejection);
  expect([(await read(TARGET)).length, (await read(SOURCE)).length]).toEqual([0, before]);
});

it('checks the address of a webhook gate before it stores anything', async () => {
  const one = replica();
  const gate = (url: string) => plan({ gates: { ...plan().gates, webhook: { url } } });
  const rejection = expect.objectContaining({ code: 'VALIDATION_FAILED' }) as Error;
  await expect(accepted(one, 'production', gate('https://127.0.0.1/gate'))).rejects.toThrow(rejection);
  expect(await read(TARGET)).toEqual([]);
  await activate(one, await accepted(one, 'production', gate('https://gate.example.com')), TARGET);
  expect(gates).toEqual(['https://127.0.0.1/gate', 'https://gate.example.com']);
});
