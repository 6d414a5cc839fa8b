import type { BuildFacts } from '@sluice/contracts';
import { createProjections } from '@sluice/projections';
import { type DocumentStore, type ProjectedWrite } from '@sluice/document-store';
import { compareVersions, parseVersion } from '@sluice/kernel';
import { skippedEvents, skippedRows } from '@sluice/telemetry';
import { recordingLogger, type RecordingLogger } from '@sluice/testing';
import { buildFacts, openDeviceStores, type DeviceStores } from '../../../test/support/device-plane';
import { serving, type ServingBuild, type ServingKey } from './serving.projection';
import { ServingIndex } from './serving-index';

let stores: DeviceStores;
let indexes: ServingIndex[];
let logger: RecordingLogger;

beforeEach(async () => {
  stores = await openDeviceStores();
  indexes = [];
  logger = recordingLogger();
});

afterEach(async () => {
  for (const index of indexes) await index.close();
  await stores.close();
});

function newIndex(documents: DocumentStore = stores.documents): ServingIndex {
  const { events, members } = stores;
  const index = new ServingIndex({ events, documents, members, logger });
  indexes.push(index);
  return index;
}

async function openIndex(): Promise<ServingIndex> {
  const index = newIndex();
  await index.open();
  return index;
}

const oldDevice = { platform: 'ios' as const, currentVersion: parseVersion('0')!, nativeVersion: undefined };
/** How many events of the type were passed over, as the metrics tell it. */
const skipped = async (type: string) =>
  (await skippedEvents.get()).values.find(({ labels }) => labels['type'] === type)?.value;
const choices = (index: ServingIndex, appId = 1) => index.builds.choices(appId, 'production', oldDevice);

/** Active versions, newest first. */
function offered(index: ServingIndex, appId = 1): string[] {
  const active = index.builds.ofApp(appId).filter(({ active }) => active);
  const versions = active.map(({ facts }) => facts.version).sort((left, right) => compareVersions(right, left));
  expect(choices(index, appId).offers.map(({ build }) => build.facts.version)).toEqual(versions.slice(0, 1));
  return versions;
}

/** Rows as the projection would have left them. */
async function commitRows(checkpoint: { position: string; store?: string; version?: number }, rows: ProjectedWrite[]) {
  const target = await stores.documents.liveTarget(serving);
  const store = await stores.events.identity();
  expect(await target.commit(undefined, { store, version: serving.version, ...checkpoint }, rows)).toBe(true);
}

const keyRow = (keyId: number, hash: string): ServingKey => ({
  id: String(keyId),
  keyId,
  appId: 1,
  hash,
  restrictions: null,
});
const buildRow = (facts: BuildFacts): ServingBuild => ({
  ...facts,
  id: String(facts.buildId),
  status: 'active',
  rolloutEnabled: true,
  manifestRevision: 0,
  signedByServer: false,
});

it('knows apps, keys and builds from events alone', async () => {
  await stores.registerApp(1, 'ios');
  const key = await stores.createKey(5, 1);
  await stores.publish(buildFacts(1, '1.9.0'));
  await stores.publish(buildFacts(2, '1.10.0'));
  await stores.publish(buildFacts(3, '1.2.0', { appId: 2 }));

  const index = await openIndex();

  expect(index.ready).toBe(true);
  expect(index.app(1)).toMatchObject({ platform: 'ios' });
  expect(index.key(key)).toMatchObject({ keyId: 5, appId: 1 });
  expect(index.key(`${key}0`)).toBeUndefined();
  expect(offered(index)).toEqual(['1.10.0', '1.9.0']);
  expect(offered(index, 2)).toEqual(['1.2.0']);
  expect(offered(index, 9)).toEqual([]);
});

it('starts from rows and continues from their checkpoint', async () => {
  const { position } = await stores.registerApp(1);
  await stores.publish(buildFacts(2, '2.0.0'));
  await commitRows({ position }, [
    { collection: 'servingBuilds', id: '1', row: buildRow(buildFacts(1, '1.0.0')), position },
    { collection: 'servingApps', id: '7', row: { id: '7', appId: 7, platform: 'both' } as never, position },
  ]);

  const index = await openIndex();

  expect(offered(index)).toEqual(['2.0.0', '1.0.0']);
  expect(index.app(7)).toBeDefined();
  // Its event is before the checkpoint and no row has it.
  expect(index.app(1)).toBeUndefined();
});

it('starts from the rows of the projection, and continues from there', async () => {
  await stores.registerApp(1);
  const revoked = await stores.createKey(1, 1);
  const key = await stores.createKey(2, 1);
  await stores.append('apiKeys-1', { type: 'ApiKeyRevoked', data: { id: 1 } });
  await stores.publish(buildFacts(1, '1.0.0'));
  const { events, documents } = stores;
  const projections = createProjections({ events, documents, projections: [serving], waitMs: 2000, logger });
  await projections.start();
  await projections.caughtUp;
  await projections.close();
  await stores.publish(buildFacts(2, '2.0.0'));

  const read = jest.spyOn(stores.events, 'subscribe');
  const index = await openIndex();

  expect(read).toHaveBeenCalledWith(expect.objectContaining({ after: expect.stringMatching(/./) }));
  expect(index.app(1)).toBeDefined();
  expect(index.key(revoked)).toBeUndefined();
  expect(index.key(key)).toBeDefined();
  expect(offered(index)).toEqual(['2.0.0', '1.0.0']);
  expect(logger.messages).toEqual([]);
});

it('numbers the releases of a channel by the event that first made a build active there', async () => {
  await stores.registerApp(1);
  const first = buildFacts(1, '1.0.0');
  const accepted = (build: BuildFacts) => ({ type: 'BuildAccepted', data: { ...build, jobId: 'job' } });
  await stores.append('channel-1-production', accepted(first), accepted(buildFacts(2, '2.0.0')));
  stores.clock.time += 1_000;
  await stores.append('channel-1-production', { type: 'BuildActivated', data: { buildId: 2 } });
  stores.clock.time += 1_000;
  await stores.append('channel-1-production', { type: 'BuildActivated', data: { buildId: 1 } });
  const releases = (index: ServingIndex) =>
    [1, 2, 3, 4, 5].map((id) => {
      const { release, releasedAt } = index.builds.find(id)?.facts ?? {};
      return [release, releasedAt];
    });
  const index = await openIndex();
  const before = [
    [3, '2026-03-01T12:00:02.000Z'],
    [2, '2026-03-01T12:00:01.000Z'],
  ];
  expect(releases(index)).toEqual(
    [...before, [], [], []].map((pair) => (pair.length === 0 ? [undefined, undefined] : pair)),
  );

  stores.clock.time += 1_000;
  const copy = { signature: null, promotedFromId: 1 };
  await stores.change(first, { type: 'BuildPaused', data: { buildId: 2 } });
  await stores.change(first, { type: 'BuildResumed', data: { buildId: 2 } });
  await stores.change(first, { type: 'BuildPromoted', data: { ...buildFacts(3, '3.0.0'), ...copy } });
  const republished = { ...buildFacts(4, '3.0.1'), republishedFromId: 1, republishedVersion: '1.0.0', recallOf: 3 };
  await stores.change(first, { type: 'BuildRepublished', data: republished });
  await stores.change(first, { type: 'BuildDeleted', data: { buildId: 4, objectKey: '', jobId: null } });
  await stores.change(first, { type: 'BuildPromoted', data: { ...buildFacts(5, '4.0.0'), ...copy } });
  const after = [...before, [6, '2026-03-01T12:00:03.000Z'], [undefined, undefined], [9, '2026-03-01T12:00:03.000Z']];
  expect(releases(index)).toEqual(after);

  const { events, documents } = stores;
  const projections = createProjections({ events, documents, projections: [serving], waitMs: 2000, logger });
  await projections.start();
  await projections.caughtUp;
  await projections.close();
  expect(releases(await openIndex())).toEqual(after);
});

it('leaves rows that are ahead of their checkpoint as they are', async () => {
  const { position } = await stores.registerApp(1);
  const facts = buildFacts(1, '1.0.0');
  await stores.publish(facts);
  const later = await stores.append('channel-1-staging', { type: 'BuildActivated', data: { buildId: 99 } });
  const notes = 'written by an event after those that are read again';
  await commitRows({ position }, [
    {
      collection: 'servingBuilds',
      id: '1',
      row: buildRow({ ...facts, releaseNotes: notes }),
      position: later.position,
    },
  ]);

  const index = await openIndex();

  expect(index.builds.find(1)?.facts.releaseNotes).toBe(notes);
});

it('skips rows that it can not read, logs them, and serves the rest', async () => {
  const { position } = await stores.registerApp(1);
  const build = (id: number, more: Partial<ServingBuild>): ProjectedWrite => ({
    collection: 'servingBuilds',
    id: String(id),
    row: { ...buildRow(buildFacts(id, `${id}.0.0`)), ...more },
    position,
  });
  const row = { ...keyRow(2, 'bb'), restrictions: { origins: null as never } };
  await commitRows({ position }, [
    build(1, {}),
    build(2, { version: 'latest' }),
    build(3, { minNativeVersion: 'newest' }),
    build(4, { channel: 'nightly' }),
    build(5, {}),
    { collection: 'servingKeys', id: '1', row: keyRow(1, 'aa'), position },
    { collection: 'servingKeys', id: '2', row, position },
  ]);
  skippedRows.reset();

  const index = await openIndex();

  expect(offered(index)).toEqual(['5.0.0', '1.0.0']);
  for (const id of [2, 3, 4]) expect(index.builds.find(id)).toBeUndefined();
  expect(logger.messages).toEqual([
    'Rows of servingKeys are passed over, 1 in all: 2',
    'Rows of servingBuilds are passed over, 3 in all: 2, 3, 4',
  ]);
  const { values } = await skippedRows.get();
  // Those without a fault too: Prometheus sees no increase of a counter that was not there before.
  expect(Object.fromEntries(values.map(({ labels, value }) => [labels.collection, value]))).toEqual({
    servingApps: 0,
    servingAudiences: 0,
    servingBuilds: 3,
    servingChannels: 0,
    servingGroups: 0,
    servingKeys: 1,
    servingNames: 0,
    servingRecalls: 0,
    servingRepublished: 0,
    servingSigners: 0,
    servingStoppedOwners: 0,
  });

  // An event that repairs it is applied.
  const mended = await stores.append('channel-1-production', {
    type: 'BuildEdited',
    data: { buildId: 3, minNativeVersion: '2' },
  });
  await stores.members.applied('channel-1-production', mended.position);
  expect(offered(index)).toEqual(['5.0.0', '3.0.0', '1.0.0']);
});

it.each([
  ['of another event store', { store: 'another' }],
  ['of another version', { version: serving.version + 1 }],
  ['from beyond the head', { position: '~' }],
])('does not use rows %s', async (_, checkpoint) => {
  const { position } = await stores.registerApp(1);
  await commitRows({ position, ...checkpoint }, [
    { collection: 'servingKeys', id: '1', row: keyRow(1, 'aa'), position },
    { collection: 'servingApps', id: '7', row: { id: '7', appId: 7, platform: 'both' } as never, position },
  ]);

  const index = await openIndex();

  expect(index.app(7)).toBeUndefined();
  expect(index.app(1)).toBeDefined();
});

describe('a change', () => {
  const first = buildFacts(1, '1.0.0');
  const second = buildFacts(2, '2.0.0', { mandatory: true });
  let index: ServingIndex;

  beforeEach(async () => {
    await stores.registerApp(1);
    await stores.publish(first);
    await stores.publish(second);
    index = await openIndex();
  });

  it('counts once this process has said that it applied it', async () => {
    await stores.change(second, { type: 'BuildPaused', data: { buildId: 2 } });
    expect(offered(index)).toEqual(['1.0.0']);
    expect(choices(index).offers).toMatchObject([{ mandatory: false }]);
    await stores.change(second, { type: 'BuildResumed', data: { buildId: 2 } });
    expect(offered(index)).toEqual(['2.0.0', '1.0.0']);
    expect(choices(index).offers).toMatchObject([{ mandatory: true }]);
  });

  it('of rollout or facts makes it another build, for which no response is prepared', async () => {
    const before = index.builds.find(1);
    await stores.change(first, {
      type: 'RolloutChanged',
      data: { buildId: 1, rolloutPercentage: 5, enabled: false },
    });
    await stores.change(first, { type: 'BuildEdited', data: { buildId: 1, minNativeVersion: '3' } });
    expect(index.builds.find(1)).not.toBe(before);
    expect(index.builds.find(1)).toMatchObject({ rolloutPercentage: 5, rolloutEnabled: false });
    expect(index.builds.find(1)?.minNativeVersion?.version).toBe('3.0.0');
  });

  it('keeps paused and archived builds for the downloads under way, failed ones not', async () => {
    await stores.change(second, { type: 'BuildArchived', data: { buildId: 2 } });
    expect(index.builds.find(2)?.facts.status).toBe('archived');
    await stores.change(first, { type: 'BuildAccepted', data: { ...buildFacts(3, '3.0.0'), jobId: 'job' } });
    expect(offered(index)).toEqual(['1.0.0']);
    await stores.change(first, { type: 'BuildFailed', data: { buildId: 3, error: 'damaged' } });
    expect(index.builds.find(3)).toBeUndefined();
  });

  it('rejects a revoked key immediately, also one that it has cached', async () => {
    const key = await stores.createKey(1, 1);
    await stores.change(first, { type: 'BuildPaused', data: { buildId: 1 } });
    expect(index.key(key)).toBeDefined();
    const { position } = await stores.append('apiKeys-1', { type: 'ApiKeyRevoked', data: { id: 1 } });
    await stores.members.applied('apiKeys-1', position);
    expect(index.key(key)).toBeUndefined();
  });

  it("of an app's platform counts, and its removal leaves its keys and builds without it", async () => {
    const edited = await stores.append('app-1', { type: 'AppEdited', data: { id: 1, platform: 'ios' } });
    await stores.members.applied('app-1', edited.position);
    expect(index.app(1)).toMatchObject({ platform: 'ios' });
    const removed = await stores.append('app-1', { type: 'AppRemovalStarted', data: { id: 1 } });
    await stores.members.applied('app-1', removed.position);
    expect(index.app(1)).toBeUndefined();
  });

  it('that can not be read removes its build until it is repaired, and delays nothing else', async () => {
    await stores.change(second, { type: 'BuildEdited', data: { buildId: 2, minNativeVersion: 'newest' } });
    expect(offered(index)).toEqual(['1.0.0']);
    expect(index.builds.find(2)).toBeUndefined();
    expect(await skipped('BuildEdited')).toBe(1);
    await stores.change(second, { type: 'BuildEdited', data: { buildId: 2, minNativeVersion: null } });
    expect(offered(index)).toEqual(['2.0.0', '1.0.0']);
  });

  it('of an unknown type is passed over, told once, and keeps nothing else back', async () => {
    await stores.append('apps', { type: 'AppPainted', data: {} }, { type: 'AppPainted', data: {} });
    await stores.change(second, { type: 'BuildPaused', data: { buildId: 2 } });
    expect(offered(index)).toEqual(['1.0.0']);
    expect(await skipped('AppPainted')).toBe(2);
    expect(logger.messages).toEqual([expect.stringContaining('"AppPainted"')]);
  });
});

it('retries while the read store is unavailable, and is not ready before', async () => {
  await stores.registerApp(1);
  let refusals = 2;
  const documents = Object.create(stores.documents, {
    liveTarget: {
      value: (...given: Parameters<DocumentStore['liveTarget']>) =>
        refusals-- > 0 ? Promise.reject(new Error('away')) : stores.documents.liveTarget(...given),
    },
  }) as DocumentStore;
  const index = newIndex(documents);
  const opened = index.open();
  expect(index.ready).toBe(false);
  await opened;
  expect(index.ready).toBe(true);
  expect(index.app(1)).toBeDefined();
  expect(logger.messages).toHaveLength(2);
});

it('continues to answer when the event store has gone', async () => {
  await stores.registerApp(1);
  const key = await stores.createKey(1, 1);
  const index = await openIndex();
  await stores.events.close();
  expect(index.ready).toBe(true);
  expect(index.key(key)).toBeDefined();
});

it('can be closed while it waits for an engine', async () => {
  const documents = Object.create(stores.documents, {
    liveTarget: { value: () => Promise.reject(new Error('away')) },
  }) as DocumentStore;
  const index = newIndex(documents);
  const opened = index.open();
  await index.close();
  await opened;
  expect(index.ready).toBe(false);
});
