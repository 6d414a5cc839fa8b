import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { fileIndexKey } from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { createCommandHandling, type CommandHandling, type EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { type Delivery, newCommandId, newUlid, systemClock } from '@sluice/kernel';
import type { ObjectStore } from '@sluice/object-store';
import { openFilesystemObjectStore } from '@sluice/object-store/filesystem';
import { createProjections, type Projections } from '@sluice/projections';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import { rawZip } from '@sluice/testing/raw-zip';
import { encryptForCapgo, newCapgoKeys } from '../../../test/support/capgo-encryption';
import { channelDecider, channelStream, type ChannelCommand } from '../builds/domain/channel';
import { projections } from '../projections';
import { IndexBackfill } from './index-backfill';

let events: EventStore;
let documents: DocumentStore;
let objects: ObjectStore;
let views: Projections;
let commands: CommandHandling;
let nextId = 0;

beforeAll(async () => {
  const folder = temporaryDirectory();
  events = await openSqliteEventStore({ path: join(folder, 'events.db') });
  documents = await openSqliteDocumentStore({ path: join(folder, 'read.db') });
  objects = await openFilesystemObjectStore({ path: join(folder, 'objects') });
  views = createProjections({ events, documents, projections, waitMs: 5_000, logger: recordingLogger() });
  await views.start();
  commands = createCommandHandling({
    ...{ store: events, clock: systemClock, visible: (stream, position) => views.visible(stream, position) },
  });
});
afterAll(async () => {
  await views.close();
  await Promise.all([documents, events, objects].map((engine) => engine.close()));
});

const toChannel = (command: ChannelCommand) =>
  commands.handle(channelDecider, channelStream(7, 'staging'), command, {
    ...{ commandId: newCommandId(), actor: 'token:1' },
  });

async function uploaded(bytes: Buffer, delivery?: Delivery) {
  const [buildId, objectKey] = [(nextId += 1), `bundles/${newUlid()}.zip`];
  await objects.put(objectKey, Readable.from([bytes]));
  const build = {
    ...{ buildId, bundleId: randomUUID(), jobId: newUlid(), appId: 7, channel: 'staging', version: `1.0.${buildId}` },
    ...{ objectKey, size: bytes.length, checksum: createHash('sha256').update(bytes).digest('hex'), signature: null },
    ...{ releaseNotes: null, minNativeVersion: null, rolloutPercentage: 100, mandatory: false },
    ...(delivery && { delivery }),
  } as const;
  await toChannel({ type: 'AcceptBuild', build });
  return build;
}

async function released(bytes: Buffer, delivery?: Delivery) {
  const build = await uploaded(bytes, delivery);
  await toChannel({ type: 'ActivateBuild', buildId: build.buildId });
  return build;
}

const zip = (content: string) => rawZip([{ name: 'index.html', content }]);

it('indexes the builds of earlier releases once, also on two replicas, and continues after a stop', async () => {
  const builds = await Promise.all(['one', 'two', 'three'].map((content) => released(zip(content))));
  await toChannel({ type: 'EditBuild', buildId: builds[0]!.buildId, status: 'paused' });
  const processing = await uploaded(zip('processing'));
  const faulty = await released(Buffer.from('not even a zip'));
  const { file, delivery } = encryptForCapgo(zip('four'), newCapgoKeys());
  const encrypted = await released(file, delivery);
  const stray = `bundles/${newUlid()}.zip`;
  await objects.put(stray, Readable.from([zip('stray')]));
  const logger = recordingLogger();
  const replicas = [1, 2].map(() => new IndexBackfill({ readStore: documents, objects, logger }));

  const stopped = new IndexBackfill({ readStore: documents, objects, logger });
  await stopped.stop();
  expect(await stopped.backfill()).toBe(0);
  const made = await Promise.all(replicas.map((replica) => replica.backfill()));
  expect(made[0]! + made[1]!).toBeGreaterThanOrEqual(builds.length);
  for (const [index, { objectKey }] of builds.entries()) {
    const sha256 = createHash('sha256').update(['one', 'two', 'three'][index]!).digest('hex');
    expect(await json(await objects.get(fileIndexKey(objectKey)))).toMatchObject({
      files: [{ path: 'index.html', sha256 }],
    });
  }
  for (const key of [processing.objectKey, faulty.objectKey, encrypted.objectKey, stray]) {
    expect(await objects.stat(fileIndexKey(key))).toBeUndefined();
  }
  // Each replica reports a bundle that it can't index, once.
  expect(logger.lines.filter(({ message }) => message.includes(`build ${faulty.buildId} `))).toHaveLength(2);
  expect(await Promise.all(replicas.map((replica) => replica.backfill()))).toEqual([0, 0]);
  expect(logger.lines).toHaveLength(2);
});
