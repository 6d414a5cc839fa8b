import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readSettings } from '@sluice/config';
import {
  acceptBuild,
  type Call,
  type Caller,
  changeRollout,
  editBuild,
  getBuild,
  getJob,
  type Job,
  findBuilds,
  listBuilds,
  promoteBuild,
  type ReplyOf,
  type RequestOf,
  signDigest,
} from '@sluice/contracts';
import { type Engines, openEngines } from '@sluice/engines';
import {
  DELIVERY_FORMAT,
  INSTALLATION_STREAM,
  type RunningService,
  startService,
  TARGETING_FORMAT,
} from '@sluice/service-host';
import { createCommandHandling } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newCommandId, systemClock } from '@sluice/kernel';
import { answer, answerCalls } from '@sluice/messaging';
import { createLogger } from '@sluice/telemetry';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { ZipFile } from 'yazl';
import { buildPipeline } from './build-pipeline.service';
import { encryptForCapgo, newCapgoKeys } from '../../test/support/capgo-encryption';
import { channelDecider, channelStream } from './builds/domain/channel';

jest.setTimeout(30_000);

let dataDir: string;
let engines: Engines;
let service: RunningService;
let bundle: Buffer;
let keys: INestMicroservice;

/** The keys service as the worker knows it, of apps without a signing key. */
const unsigned = answer(signDigest, () => ({ signature: null, signatures: [] }));

@Module({ controllers: [answerCalls([unsigned])] })
class UnsignedAppsModule {}

const start = () => startService(buildPipeline, engines, () => 'http://localhost', createLogger('silent'));

beforeAll(async () => {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from('<h1>Hello</h1>'), 'index.html');
  zip.end();
  bundle = await buffer(zip.outputStream as Readable);
});

beforeEach(async () => {
  dataDir = temporaryDirectory();
  engines = await openEngines(readSettings({ DATA_DIR: dataDir, JOB_CONTENT_RETRY_DELAYS_MS: '1' }), 'test');
  const strategy = engines.messaging.server('keys');
  keys = await NestFactory.createMicroservice(UnsignedAppsModule, { strategy, logger: false });
  await keys.listen();
  service = await start();
});

afterEach(async () => {
  await service.stop();
  await keys.close();
  await engines.close();
});

const caller = (commandId = newCommandId()): Caller => ({ actor: 'token:1', commandId });
const refusal = (code: string) => expect.objectContaining({ code }) as Error;

const ask = <C extends Call>(call: C, body: RequestOf<C>, by = caller()) =>
  engines.messaging.request(call, body, by) as Promise<ReplyOf<C>>;

async function upload(
  version: string,
  wish: Partial<RequestOf<typeof acceptBuild>> = {},
  by = caller(),
  bytes = bundle,
) {
  const objectKey = `bundles/${randomUUID()}.zip`;
  await engines.objects.put(objectKey, Readable.from([bytes]));
  return ask(
    acceptBuild,
    {
      appId: 7,
      channel: 'staging',
      version,
      objectKey,
      size: bytes.length,
      checksum: createHash('sha256').update(bytes).digest('hex'),
      signature: null,
      releaseNotes: 'First',
      minNativeVersion: null,
      rolloutPercentage: 50,
      mandatory: true,
      ...wish,
    },
    by,
  );
}

/** Asks as clients do, until the job is final. */
async function done(id: string): Promise<Job> {
  return eventually(async () => {
    const job = await ask(getJob, { id });
    return (job.status === 'completed' || job.status === 'failed') && job;
  });
}

/** An active build. */
async function released(version: string, wish: Partial<RequestOf<typeof acceptBuild>> = {}) {
  const { job_id, build } = await upload(version, wish);
  expect(await done(job_id)).toMatchObject({ status: 'completed' });
  return build.id;
}

async function raiseFormat(format: number, after: 'none' | number): Promise<void> {
  const metadata = {
    ...{ actor: 'system:test', at: new Date().toISOString() },
    ...{ commandId: 'c', correlationId: 'c', causationId: 'c' },
  };
  const raised = { id: randomUUID(), type: 'InstallationFormatRaised', data: { format }, metadata };
  await engines.events.append(INSTALLATION_STREAM, after, [raised]);
}

describe('an upload', () => {
  it('is readable immediately, and active when its job is completed', async () => {
    const { job_id, build } = await upload('1.0.0');
    expect(build).toEqual({ id: 1, version: '1.0.0', channel: 'staging', status: 'processing' });
    expect(await ask(getJob, { id: job_id })).toMatchObject({ id: job_id, type: 'build.process', app_id: 7 });
    expect(await ask(getBuild, { appId: 7, id: 1 })).toMatchObject({ id: 1, version: '1.0.0' });
    expect(await done(job_id)).toMatchObject({
      status: 'completed',
      attempts: 1,
      error: null,
      result: { build_id: 1, version: '1.0.0', channel: 'staging' },
    });
    expect(await ask(getBuild, { appId: 7, id: 1 })).toEqual({
      id: 1,
      version: '1.0.0',
      channel: 'staging',
      status: 'active',
      state: 'rolling_out',
      checksum: createHash('sha256').update(bundle).digest('hex'),
      checksum_algorithm: 'SHA-256',
      signature: null,
      file_size: bundle.length,
      release_notes: 'First',
      min_native_version: null,
      ...{ native_range: null, fingerprint: null, platform: 'all', delivery: null },
      ...{ audience: null, ring: 'per_build' },
      rollout_percentage: 50,
      rollout_enabled: true,
      mandatory: true,
      promoted_from_id: null,
      ...{ recalled_at: null, recall_reason: null, recall_target: null, recall_of: null, republished_from_id: null },
      job_id,
      metadata: {},
      revision: 2,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  it('for certain native apps needs an installation format that knows them, as its edits do', async () => {
    const native = { nativeRange: '>=2 <3', fingerprint: 'f00d', platform: 'ios' } as const;
    for (const [name, value] of Object.entries(native)) {
      await expect(upload('1.0.0', { [name]: value })).rejects.toEqual(refusal('UPGRADE_NOT_FINISHED'));
    }
    const id = await released('0.9.0', { platform: 'all' });
    const edit = (edits: object) => ask(editBuild, { appId: 7, id, ...edits });
    await expect(edit({ nativeRange: '>=2' })).rejects.toEqual(refusal('UPGRADE_NOT_FINISHED'));
    expect(await edit({ nativeRange: null, fingerprint: null })).toMatchObject({ platform: 'all', revision: 2 });

    await raiseFormat(TARGETING_FORMAT, 'none');
    const shown = { native_range: '>=2 <3', fingerprint: 'f00d', platform: 'ios', min_native_version: null };
    const ios = await released('1.0.0', native);
    expect(await ask(getBuild, { appId: 7, id: ios })).toMatchObject(shown);
    expect(await ask(listBuilds, { appId: 7, page: 1, perPage: 20 })).toMatchObject({
      items: [shown, { native_range: null, fingerprint: null, platform: 'all' }],
    });
    expect(await released('1.0.0', { platform: 'android' })).toBeGreaterThan(ios);
    await expect(upload('1.0.0')).rejects.toEqual(refusal('VERSION_ALREADY_EXISTS'));

    const edited = await ask(editBuild, { appId: 7, id: ios, minNativeVersion: '2.5', fingerprint: 'beef' });
    expect(edited).toMatchObject({
      min_native_version: '2.5',
      native_range: null,
      fingerprint: 'beef',
      platform: 'ios',
    });
    const promoted = await ask(promoteBuild, { appId: 7, id: ios, targetChannel: 'production' });
    expect(promoted).toMatchObject({
      min_native_version: '2.5',
      native_range: null,
      fingerprint: 'beef',
      platform: 'ios',
    });
    expect(await ask(getBuild, { appId: 7, id: ios, asOf: new Date().toISOString() })).toMatchObject({
      ...{ fingerprint: 'beef', platform: 'ios' },
    });
  });

  it('that is encrypted is kept as it is, without an index of its files, and needs an installation format', async () => {
    const { file, delivery } = encryptForCapgo(bundle, newCapgoKeys());
    await raiseFormat(TARGETING_FORMAT, 'none');
    await expect(upload('1.0.0', { delivery }, caller(), file)).rejects.toEqual(refusal('UPGRADE_NOT_FINISHED'));
    await raiseFormat(DELIVERY_FORMAT, 0);
    const { job_id, build } = await upload('1.0.0', { delivery }, caller(), file);
    expect(await done(job_id)).toMatchObject({ status: 'completed', attempts: 1 });
    const id = build.id;
    const checksum = createHash('sha256').update(file).digest('hex');
    expect(await ask(getBuild, { appId: 7, id })).toMatchObject({ status: 'active', delivery, checksum });
    const kept: string[] = [];
    for await (const { key } of engines.objects.list('bundles/')) kept.push(key);
    expect(kept.filter((key) => key.endsWith('.files'))).toEqual([]);
    expect(await ask(promoteBuild, { appId: 7, id, targetChannel: 'production' })).toMatchObject({ delivery });

    const cut = await upload('1.1.0', { delivery }, caller(), file.subarray(1));
    expect(await done(cut.job_id)).toMatchObject({
      ...{ status: 'failed', error: expect.stringContaining('a multiple of 16') as string },
    });
    const other = await upload('1.1.0', { delivery, checksum: 'f'.repeat(64) }, caller(), file);
    expect(await done(other.job_id)).toMatchObject({
      ...{ status: 'failed', error: expect.stringContaining(`has the SHA-256 ${checksum}`) as string },
    });
  });

  it('that is repeated answers the ids of the first', async () => {
    const by = caller();
    const first = await upload('1.0.0', {}, by);
    await done(first.job_id);
    const again = await upload('1.0.0', {}, by);
    expect(again).toEqual({ ...first, build: { ...first.build, status: 'active' } });
    expect((await ask(listBuilds, { appId: 7, page: 1, perPage: 20 })).total).toBe(1);
  });

  it('that is no sound bundle fails, and frees its version', async () => {
    const { job_id } = await upload('1.0.0', {}, caller(), bundle.subarray(0, 40));
    expect(await done(job_id)).toMatchObject({ status: 'failed', attempts: 4, result: null });
    expect(await ask(getBuild, { appId: 7, id: 1 })).toMatchObject({ status: 'failed' });
    await released('1.0.0');
  });

  it('is refused with the codes of its channel', async () => {
    await released('2.0.0');
    await expect(upload('2.0.0')).rejects.toEqual(refusal('VERSION_ALREADY_EXISTS'));
    await expect(upload('1.0.0')).rejects.toEqual(refusal('VERSION_NOT_NEWER'));
  });

  it('of one version by two processes simultaneously is accepted exactly once', async () => {
    const path = join(dataDir, 'events.db');
    const stores = await Promise.all([openSqliteEventStore({ path }), openSqliteEventStore({ path })]);
    const handlings = stores.map((store) => createCommandHandling({ store, clock: systemClock }));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        handlings[index % 2]!.handle(
          channelDecider,
          channelStream(7, 'production'),
          {
            type: 'AcceptBuild',
            build: {
              buildId: 100 + index,
              jobId: `job${index}`,
              bundleId: `bundle${index}`,
              appId: 7,
              channel: 'production',
              version: '1.0.0',
              objectKey: 'bundles/none.zip',
              size: 1,
              checksum: '',
              signature: null,
              releaseNotes: null,
              minNativeVersion: null,
              rolloutPercentage: 100,
              mandatory: false,
            },
          },
          caller(),
        ),
      ),
    );
    await Promise.all(stores.map((store) => store.close()));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(refused).toEqual(Array.from({ length: 19 }, () => refusal('VERSION_ALREADY_EXISTS')));
    const recorded: string[] = [];
    for await (const event of engines.events.readStream(channelStream(7, 'production'))) recorded.push(event.type);
    expect(recorded).toEqual(['BuildAccepted']);
  });

  it('that was accepted before a restart is processed after it', async () => {
    await service.stop();
    const handling = createCommandHandling({ store: engines.events, clock: systemClock });
    const objectKey = 'bundles/early.zip';
    await engines.objects.put(objectKey, Readable.from([bundle]));
    const jobId = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
    await handling.handle(
      channelDecider,
      channelStream(7, 'staging'),
      {
        type: 'AcceptBuild',
        build: {
          buildId: 1,
          jobId,
          bundleId: 'bundle',
          appId: 7,
          channel: 'staging',
          version: '1.0.0',
          objectKey,
          size: bundle.length,
          checksum: createHash('sha256').update(bundle).digest('hex'),
          signature: null,
          releaseNotes: null,
          minNativeVersion: null,
          rolloutPercentage: 100,
          mandatory: false,
        },
      },
      caller(),
    );
    service = await start();
    expect(await done(jobId)).toMatchObject({ status: 'completed' });
  });
});

describe('a change', () => {
  it('answers what a read answers right after it', async () => {
    const id = await released('1.0.0');
    const before = await ask(getBuild, { appId: 7, id });
    const paused = await ask(editBuild, { appId: 7, id, status: 'paused', releaseNotes: null });
    const stopped = {
      status: 'paused',
      state: 'stopped',
      release_notes: null,
      // The status and the notes.
      revision: before.revision + 2,
      updated_at: expect.any(String) as unknown,
    };
    expect(paused).toEqual({ ...before, ...stopped });
    expect(await ask(getBuild, { appId: 7, id })).toEqual(paused);
    const rolledOut = await ask(changeRollout, { appId: 7, id, rolloutPercentage: 10, enabled: false });
    expect(rolledOut).toMatchObject({ rollout_percentage: 10, rollout_enabled: false });
    expect(await ask(getBuild, { appId: 7, id })).toEqual(rolledOut);
    expect(await ask(editBuild, { appId: 7, id, status: 'paused' })).toEqual(rolledOut);
  });

  it('that is repeated returns the present build', async () => {
    const id = await released('1.0.0');
    const by = caller();
    await ask(editBuild, { appId: 7, id, status: 'paused' }, by);
    const resumed = await ask(editBuild, { appId: 7, id, status: 'active' });
    expect(await ask(editBuild, { appId: 7, id, status: 'paused' }, by)).toEqual(resumed);
  });

  it('of an unknown build, or one of another app, is refused', async () => {
    const id = await released('1.0.0');
    for (const unknown of [
      { appId: 8, id },
      { appId: 7, id: id + 1 },
    ]) {
      await expect(ask(getBuild, unknown)).rejects.toEqual(refusal('BUILD_NOT_FOUND'));
      await expect(ask(editBuild, unknown)).rejects.toEqual(refusal('BUILD_NOT_FOUND'));
      await expect(ask(changeRollout, { ...unknown, enabled: true })).rejects.toEqual(refusal('BUILD_NOT_FOUND'));
      await expect(ask(promoteBuild, { ...unknown, targetChannel: 'production' })).rejects.toEqual(
        refusal('BUILD_NOT_FOUND'),
      );
    }
  });
});

describe('a promotion', () => {
  it('makes a build in the target channel that shares the bundle', async () => {
    const id = await released('1.0.0');
    const by = caller();
    const promoted = await ask(promoteBuild, { appId: 7, id, targetChannel: 'production' }, by);
    const source = await ask(getBuild, { appId: 7, id });
    expect(promoted).toEqual({
      ...source,
      state: 'live',
      id: expect.any(Number),
      job_id: null,
      channel: 'production',
      promoted_from_id: id,
      revision: 1,
      rollout_percentage: 100,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(promoted.id).not.toBe(id);
    expect(await ask(getBuild, { appId: 7, id: promoted.id })).toEqual(promoted);
    expect(await ask(promoteBuild, { appId: 7, id, targetChannel: 'production' }, by)).toEqual(promoted);
    await expect(ask(promoteBuild, { appId: 7, id, targetChannel: 'production' })).rejects.toEqual(
      refusal('VERSION_ALREADY_EXISTS'),
    );
    await expect(ask(promoteBuild, { appId: 7, id, targetChannel: 'staging' })).rejects.toEqual(
      refusal('ALREADY_IN_CHANNEL'),
    );
  });

  it('waits for a build that was active', async () => {
    const { job_id, build } = await upload('1.0.0', {}, caller(), Buffer.from('no zip'));
    await done(job_id);
    await expect(ask(promoteBuild, { appId: 7, id: build.id, targetChannel: 'production' })).rejects.toEqual(
      refusal('BUILD_NOT_READY'),
    );
  });
});

describe('lists', () => {
  it('come newest first, filtered and in pages', async () => {
    for (const version of ['1.0.0', '1.1.0', '1.2.0']) await released(version);
    await released('0.1.0', { channel: 'production' });
    await released('9.0.0', { appId: 8 });
    await ask(editBuild, { appId: 7, id: 2, status: 'archived' });
    const ids = async (wish: Partial<RequestOf<typeof listBuilds>>) => {
      const { items, total } = await ask(listBuilds, { appId: 7, page: 1, perPage: 20, ...wish });
      return { ids: items.map((build) => build.id), total };
    };
    expect(await ids({})).toEqual({ ids: [4, 3, 2, 1], total: 4 });
    expect(await ids({ channel: 'staging' })).toEqual({ ids: [3, 2, 1], total: 3 });
    expect(await ids({ status: 'archived' })).toEqual({ ids: [2], total: 1 });
    expect(await ids({ channel: 'production', status: 'archived' })).toEqual({ ids: [], total: 0 });
    expect(await ids({ perPage: 3, page: 2 })).toEqual({ ids: [1], total: 4 });
  });

  it('find the newest builds of a version in each app', async () => {
    await released('1.0.0');
    await released('1.1.0');
    await released('1.0.0', { channel: 'production' });
    await released('1.0.0', { appId: 8 });
    const found = await ask(findBuilds, { apps: [8, 7, 9], version: '1.0.0' });
    expect(found.map((builds) => builds.map(({ id, version, channel }) => [id, version, channel]))).toEqual([
      [[4, '1.0.0', 'staging']],
      [
        [3, '1.0.0', 'production'],
        [1, '1.0.0', 'staging'],
      ],
      [],
    ]);
  });
});

it('rejects an unknown job', () =>
  expect(ask(getJob, { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' })).rejects.toEqual(refusal('JOB_NOT_FOUND')));
