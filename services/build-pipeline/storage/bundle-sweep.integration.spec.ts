import { randomUUID } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { bundleKeyOf, fileIndexKey, type Caller } from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { createCommandHandling, type CommandHandling, type EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { DomainError, newCommandId, newUlid, systemClock, UnavailableError, type Clock } from '@sluice/kernel';
import type { ObjectStore } from '@sluice/object-store';
import { openFilesystemObjectStore } from '@sluice/object-store/filesystem';
import type { Messaging } from '@sluice/messaging';
import { createProjections, type Projections } from '@sluice/projections';
import { eventually, recordingLogger, temporaryDirectory } from '@sluice/testing';
import fc from 'fast-check';
import { BuildHandlers } from '../builds/build.handlers';
import { StoredMetadata } from '../builds/build-metadata';
import { BuildResources } from '../builds/build-resources';
import { BuildsAsOf } from '../builds/builds-as-of';
import { buildRows, buildsProjection } from '../builds/builds.projection';
import { channelDecider, channelStream, type Channel, type ChannelCommand } from '../builds/domain/channel';
import { projections as ownProjections } from '../projections';
import { BundleSweep } from './bundle-sweep';
import { PlanSetter } from '../builds/plan-setter';
import { PlanEffects } from '../plans/plan-effects';

jest.setTimeout(60_000);

const APP = 7;
const HOUR = 3_600_000;
const CHANNELS = ['staging', 'production', 'development'] as const;

let folder: string;
let stores: EventStore[];
let readStore: DocumentStore;
let state: DocumentStore;
let objects: ObjectStore;
let views: Projections;
let handlings: CommandHandling[];
let aheadMs: number;
let nextId: number;

const clock: Clock = {
  now: () => new Date(Date.now() + aheadMs),
  monotonic: () => performance.now() + aheadMs,
};
const caller = (): Caller => ({ commandId: newCommandId(), actor: 'token:1' });

async function project(events: EventStore, waitMs = 5_000): Promise<Projections> {
  const made = createProjections({
    ...{ events, documents: readStore, projections: ownProjections, waitMs },
    logger: recordingLogger(),
  });
  await made.start();
  return made;
}

beforeEach(async () => {
  aheadMs = 0;
  nextId = 1_000;
  folder = temporaryDirectory();
  const path = join(folder, 'events.db');
  stores = [await openSqliteEventStore({ path }), await openSqliteEventStore({ path })];
  readStore = await openSqliteDocumentStore({ path: join(folder, 'read.db') });
  state = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
  objects = await openFilesystemObjectStore({ path: join(folder, 'objects') });
  views = await project(stores[0]!);
  handlings = stores.map((store) =>
    createCommandHandling({
      store,
      clock: systemClock,
      visible: (stream, position) => views.visible(stream, position),
    }),
  );
});

afterEach(async () => {
  await views.close();
  await Promise.all([...stores, readStore, state, objects].map((engine) => engine.close()));
});

const toChannel = (channel: Channel, command: ChannelCommand) =>
  handlings[0]!.handle(channelDecider, channelStream(APP, channel), command, caller());

/** An object, as old as given. */
async function stored(ageMs = 0): Promise<string> {
  const key = `bundles/${newUlid()}.zip`;
  await objects.put(key, Readable.from([Buffer.from(key)]));
  const at = new Date(Date.now() - ageMs);
  await utimes(join(folder, 'objects', key), at, at);
  return key;
}

async function accepted(channel: Channel = 'staging', objectKey?: string) {
  const buildId = (nextId += 1);
  const build = {
    ...{ buildId, bundleId: randomUUID(), jobId: newUlid(), appId: APP, channel, version: `1.0.${buildId}` },
    ...{ objectKey: objectKey ?? (await stored()), size: 1, checksum: '', signature: null, releaseNotes: null },
    ...{ minNativeVersion: null, rolloutPercentage: 100, mandatory: false },
  };
  await toChannel(channel, { type: 'AcceptBuild', build });
  return build;
}

async function active(channel: Channel = 'staging') {
  const build = await accepted(channel);
  await toChannel(channel, { type: 'ActivateBuild', buildId: build.buildId });
  return build;
}

const there = async (key: string): Promise<boolean> => (await objects.stat(key)) !== undefined;

const sweepOf = (more: Partial<ConstructorParameters<typeof BundleSweep>[0]> = {}, objectGraceSeconds = 3_600) =>
  new BundleSweep({
    ...{ commands: handlings[0]!, events: stores[0]!, readStore, state, projections: views, objects, clock },
    settings: { objectGraceSeconds, eventStorePrefix: '' },
    logger: recordingLogger(),
    ...more,
  });

const handlersOf = (commands: CommandHandling) => {
  const asOf = new BuildsAsOf(readStore, views);
  const metadata = new StoredMetadata(state);
  const resources = new BuildResources(readStore, views, metadata);
  const effects = new PlanEffects(commands, stores[0]!);
  const setter = new PlanSetter(commands, {} as Messaging, effects);
  const builds = new BuildHandlers(commands, readStore, asOf, metadata, resources, effects, setter);
  return {
    promote: (id: number, targetChannel: Channel) => builds.promote({ appId: APP, id, targetChannel }, caller()),
    delete: (id: number) => builds.delete({ appId: APP, id }, caller()),
  };
};

describe('the sweep of bundles', () => {
  it('keeps what a build needs, however old it is', async () => {
    const build = await active();
    const processing = await accepted();
    aheadMs = 1_000 * HOUR;
    expect(await sweepOf().sweep()).toBe(0);
    expect(await there(build.objectKey)).toBe(true);
    expect(await there(processing.objectKey)).toBe(true);
  });

  it('deletes a bundle once the grace after its deletion is over', async () => {
    const { buildId, objectKey } = await active();
    await handlersOf(handlings[0]!).delete(buildId);
    aheadMs = HOUR - 60_000;
    expect(await sweepOf().sweep()).toBe(0);
    aheadMs = HOUR + 60_000;
    expect(await sweepOf().sweep()).toBe(1);
    expect(await there(objectKey)).toBe(false);
  });

  it('counts the grace from the last of the builds that shared it', async () => {
    const { promote, delete: remove } = handlersOf(handlings[0]!);
    const { buildId, objectKey } = await active();
    const copy = await promote(buildId, 'production');
    await remove(buildId);
    expect(await sweepOf({}, 0).sweep()).toBe(0);
    await remove(copy.id);
    expect(await sweepOf().sweep()).toBe(0);
    expect(await sweepOf({}, 0).sweep()).toBe(1);
    expect(await there(objectKey)).toBe(false);
  });

  it('keeps and deletes the index of a bundle with its bundle, also one without', async () => {
    const { buildId, objectKey } = await active();
    const { objectKey: needed } = await active();
    const [young, old] = [await stored(HOUR / 2), await stored(1.1 * HOUR)];
    await objects.delete(old);
    for (const key of [objectKey, needed, young, old]) {
      await objects.put(fileIndexKey(key), Readable.from([Buffer.from('{}')]));
    }
    const at = new Date(Date.now() - 1.1 * HOUR);
    for (const key of [needed, old]) await utimes(join(folder, 'objects', fileIndexKey(key)), at, at);
    await handlersOf(handlings[0]!).delete(buildId);
    expect(await sweepOf({}, 0).sweep()).toBe(1);
    const kept: string[] = [];
    for await (const { key } of objects.list('bundles/')) kept.push(key);
    expect(kept.sort()).toEqual([needed, fileIndexKey(needed), young, fileIndexKey(young)].sort());
  });

  it('deletes a stray by its age, never one younger than an hour', async () => {
    const [young, old] = [await stored(HOUR / 2), await stored(1.1 * HOUR)];
    expect(await sweepOf({}, 7_200).sweep()).toBe(0);
    expect(await sweepOf({}, 0).sweep()).toBe(1);
    expect([await there(young), await there(old)]).toEqual([true, false]);
  });

  it.each<[string, (buildId: number) => Promise<unknown>]>([
    ['failed', (buildId) => toChannel('staging', { type: 'FailBuild', buildId, error: 'No zip.' })],
    [
      'was archived before it was ready',
      (buildId) => toChannel('staging', { type: 'EditBuild', buildId, status: 'archived' }),
    ],
  ])('takes the bundle of a build that %s for a stray', async (_, end) => {
    const { buildId, objectKey } = await accepted('staging', await stored(2 * HOUR));
    expect(await sweepOf().sweep()).toBe(0);
    await end(buildId);
    expect(await sweepOf().sweep()).toBe(1);
    expect(await there(objectKey)).toBe(false);
  });

  it('keeps the bundle of a build that was archived after it was ready', async () => {
    const { buildId, objectKey } = await active();
    await toChannel('staging', { type: 'EditBuild', buildId, status: 'archived' });
    aheadMs = 2 * HOUR;
    expect(await sweepOf({}, 0).sweep()).toBe(0);
    expect(await there(objectKey)).toBe(true);
  });

  it('checks every object of a long list, also on several replicas simultaneously', async () => {
    const kept = await Promise.all(Array.from({ length: 120 }, () => accepted()));
    await Promise.all(Array.from({ length: 130 }, () => stored(2 * HOUR)));
    const swept = await Promise.all([sweepOf({}, 0).sweep(), sweepOf({}, 0).sweep()]);
    expect(swept.reduce((sum, count) => sum + count)).toBe(130);
    for (const { objectKey } of kept) expect(await there(objectKey)).toBe(true);
  });

  it('deletes nothing while its read model is behind the events', async () => {
    const never = { after: 'z', prefixes: [], handle: () => Promise.resolve() };
    const behind = await project({ ...stores[0]!, subscribe: () => stores[0]!.subscribe(never) }, 50);
    const build = await accepted('staging', await stored(2 * HOUR));
    await stored(2 * HOUR);
    await expect(sweepOf({ projections: behind }).sweep()).rejects.toBeInstanceOf(UnavailableError);
    expect(await there(build.objectKey)).toBe(true);
    await behind.close();
  });

  it('deletes nothing by the events of another installation', async () => {
    const stray = await stored(2 * HOUR);
    await sweepOf({}, 7_200 * 2).sweep();
    const foreign = { ...stores[0]!, identity: () => Promise.resolve('another') };
    await expect(sweepOf({ events: foreign }).sweep()).rejects.toThrow(/another.*bundles/);
    expect(await there(stray)).toBe(true);
  });

  it('repeats until it is stopped', async () => {
    const stray = await stored(2 * HOUR);
    const sweep = sweepOf({}, 0);
    sweep.start();
    await eventually(async () => !(await there(stray)));
    await sweep.stop();
  });
});

describe('a promotion during the deletion of its source', () => {
  /** Holds each command to a channel back until it is let go. */
  function heldBack(type: ChannelCommand['type']) {
    let arrive: () => void = () => undefined;
    let letGo: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const free = new Promise<void>((resolve) => (letGo = resolve));
    const commands: CommandHandling = {
      repeat: (...call) => handlings[1]!.repeat(...call),
      load: (...call) => handlings[1]!.load(...call),
      handle: async (decider, stream, command, ...rest) => {
        if ((command as ChannelCommand).type === type) {
          arrive();
          await free;
        }
        return handlings[1]!.handle(decider, stream, command, ...rest);
      },
    };
    return { commands, arrived, letGo };
  }

  it('is refused when the bundle was swept before it arrived', async () => {
    const { buildId, objectKey } = await active();
    const { commands, arrived, letGo } = heldBack('PromoteIn');
    const promotion = handlersOf(commands).promote(buildId, 'production');
    await arrived;
    await handlersOf(handlings[0]!).delete(buildId);
    expect(await sweepOf({}, 0).sweep()).toBe(0);
    expect(await sweepOf({}, 0).sweep()).toBe(1);
    letGo();
    await expect(promotion).rejects.toEqual(expect.objectContaining({ code: 'BUILD_NOT_FOUND' }));
    expect(await there(objectKey)).toBe(false);
  });

  it('keeps the bundle when it arrives within the grace', async () => {
    const { buildId, objectKey } = await active();
    const { commands, arrived, letGo } = heldBack('PromoteIn');
    const promotion = handlersOf(commands).promote(buildId, 'production');
    await arrived;
    await handlersOf(handlings[0]!).delete(buildId);
    expect(await sweepOf().sweep()).toBe(0);
    letGo();
    expect(await promotion).toMatchObject({ status: 'active' });
    expect(await sweepOf({}, 0).sweep()).toBe(0);
    expect(await there(objectKey)).toBe(true);
  });

  it('is refused when the source went before it was promised anything', async () => {
    const { buildId } = await active();
    const { commands, arrived, letGo } = heldBack('StartPromotion');
    const promotion = handlersOf(commands).promote(buildId, 'production');
    await arrived;
    await handlersOf(handlings[0]!).delete(buildId);
    letGo();
    await expect(promotion).rejects.toEqual(expect.objectContaining({ code: 'BUILD_NOT_FOUND' }));
    expect(await sweepOf({}, 0).sweep()).toBe(1);
  });

  const step = fc.record({
    does: fc.constantFrom('promote' as const, 'delete' as const),
    pick: fc.nat(),
    channel: fc.constantFrom(...CHANNELS),
    process: fc.nat(1),
    afterMs: fc.nat(15),
  });

  it('never leaves an active build without its bundle, nor a bundle without a build', async () => {
    const jittered = handlings.map((commands): CommandHandling => {
      const pause = () => delay(Math.random() * 6);
      return {
        repeat: (...call) => pause().then(() => commands.repeat(...call)),
        load: (...call) => pause().then(() => commands.load(...call)),
        handle: (...call) => pause().then(() => commands.handle(...call)),
      };
    });
    const handlers = jittered.map(handlersOf);
    const builds = readStore.view(buildsProjection.name, buildRows);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 16 }), async (steps) => {
        const known = [(await active('staging')).buildId, (await active('development')).buildId];
        let running = true;
        const sweeps = [sweepOf({}, 0), sweepOf({ commands: handlings[1]! }, 0)].map(async (sweep) => {
          while (running) await sweep.sweep().then(() => delay(1));
        });
        await Promise.all(
          steps.map(async ({ does, pick, channel, process, afterMs }) => {
            await delay(afterMs);
            const id = known[pick % known.length]!;
            const { promote, delete: remove } = handlers[process]!;
            await (does === 'promote' ? promote(id, channel).then((copy) => known.push(copy.id)) : remove(id)).catch(
              (error: unknown) => {
                if (!(error instanceof DomainError) || error instanceof UnavailableError) throw error;
              },
            );
          }),
        );
        running = false;
        await Promise.all(sweeps);
        // One sweep may cancel a promise that was never kept, and the next one then deletes.
        for (let round = 0; round < 3; round += 1) await sweepOf({}, 0).sweep();
        const needed = new Set((await builds.find()).map((row) => row.object_key));
        const kept = new Set<string>();
        for await (const { key } of objects.list('bundles/')) kept.add(bundleKeyOf(key));
        expect([...kept].sort()).toEqual([...needed].sort());
        for (const { id } of await builds.find()) await handlers[0]!.delete(Number(id));
      }),
      { numRuns: 60 },
    );
  });
});
