import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { fileIndexKey, type FileIndex } from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import {
  createCommandHandling,
  START,
  type CommandContext,
  type CommandHandling,
  type EventStore,
  type Recorded,
} from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newCommandId, newUlid, systemClock } from '@sluice/kernel';
import type { ObjectStore } from '@sluice/object-store';
import { openFilesystemObjectStore } from '@sluice/object-store/filesystem';
import { createProjections, type Projections } from '@sluice/projections';
import { jobs, metrics } from '@sluice/telemetry';
import { temporaryDirectory, failOnLine, recordingLogger } from '@sluice/testing';
import { ZipFile } from 'yazl';
import { buildRows } from '../builds/builds.projection';
import { channelDecider, channelStream, type ChannelCommand } from '../builds/domain/channel';
import { projections } from '../projections';
import { countJobs } from './count-jobs';
import { jobDecider, jobStream, type JobCommand, type JobEvent } from './domain/job';
import { JobWorker } from './job-worker';
import { jobRows, toJob } from './jobs.projection';

jest.setTimeout(30_000);

const STREAM = channelStream(7, 'production');

const settings = {
  jobLeaseMs: 60_000,
  jobRetryDelaysMs: [1],
  jobContentRetryDelaysMs: [1],
  maxBundleBytes: 1_000_000,
  stopGraceMs: 60_000,
};

/** Of tests where a job is taken over: soon, and not for a machine that is slow. */
const takingOver = { ...settings, jobLeaseMs: 2_000 };

let folder: string;
let events: EventStore;
let readStore: DocumentStore;
let objects: ObjectStore;
let views: Projections;
let commands: CommandHandling;
let workers: JobWorker[];

beforeEach(async () => {
  folder = temporaryDirectory();
  events = await openSqliteEventStore({ path: join(folder, 'events.db') });
  readStore = await openSqliteDocumentStore({ path: join(folder, 'read.db') });
  objects = await openFilesystemObjectStore({ path: join(folder, 'objects') });
  views = createProjections({
    events,
    documents: readStore,
    projections,
    waitMs: 5_000,
    logger: recordingLogger(failOnLine),
  });
  await views.start();
  commands = createCommandHandling({
    store: events,
    clock: systemClock,
    visible: (stream, position) => views.visible(stream, position),
  });
  workers = [];
});

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await views.close();
  await readStore.close();
  await events.close();
});

/** The signing of the keys service. */
const signing = (sign: (appId: number, digest: string) => Promise<string | null>) =>
  ({
    request: async (_call: unknown, { appId, digest }: { appId: number; digest: string }) => ({
      ...{ signature: await sign(appId, digest), signatures: [] },
    }),
  }) as never;

const context = (): CommandContext => ({ commandId: newCommandId(), actor: 'token:1' });
const toChannel = (command: ChannelCommand) => commands.handle(channelDecider, STREAM, command, context());
const toJobStream = (jobId: string, command: JobCommand) =>
  commands.handle(jobDecider, jobStream(jobId), command, context());

function startWorker(wish: Partial<ConstructorParameters<typeof JobWorker>[0]> = {}): JobWorker {
  const worker = new JobWorker({
    commands,
    readStore,
    objects,
    messaging: signing(() => Promise.resolve(null)),
    plans: { begin: () => Promise.resolve() },
    clock: systemClock,
    settings,
    logger: recordingLogger(),
    ...wish,
  });
  worker.start();
  workers.push(worker);
  return worker;
}

async function bundle(): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from('<h1>Hello</h1>'), 'index.html');
  zip.end();
  return buffer(zip.outputStream as Readable);
}

/** An accepted build whose job is queued. */
async function queue(bytes: Buffer, buildId = 1, version = '1.0.0') {
  const jobId = newUlid();
  const objectKey = `bundles/${jobId}.zip`;
  await objects.put(objectKey, Readable.from([bytes]));
  const build = {
    buildId,
    jobId,
    bundleId: `bundle-${buildId}`,
    appId: 7,
    channel: 'production',
    version,
    objectKey,
    size: bytes.length,
    checksum: createHash('sha256').update(bytes).digest('hex'),
    signature: null,
    releaseNotes: null,
    minNativeVersion: null,
    rolloutPercentage: 100,
    mandatory: false,
  } as const;
  await toChannel({ type: 'AcceptBuild', build });
  await toJobStream(jobId, { type: 'QueueJob', subject: { appId: 7, channel: 'production', buildId } });
  return build;
}

/** Resolves with the n-th event of one of the types in the job's stream, once readers have seen it. */
function eventOf(jobId: string, types: readonly JobEvent['type'][], nth = 1): Promise<Recorded<JobEvent>> {
  return new Promise((resolve) => {
    let left = nth;
    const subscription = events.subscribe({
      after: START,
      prefixes: [jobStream(jobId)],
      handle: async (batch) => {
        for (const event of batch.events as unknown as Recorded<JobEvent>[]) {
          if (!types.includes(event.type) || (left -= 1) !== 0) continue;
          await views.visible(event.stream, event.position);
          resolve(event);
          void subscription.close();
        }
      },
    });
  });
}

/** The job as clients read it when it is closed. */
async function closed(jobId: string) {
  await eventOf(jobId, ['JobCompleted', 'JobFailed']);
  return toJob((await readStore.view('jobs', jobRows).get(jobId))!);
}

const statusOf = async (buildId: number) => (await readStore.view('builds', buildRows).get(String(buildId)))!.status;

it('is counted by its state, also where the metrics are read', async () => {
  await queue(await bundle());
  expect(await countJobs(readStore)).toEqual({ pending: 1, processing: 0, failed: 0 });
  const { jobId } = await queue(Buffer.from('no zip'), 2, '2.0.0');
  startWorker();
  await closed(jobId);
  expect(await countJobs(readStore)).toMatchObject({ failed: 1 });

  jobs.count = () => countJobs(readStore);
  expect(await metrics.metrics()).toContain('sluice_jobs{state="failed"} 1');
  jobs.count = () => Promise.reject(new Error('away'));
  expect(await metrics.metrics()).not.toContain('sluice_jobs{');
  delete jobs.count;
});

/** An object store whose `get` gives nothing until it is let go. */
function heldBack() {
  let letGo: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (letGo = resolve));
  const store: ObjectStore = {
    ...objects,
    get: (key) =>
      Promise.resolve(
        Readable.from(
          (async function* () {
            await released;
            yield* (await objects.get(key)) as AsyncIterable<Buffer>;
          })(),
        ),
      ),
    delete: (key) => objects.delete(key),
  };
  return { store, letGo };
}

describe('JobWorker', () => {
  it('signs a build that was supplied no signature, once the keys are back, and replaces none', async () => {
    let asked = 0;
    const sign = (appId: number, digest: string): Promise<string> => {
      asked += 1;
      return asked === 1 ? Promise.reject(new Error('away')) : Promise.resolve(`${appId}/${digest}`);
    };
    const { jobId, checksum } = await queue(await bundle());
    startWorker({ messaging: signing(sign) });
    await closed(jobId);
    const { state } = await commands.load(channelDecider, STREAM);
    expect(state.builds.get(1)).toMatchObject({ status: 'active', signature: `7/${checksum}` });
    expect(await readStore.view('builds', buildRows).get('1')).toMatchObject({ signature: `7/${checksum}` });
  });

  it('activates the build of a sound bundle and completes its job', async () => {
    const { jobId, objectKey } = await queue(await bundle());
    startWorker();
    expect(await closed(jobId)).toEqual({
      id: jobId,
      type: 'build.process',
      status: 'completed',
      attempts: 1,
      result: { build_id: 1, version: '1.0.0', channel: 'production' },
      error: null,
      queued_at: expect.any(String),
      started_at: expect.any(String),
      finished_at: expect.any(String),
      app_id: 7,
    });
    expect(await statusOf(1)).toBe('active');
    expect(await objects.stat(objectKey)).toBeDefined();
  });

  it('stores the index of the files before the build is active, and tries again while it can not', async () => {
    const { jobId, objectKey } = await queue(await bundle());
    let refused = 0;
    const full: ObjectStore = {
      ...objects,
      put: async (key, ...rest) => {
        if (key !== objectKey && refused === 0) {
          refused += 1;
          expect(await statusOf(1)).toBe('processing');
          rest[0].destroy();
          throw new Error('The store is full.');
        }
        return objects.put(key, ...rest);
      },
    };
    startWorker({ objects: full });
    expect(await closed(jobId)).toMatchObject({ status: 'completed', attempts: 2 });
    const index = JSON.parse(await text(await objects.get(fileIndexKey(objectKey)))) as FileIndex;
    const sha256 = createHash('sha256').update('<h1>Hello</h1>').digest('hex');
    expect(index).toMatchObject({ files: [{ path: 'index.html', size: 14, sha256 }] });
  });

  it('leaves no index of a build that fails later than its check', async () => {
    const { jobId, objectKey } = await queue(await bundle());
    startWorker({ messaging: signing(() => Promise.reject(new Error('away'))) });
    expect(await closed(jobId)).toMatchObject({ status: 'failed', error: expect.stringContaining('signed') });
    expect(await objects.stat(objectKey)).toBeUndefined();
    expect(await objects.stat(fileIndexKey(objectKey))).toBeUndefined();
  });

  it('takes a job that it is offered, before any poll', async () => {
    const worker = startWorker();
    const { jobId } = await queue(await bundle());
    worker.offer(jobId);
    expect(await closed(jobId)).toMatchObject({ status: 'completed', attempts: 1 });
  });

  it.each([
    ['a text file', () => Promise.resolve(Buffer.from('Hello')), 'no zip file'],
    ['a truncated zip', async () => (await bundle()).subarray(0, -10), 'no zip file'],
  ])('fails the build of %s after four attempts, deletes its bytes and frees its version', async (_, bytes, error) => {
    const { jobId, objectKey } = await queue(await bytes());
    startWorker();
    expect(await closed(jobId)).toMatchObject({
      status: 'failed',
      attempts: 4,
      result: null,
      error: expect.stringContaining(error),
    });
    expect(await statusOf(1)).toBe('failed');
    expect(await objects.stat(objectKey)).toBeUndefined();
    const again = await queue(await bundle(), 2);
    expect(await closed(again.jobId)).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['content', [7, 80, 9], 0, [5, 60, 7]],
    ['content', [7, 80, 9], 0.999_999, [9, 100, 11]],
    ['content', [7, 80], 0.5, [7, 80, 80]],
    ['store', [6, 70, 8], 0.5, [6, 70, 8]],
  ] as const)('waits after faults of the %s for each of %j in turn, a quarter more or less by %d', async (...row) => {
    const [fault, delays, random, expected] = row;
    jest.spyOn(Math, 'random').mockReturnValue(random);
    try {
      const { jobId, objectKey } = await queue(Buffer.from('no zip'));
      if (fault === 'store') await objects.delete(objectKey);
      const own = fault === 'store' ? 'jobRetryDelaysMs' : 'jobContentRetryDelaysMs';
      startWorker({ settings: { ...settings, [own]: delays } });
      expect(await closed(jobId)).toMatchObject({ status: 'failed', attempts: 4 });
      const waited: number[] = [];
      for await (const { type, data } of events.readStream(jobStream(jobId))) {
        if (type === 'JobAttemptFailed') waited.push(data['retryAfterMs'] as number);
      }
      expect(waited).toEqual(expected);
    } finally {
      jest.restoreAllMocks();
    }
  });

  it('fails a build whose stored bytes are not those of the upload', async () => {
    const { jobId, objectKey } = await queue(await bundle());
    await objects.delete(objectKey);
    await objects.put(objectKey, Readable.from([Buffer.from('something else')]));
    startWorker();
    expect(await closed(jobId)).toMatchObject({ status: 'failed', error: expect.stringContaining('bytes') });
  });

  it('fails in the end when the bytes are gone, without telling clients more than that', async () => {
    const { jobId, objectKey } = await queue(await bundle());
    await objects.delete(objectKey);
    const logger = recordingLogger();
    startWorker({ logger });
    const job = await closed(jobId);
    expect(job).toMatchObject({ status: 'failed', attempts: 4 });
    expect(job.error).not.toContain(objectKey);
    expect(logger.lines).toHaveLength(4);
  });

  it('keeps the bytes of a failed build when another build names them', async () => {
    const failing = await queue(Buffer.from('no zip'));
    await toChannel({ type: 'AcceptBuild', build: { ...failing, buildId: 2, version: '2.0.0', jobId: newUlid() } });
    startWorker();
    expect(await closed(failing.jobId)).toMatchObject({ status: 'failed' });
    expect(await objects.stat(failing.objectKey)).toBeDefined();
  });

  it('closes the job of a build that was archived while it was processing as failed', async () => {
    const { jobId, objectKey } = await queue(await bundle());
    await toChannel({ type: 'EditBuild', buildId: 1, status: 'archived' });
    startWorker();
    expect(await closed(jobId)).toMatchObject({ status: 'failed', error: expect.stringContaining('archived') });
    expect(await statusOf(1)).toBe('archived');
    expect(await objects.stat(objectKey)).toBeUndefined();
  });

  it('takes over from a worker that was killed, and counts the lost attempt', async () => {
    const { jobId } = await queue(await bundle());
    await toJobStream(jobId, { type: 'ClaimJob', holder: 'killed', turn: 1 });
    startWorker({ settings: takingOver });
    expect(await closed(jobId)).toMatchObject({ status: 'completed', attempts: 2 });
  });

  it('closes what a worker left between the outcome and the closing', async () => {
    const { jobId, objectKey } = await queue(await bundle());
    await toJobStream(jobId, { type: 'ClaimJob', holder: 'killed', turn: 1 });
    await toChannel({ type: 'ActivateBuild', buildId: 1 });
    await objects.delete(objectKey);
    startWorker({ settings: takingOver });
    expect(await closed(jobId)).toMatchObject({ status: 'completed' });
  });

  it('fails a bundle that killed its worker four times', async () => {
    const { jobId } = await queue(await bundle());
    for (let turn = 1; turn <= 4; turn += 1) {
      await toJobStream(jobId, { type: 'ClaimJob', holder: `killed${turn}`, turn });
    }
    startWorker({ settings: takingOver });
    expect(await closed(jobId)).toMatchObject({ status: 'failed', attempts: 4 });
    expect(await statusOf(1)).toBe('failed');
  });

  it('closes a job that was given up by a worker that was killed right after', async () => {
    const { jobId } = await queue(await bundle());
    for (let turn = 1; turn <= 5; turn += 1) {
      await toJobStream(jobId, { type: 'ClaimJob', holder: `killed${turn}`, turn });
    }
    startWorker();
    expect(await closed(jobId)).toMatchObject({ status: 'failed', attempts: 4 });
    expect(await statusOf(1)).toBe('failed');
  });

  it('keeps its job for as long as it renews, however long it works', async () => {
    const { jobId } = await queue(await bundle());
    const { store, letGo } = heldBack();
    startWorker({ settings: takingOver, objects: store });
    startWorker({ settings: takingOver, objects: store });
    await eventOf(jobId, ['JobRenewed'], 6);
    letGo();
    expect(await closed(jobId)).toMatchObject({ status: 'completed', attempts: 1 });
  });

  it('stops working on a job that it lost, and leaves it to the other', async () => {
    const { jobId } = await queue(await bundle());
    const { store } = heldBack();
    const frozen: CommandHandling = {
      repeat: (...call) => commands.repeat(...call),
      load: (...call) => commands.load(...call),
      handle: (decider, stream, command, by, options) =>
        (command as JobCommand).type === 'RenewJob'
          ? Promise.reject(new Error('The event store is unavailable.'))
          : commands.handle(decider, stream, command, by, options),
    };
    startWorker({ settings: takingOver, objects: store, commands: frozen });
    await eventOf(jobId, ['JobClaimed']);
    startWorker({ settings: takingOver });
    expect(await closed(jobId)).toMatchObject({ status: 'completed', attempts: 2 });
  });

  it('finishes what is in hand when it stops', async () => {
    const { jobId } = await queue(await bundle());
    const { store, letGo } = heldBack();
    const worker = startWorker({ objects: store });
    await eventOf(jobId, ['JobClaimed']);
    const stopped = worker.stop();
    letGo();
    await stopped;
    expect(await closed(jobId)).toMatchObject({ status: 'completed', attempts: 1 });
  });

  it('gives back what it could not finish in time, and the attempt does not count', async () => {
    const { jobId } = await queue(await bundle());
    const { store } = heldBack();
    const worker = startWorker({ objects: store, settings: { ...settings, stopGraceMs: 50 } });
    await eventOf(jobId, ['JobClaimed']);
    await worker.stop();
    await eventOf(jobId, ['JobReleased']);
    startWorker();
    expect(await closed(jobId)).toMatchObject({ status: 'completed', attempts: 1 });
  });
});
