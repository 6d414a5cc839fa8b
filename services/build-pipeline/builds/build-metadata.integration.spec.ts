import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { acceptBuild, BuildMetadata, RequestOf } from '@sluice/contracts';
import { type DocumentStore, DocumentStoreUnavailableError, type StateStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { type CommandHandling, createCommandHandling, type EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { type Clock, newCommandId, systemClock, UnavailableError } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { createProjections, type Projections, rebuildProjection } from '@sluice/projections';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import { projections as ownProjections } from '../projections';
import { MetadataSweep } from '../storage/metadata-sweep';
import { BuildHandlers } from './build.handlers';
import { buildMetadataRows, StoredMetadata } from './build-metadata';
import { BuildResources } from './build-resources';
import { BuildsAsOf } from './builds-as-of';
import { buildsProjection } from './builds.projection';
import { channelDecider, channelStream } from './domain/channel';
import { PlanSetter } from './plan-setter';
import { PlanEffects } from '../plans/plan-effects';

const HOUR = 3_600_000;
const ORIGIN: BuildMetadata = { commit: '4f2a9c1d', author: 'Ada Lovelace', run_url: 'https://ci.example.com/runs/7' };

describe('the metadata of builds', () => {
  let events: EventStore;
  let documents: DocumentStore;
  let state: DocumentStore;
  let projections: Projections;
  let commands: CommandHandling;
  let handlers: BuildHandlers;
  let aheadMs: number;

  const clock: Clock = { now: () => new Date(), monotonic: () => performance.now() + aheadMs };
  const caller = (commandId = newCommandId()) => ({ commandId, actor: 'token:1' });
  const handlersOf = (handling: CommandHandling, store: StateStore = state) =>
    new BuildHandlers(
      ...([handling, documents, new BuildsAsOf(documents, projections), new StoredMetadata(store)] as const),
      new BuildResources(documents, projections, new StoredMetadata(store)),
      new PlanEffects(handling, events),
      new PlanSetter(handling, {} as Messaging, new PlanEffects(handling, events)),
    );
  const sweepOf = () =>
    new MetadataSweep({
      ...{ events, readStore: documents, state, projections, clock, logger: recordingLogger() },
      settings: { objectGraceSeconds: 3_600, eventStorePrefix: '' },
    });
  /** How many bundles have metadata. */
  const stored = () => state.rows(buildMetadataRows).count();

  beforeEach(async () => {
    const folder = temporaryDirectory();
    aheadMs = 0;
    events = await openSqliteEventStore({ path: join(folder, 'events.db') });
    documents = await openSqliteDocumentStore({ path: join(folder, 'read.db') });
    state = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
    const logger = recordingLogger(({ message }) => expect(message).toBe(''));
    projections = createProjections({ events, documents, projections: ownProjections, waitMs: 20_000, logger });
    await projections.start();
    commands = createCommandHandling({
      ...{ store: events, clock: systemClock },
      visible: (stream, position) => projections.visible(stream, position),
    });
    handlers = handlersOf(commands);
  });
  afterEach(async () => {
    await projections.close();
    await Promise.all([documents.close(), state.close(), events.close()]);
  });

  const request = (version: string, metadata?: BuildMetadata): RequestOf<typeof acceptBuild> => ({
    ...{ appId: 1, channel: 'staging', version, objectKey: `bundles/${randomUUID()}.zip`, size: 1, checksum: 'c' },
    ...{ signature: null, releaseNotes: null, minNativeVersion: null, rolloutPercentage: 100, mandatory: false },
    ...(metadata && { metadata }),
  });
  const accepted = async (version: string, metadata?: BuildMetadata) =>
    (await handlers.accept(request(version, metadata), caller())).build.id;
  async function active(version: string, metadata?: BuildMetadata): Promise<number> {
    const buildId = await accepted(version, metadata);
    await commands.handle(channelDecider, channelStream(1, 'staging'), { type: 'ActivateBuild', buildId }, caller());
    return buildId;
  }

  it('is returned with the build, one by one, in lists, as of a time and after each change', async () => {
    const [id, plain] = [await active('1.0.0', ORIGIN), await active('1.1.0')];
    expect((await handlers.get({ appId: 1, id })).metadata).toEqual(ORIGIN);
    expect((await handlers.get({ appId: 1, id: plain })).metadata).toEqual({});
    const asOf = new Date().toISOString();
    for (const more of [{}, { asOf }]) {
      const { items } = await handlers.list({ appId: 1, page: 1, perPage: 50, ...more });
      expect(items.map(({ metadata }) => metadata)).toEqual([{}, ORIGIN]);
    }
    expect((await handlers.get({ appId: 1, id, asOf })).metadata).toEqual(ORIGIN);
    expect((await handlers.edit({ appId: 1, id, mandatory: true }, caller())).metadata).toEqual(ORIGIN);
    expect((await handlers.changeRollout({ appId: 1, id, enabled: false }, caller())).metadata).toEqual(ORIGIN);
    expect(await handlers.metadataOf({ builds: [id, plain, 99] })).toEqual({ [id]: ORIGIN });
  });

  it('is that of a promoted build too, also when its source is deleted', async () => {
    const id = await active('1.0.0', ORIGIN);
    const by = caller();
    const promoted = await handlers.promote({ appId: 1, id, targetChannel: 'production' }, by);
    expect(promoted.metadata).toEqual(ORIGIN);
    expect(await handlers.promote({ appId: 1, id, targetChannel: 'production' }, by)).toEqual(promoted);
    await handlers.delete({ appId: 1, id }, caller());
    expect((await handlers.get({ appId: 1, id: promoted.id })).metadata).toEqual(ORIGIN);
    aheadMs = HOUR + 60_000;
    const sweep = sweepOf();
    expect([await sweep.sweep(), await stored()]).toEqual([[], 1]);
  });

  it('is in no event, and survives a rebuild of the read models', async () => {
    const id = await active('1.0.0', ORIGIN);
    await handlers.promote({ appId: 1, id, targetChannel: 'production' }, caller());
    const all = [];
    for await (const event of events.readAll()) all.push(event);
    expect(all.map(({ type }) => type)).toContain('BuildPromoted');
    expect(JSON.stringify(all)).not.toMatch(/4f2a9c1d|Ada Lovelace|ci\.example/);
    await rebuildProjection({ events, documents, projection: buildsProjection });
    expect((await handlers.get({ appId: 1, id })).metadata).toEqual(ORIGIN);
  });

  it('is not kept of an upload or a promotion that is rejected, nor twice of one that is repeated', async () => {
    const by = caller();
    const id = (await handlers.accept(request('1.0.0', ORIGIN), by)).build.id;
    expect((await handlers.accept(request('1.0.0', ORIGIN), by)).build.id).toBe(id);
    await expect(accepted('1.0.0', ORIGIN)).rejects.toMatchObject({ code: 'VERSION_ALREADY_EXISTS' });
    await expect(handlers.promote({ appId: 1, id, targetChannel: 'production' }, caller())).rejects.toMatchObject({
      code: 'BUILD_NOT_READY',
    });
    expect(await stored()).toBe(1);
  });

  it('is erased with a build that is deleted, also by the retention, and where the upload ended before its event', async () => {
    const deleted = await active('1.0.0', ORIGIN);
    const asOf = new Date().toISOString();
    const expired = await active('1.1.0', ORIGIN);
    const kept = await active('1.2.0', ORIGIN);
    await handlers.delete({ appId: 1, id: deleted }, caller());
    expect((await handlers.get({ appId: 1, id: deleted, asOf })).metadata).toEqual({});
    expect(await handlers.metadataOf({ builds: [deleted] })).toEqual({});

    const command = { type: 'ExpireBuilds', buildIds: [expired], keep: 1, now: '2026-01-01T00:00:00.000Z' } as const;
    await commands.handle(channelDecider, channelStream(1, 'staging'), command, caller());
    await expect(handlersOf(withoutChannels(commands)).accept(request('1.3.0', ORIGIN), caller())).rejects.toThrow(
      'No response.',
    );
    expect(await stored()).toBe(4);

    const sweep = sweepOf();
    expect(await sweep.sweep()).toEqual([]);
    aheadMs = HOUR - 60_000;
    expect(await sweep.sweep()).toEqual([]);
    aheadMs = HOUR + 60_000;
    expect(await sweep.sweep()).toHaveLength(3);
    expect(await stored()).toBe(1);
    expect((await handlers.get({ appId: 1, id: kept })).metadata).toEqual(ORIGIN);
  });

  it('does not keep builds from being read and halted while the state store is unavailable', async () => {
    const id = await active('1.0.0', ORIGIN);
    const find = () => Promise.reject(new DocumentStoreUnavailableError('No response.'));
    const unavailable = { ...state, rows: () => ({ ...state.rows(buildMetadataRows), find }) } as unknown as StateStore;
    const handlersThen = handlersOf(commands, unavailable);
    expect(await handlersThen.changeRollout({ appId: 1, id, enabled: false }, caller())).toMatchObject({
      ...{ state: 'stopped', metadata: {} },
    });
    expect(await handlersThen.get({ appId: 1, id })).toMatchObject({ state: 'stopped', metadata: {} });
  });
});

/** The event store becomes unavailable before the channel's event: ids are still given out. */
function withoutChannels(commands: CommandHandling): CommandHandling {
  const handle: CommandHandling['handle'] = (decider, stream, ...rest) =>
    stream.startsWith('channel-')
      ? Promise.reject(new UnavailableError('No response.'))
      : commands.handle(decider, stream, ...rest);
  return { ...commands, handle };
}
