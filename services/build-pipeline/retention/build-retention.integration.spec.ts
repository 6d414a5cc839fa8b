import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { createCommandHandling, type CommandHandling, type EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newCommandId, newUlid, systemClock } from '@sluice/kernel';
import { createProjections, type Projections } from '@sluice/projections';
import { temporaryDirectory, recordingLogger } from '@sluice/testing';
import { channelDecider, channelStream, type ChannelCommand } from '../builds/domain/channel';
import { projections as ownProjections } from '../projections';
import { StoredBundles } from '../storage/stored-bundles';
import { BuildRetention, type BuildRetentionOptions } from './build-retention';

const APP = 7;
const DAY = 86_400_000;

let folder: string;
let events: EventStore;
let readStore: DocumentStore;
let views: Projections;
let commands: CommandHandling;
let aheadMs: number;
let nextId: number;

beforeEach(async () => {
  [aheadMs, nextId] = [0, 0];
  folder = temporaryDirectory();
  events = await openSqliteEventStore({ path: join(folder, 'events.db') });
  readStore = await openSqliteDocumentStore({ path: join(folder, 'read.db') });
  views = createProjections({
    ...{ events, documents: readStore, projections: ownProjections, waitMs: 5_000, logger: recordingLogger() },
  });
  await views.start();
  commands = createCommandHandling({
    ...{ store: events, clock: systemClock, visible: (stream, position) => views.visible(stream, position) },
  });
});
afterEach(async () => {
  await views.close();
  await Promise.all([events.close(), readStore.close()]);
});

const toChannel = (command: ChannelCommand, channel: 'staging' | 'production' = 'production', appId = APP) =>
  commands.handle(channelDecider, channelStream(appId, channel), command, {
    ...{ commandId: newCommandId(), actor: 'token:1' },
  });

/** Answers the id of an active build. */
async function released(version: string, appId = APP, size = 10): Promise<number> {
  const buildId = (nextId += 1);
  const build = {
    ...{ buildId, bundleId: randomUUID(), jobId: newUlid(), appId, channel: 'production' as const, version },
    ...{ objectKey: `bundles/${buildId}.zip`, size, checksum: '', signature: null, releaseNotes: null },
    ...{ minNativeVersion: null, rolloutPercentage: 100, mandatory: false },
  };
  await toChannel({ type: 'AcceptBuild', build }, 'production', appId);
  await toChannel({ type: 'ActivateBuild', buildId }, 'production', appId);
  return buildId;
}

const retentionOf = (
  keepBuilds: Readonly<Record<number, number | null>>,
  buildsKeptPerChannel = 0,
  more: Partial<BuildRetentionOptions> = {},
) =>
  new BuildRetention({
    ...{ commands, readStore, bundles: new StoredBundles(readStore), logger: recordingLogger() },
    messaging: {
      request: (_call: unknown, { after, limit }: { after: number; limit: number }) =>
        Promise.resolve(
          Object.entries(keepBuilds)
            .map(([appId, each]) => ({ appId: Number(appId), keepBuilds: each }))
            .filter(({ appId }) => appId > after)
            .slice(0, limit),
        ),
    } as never,
    clock: { now: () => new Date(Date.now() + aheadMs), monotonic: () => performance.now() + aheadMs },
    settings: { buildsKeptPerChannel, buildRetentionGraceSeconds: DAY / 1_000 },
    ...more,
  });

const left = async (appId = APP) => {
  const { state } = await commands.load(channelDecider, channelStream(appId, 'production'));
  return [...state.builds.values()].map(({ version }) => version);
};
const previewOf = (retention: BuildRetention, keepBuilds: number | null) =>
  retention.preview({ appId: APP, keepBuilds });

describe('the retention of builds', () => {
  it('keeps a build until its last pin has expired', async () => {
    for (const version of ['1.0.0', '1.1.0', '1.2.0']) await released(version);
    const pins = { added: 1, removed: 0, devices: 1, until: new Date(Date.now() + 5 * DAY).toISOString() };
    await toChannel({ type: 'RecordPins', buildId: 1, ...pins });
    const retention = retentionOf({ [APP]: 1 });
    aheadMs = 2 * DAY;
    expect((await previewOf(retention, 1)).builds).toMatchObject([{ id: 2 }]);
    await retention.sweep();
    expect(await left()).toEqual(['1.0.0', '1.2.0']);
    aheadMs = 6 * DAY;
    await retention.sweep();
    expect(await left()).toEqual(['1.2.0']);
  });

  it('deletes what its preview shows, once it is a day old, with an event for each', async () => {
    for (const version of ['1.0.0', '1.1.0', '1.2.0', '1.3.0']) await released(version);
    const retention = retentionOf({ [APP]: 2 });
    expect(await retention.sweep()).toBe(0);
    aheadMs = DAY + 1_000;
    const preview = await previewOf(retention, 2);
    expect(preview).toMatchObject({ keep_builds: 2, total: 2, freed_bytes: 20 });
    expect(preview.builds).toMatchObject([
      { version: '1.1.0', channel: 'production', state: 'live', file_size: 10 },
      { version: '1.0.0', channel: 'production', state: 'live', file_size: 10 },
    ]);
    expect(await left()).toHaveLength(4);
    expect(await retention.sweep()).toBe(2);
    expect((await left()).sort()).toEqual(['1.2.0', '1.3.0']);
    const actors = new Map<string, string>();
    for await (const { type, metadata } of events.readStream(channelStream(APP, 'production'))) {
      actors.set(type, metadata.actor);
    }
    expect(actors.get('BuildDeleted')).toBe('system:build-retention');
    expect(await retention.sweep()).toBe(0);
    expect(await previewOf(retention, 2)).toMatchObject({ total: 0, freed_bytes: 0, builds: [] });
  });

  it('takes the number of the app, else that of the installation, and nothing with 0', async () => {
    for (const appId of [1, 2, 3]) {
      for (const version of ['1.0.0', '1.1.0', '1.2.0']) await released(version, appId);
    }
    aheadMs = DAY + 1_000;
    expect(await retentionOf({ 1: null, 2: 0, 3: 1 }).sweep()).toBe(2);
    expect(await retentionOf({ 1: null, 2: 0, 3: 1 }, 2).sweep()).toBe(1);
    expect([await left(1), await left(2), await left(3)]).toMatchObject([{ length: 2 }, { length: 3 }, ['1.2.0']]);
  });

  it('keeps the builds that recalls use, also while their target is recalled too', async () => {
    const [good, bad] = [await released('1.0.0'), await released('1.1.0')];
    const recall = (buildId: number, to: number | 'none') => {
      const republishedId = (nextId += 1);
      const more = { reason: 'White screen.', republishedId, bundleId: randomUUID() };
      return toChannel({ type: 'RecallBuild', buildId, to, ...more });
    };
    await recall(bad, good);
    await recall(good, 'none');
    await released('2.0.0');
    aheadMs = DAY + 1_000;
    const retention = retentionOf({ [APP]: 1 });
    expect((await previewOf(retention, 1)).builds).toMatchObject([{ version: '1.1.0' }, { version: '1.0.0' }]);
    expect(await retention.sweep()).toBe(2);
    expect((await left()).sort()).toEqual(['1.1.1', '2.0.0']);

    await toChannel({ type: 'UnrecallBuild', buildId: bad });
    expect((await previewOf(retention, 1)).builds).toMatchObject([{ version: '1.1.1' }]);
    expect(await retention.sweep()).toBe(1);
  });

  it('counts the bundle of a promoted build among what is freed only when no other build needs it', async () => {
    const source = await released('1.0.0');
    const promotedId = (nextId += 1);
    const staging = await commands.load(channelDecider, channelStream(APP, 'staging'));
    const started = await toChannel({
      ...{ type: 'StartPromotion', buildId: source, promotedId, targetChannel: 'staging', target: staging.state },
    });
    const bundles = new StoredBundles(readStore);
    expect(await bundles.bytesOf([APP])).toEqual(new Map([[APP, 10]]));
    await toChannel(
      {
        ...{ type: 'PromoteIn', source: started.state.builds.get(source)!, channel: 'staging' },
        ...{ buildId: promotedId, bundleId: randomUUID() },
      },
      'staging',
    );
    await released('1.1.0', APP, 5);
    expect(await bundles.bytesOf([APP, 99])).toEqual(new Map([[APP, 15]]));
    expect(await bundles.freedBy(APP, new Set([source]))).toBe(0);
    expect(await bundles.freedBy(APP, new Set([source, promotedId]))).toBe(10);
    await toChannel({ type: 'DeleteBuild', buildId: source });
    expect(await bundles.bytesOf([APP])).toEqual(new Map([[APP, 15]]));
    await toChannel({ type: 'DeleteBuild', buildId: promotedId }, 'staging');
    expect(await bundles.bytesOf([APP])).toEqual(new Map([[APP, 5]]));
  });

  it('leaves a build that came into service after it was looked at', async () => {
    await released('1.0.0');
    const second = await released('1.1.0');
    const third = await released('1.2.0');
    aheadMs = DAY + 1_000;
    const handle: CommandHandling['handle'] = async (...args) => {
      await toChannel({ type: 'EditBuild', buildId: third, status: 'paused' });
      return commands.handle(...args);
    };
    expect(await retentionOf({ [APP]: 1 }, 0, { commands: { ...commands, handle } }).sweep()).toBe(1);
    expect((await left()).sort()).toEqual(['1.1.0', '1.2.0']);
    expect(
      (await commands.load(channelDecider, channelStream(APP, 'production'))).state.builds.get(second)?.status,
    ).toBe('active');
  });

  it('passes over an app that is being removed', async () => {
    for (const version of ['1.0.0', '1.1.0']) await released(version);
    aheadMs = DAY + 1_000;
    const handle: CommandHandling['handle'] = async (...args) => {
      await toChannel({ type: 'CloseChannel', appId: APP, channel: 'production' });
      return commands.handle(...args);
    };
    expect(await retentionOf({ [APP]: 1 }, 0, { commands: { ...commands, handle } }).sweep()).toBe(0);
  });
});
