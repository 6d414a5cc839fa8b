import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  credentialHash,
  fileIndexKey,
  GROUP_OBJECTS,
  newCredential,
  type BuildEvent,
  type BuildFacts,
  type GroupEvent,
} from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import type { Appended } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { stableUuid, type Clock, type DomainEvent } from '@sluice/kernel';
import { createReplicaPositions, type Messaging } from '@sluice/messaging';
import { openInProcessMessaging } from '@sluice/messaging/in-process';
import type { ObjectStore } from '@sluice/object-store';
import { openFilesystemObjectStore } from '@sluice/object-store/filesystem';
import { recordingLogger, type RecordingLogger, temporaryDirectory } from '@sluice/testing';
import fastify from 'fastify';
import { inspectBundle } from '../../services/build-pipeline/inspection/inspect-bundle';
import { ChoiceStore } from '../../services/device-updates/channels/choice-store';
import { CheckCounts } from '../../services/device-updates/reports/check-counts';
import { dataKeysOf } from './data-keys';
import { recordingUses } from './key-services';
import { DeviceHashes } from '../../services/device-updates/devices/device-hashes';
import { GroupLoader } from '../../services/device-updates/groups/group-loader';
import { memberOf, PackedGroup } from '../../services/device-updates/groups/domain/packed-group';
import { DeviceReports } from '../../services/device-updates/reports/device-reports';
import { DownloadUrls } from '../../services/device-updates/downloads/download-urls';
import { FileIndexes } from '../../services/device-updates/files/file-indexes';
import { PinStore } from '../../services/device-updates/pins/pin-store';
import { RolledBackDevices } from '../../services/device-updates/reports/rolled-back-devices';
import { KeyUsage } from '../../services/device-updates/access/key-usage';
import { ServingIndex } from '../../services/device-updates/serving/serving-index';
import type { StoreAddresses } from '../../services/device-updates/downloads/store-addresses';
import { UpdateAnswers } from '../../services/device-updates/update-check/update-answers';
import { updateCheck, type UpdateCheck } from '../../services/device-updates/update-check/update-check.route';
import { DeviceLimits, type LimitSettings } from '../../services/device-updates/access/device-limits';
import { registerDeviceRoutes } from '../../services/device-updates/device-routes';
import { SignedStatements } from '../../services/device-updates/signing/signed-statements';

const DEVICE_KEYS = dataKeysOf(Buffer.alloc(32, 9));

export type DeviceStores = Awaited<ReturnType<typeof openDeviceStores>>;

/** The stores of the device plane, in a folder of their own, and ways to fill them. */
export async function openDeviceStores() {
  const folder = temporaryDirectory();
  const events = await openSqliteEventStore({ path: join(folder, 'events.db') });
  const documents = await openSqliteDocumentStore({ path: join(folder, 'read.db') });
  const objects = await openFilesystemObjectStore({ path: join(folder, 'objects') });
  const messaging = openInProcessMessaging();
  const clock: Clock & { time: number } = {
    time: Date.parse('2026-03-01T12:00:00.000Z'),
    now: () => new Date(clock.time),
    monotonic: () => performance.now(),
  };
  const members = createReplicaPositions({ messaging, clock });
  const revisions = new Map<string, number>();

  /** As the only writer of these streams. */
  async function append(stream: string, ...given: readonly DomainEvent[]): Promise<Appended> {
    const metadata = {
      actor: 'system:test',
      correlationId: 'test',
      causationId: 'test',
      at: clock.now().toISOString(),
    };
    const appended = await events.append(
      stream,
      revisions.get(stream) ?? 'none',
      given.map(({ type, data }) => ({
        id: randomUUID(),
        type,
        data,
        metadata: { ...metadata, commandId: randomUUID() },
      })),
    );
    revisions.set(stream, appended.revision);
    return appended;
  }

  return {
    events,
    documents,
    objects,
    messaging,
    members,
    clock,
    append,

    registerApp: (id: number, platform: 'ios' | 'android' | 'both' = 'both') =>
      append('apps', {
        type: 'AppRegistered',
        data: {
          id,
          ownerId: 1,
          appId: `app.${id}`,
          bundleId: null,
          name: `App ${id}`,
          description: null,
          platform,
          tokenId: null,
        },
      }),

    /** Answers the plaintext. */
    async createKey(id: number, appId: number): Promise<string> {
      const key = newCredential('svc_app_');
      const data = { id, appId, name: 'key', preview: '', hash: credentialHash(key), sealId: null };
      await append(`apiKeys-${appId}`, { type: 'ApiKeyCreated', data });
      return key;
    },

    /** Active immediately. */
    async publish(build: BuildFacts): Promise<void> {
      const events: BuildEvent[] = [
        { type: 'BuildAccepted', data: { ...build, jobId: '01J00000000000000000000000' } },
        { type: 'BuildActivated', data: { buildId: build.buildId } },
      ];
      await append(`channel-${build.appId}-${build.channel}`, ...events);
    },

    /** Appends one event of a build and waits until every live process has applied it. */
    async change(build: BuildFacts, event: BuildEvent): Promise<void> {
      const stream = `channel-${build.appId}-${build.channel}`;
      const { position } = await append(stream, event);
      expect(await members.applied(stream, position)).toBe(true);
    },

    /** Stores a group of these devices, and returns the event that names it. */
    async putGroup(appId: number, name: string, revision: number, devices: readonly string[]): Promise<GroupEvent> {
      const hashes = new DeviceHashes({ keys: DEVICE_KEYS, clock });
      const packed = PackedGroup.of(BigUint64Array.from(devices, (id) => memberOf(hashes.of(appId, id).hash)));
      const objectKey = `${GROUP_OBJECTS}${appId}/${name}-${revision}`;
      await objects.put(objectKey, Readable.from([packed.bytes()]));
      const data = { appId, name, revision, objectKey, size: packed.size, keyVersion: 1 };
      return { type: 'GroupReplaced', data };
    },

    async close(): Promise<void> {
      members.close();
      await messaging.close();
      await events.close();
      await documents.close();
      await objects.close();
    },
  };
}

export function buildFacts(buildId: number, version: string, more: Partial<BuildFacts> = {}): BuildFacts {
  return {
    buildId,
    bundleId: stableUuid('build', buildId),
    appId: 1,
    channel: 'production',
    version,
    objectKey: `bundles/${buildId}.zip`,
    size: 0,
    checksum: credentialHash(`bundle ${buildId}`),
    signature: null,
    releaseNotes: null,
    minNativeVersion: null,
    rolloutPercentage: 100,
    mandatory: false,
    ...more,
  };
}

/** Stores the bytes as the build's bundle; answers the build with their size and checksum. */
export async function withBundle(objects: ObjectStore, build: BuildFacts, bytes: Buffer): Promise<BuildFacts> {
  const { size, sha256 } = await objects.put(build.objectKey, Readable.from([bytes]));
  return { ...build, size, checksum: sha256 };
}

/** As withBundle, with the index of the files that the build job would store. */
export async function withFiles(objects: ObjectStore, build: BuildFacts, zip: Buffer): Promise<BuildFacts> {
  const stored = await withBundle(objects, build, zip);
  const path = join(temporaryDirectory(), 'bundle.zip');
  await writeFile(path, zip);
  const { size, checksum } = stored;
  const { index } = await inspectBundle(path, { size, checksum, maxExpandedBytes: Infinity });
  await objects.put(fileIndexKey(build.objectKey), Readable.from([Buffer.from(JSON.stringify(index))]));
  return stored;
}

export const rollOut = (stores: Pick<DeviceStores, 'change'>, build: BuildFacts, rolloutPercentage: number) =>
  stores.change(build, {
    type: 'RolloutChanged',
    data: { buildId: build.buildId, rolloutPercentage, enabled: true },
  });

/** Whether the update check of Sluice offers a device anything. It runs an old bundle in a native app of version 3. */
export async function isOffered({ address }: Pick<DevicePlane, 'address'>, key: string, device: string) {
  const headers = { 'X-API-Key': key, 'X-Device-ID': device, 'X-Platform': 'ios', 'X-Current-Version': '0.0.1' };
  const response = await fetch(`${address}/api/v1/updates/check`, {
    headers: { ...headers, 'X-App-Version': '3.0.0' },
  });
  return ((await response.json()) as { readonly available: boolean }).available;
}

export interface DevicePlane {
  readonly index: ServingIndex;
  readonly files: FileIndexes;
  readonly statements: SignedStatements;
  readonly hashes: DeviceHashes;
  readonly rolledBack: RolledBackDevices;
  readonly pins: PinStore;
  readonly choices: ChoiceStore;
  readonly groups: GroupLoader;
  readonly address: string;
  /** Answers update checks without HTTP. */
  readonly check: UpdateCheck;
  readonly logger: RecordingLogger;
  close(): Promise<void>;
}

export interface DevicePlaneOptions extends Partial<LimitSettings> {
  readonly objects?: ObjectStore;
  readonly storeAddresses?: StoreAddresses;
  readonly state?: DocumentStore;
  readonly maxWaiting?: number;
  /** Of the keys service, for what is signed when it is first requested; default: that of the stores. */
  readonly keys?: Pick<Messaging, 'request'>;
  /** Default: where it listens. */
  readonly publicUrl?: string;
  /** False: every request goes by the router. */
  readonly fastPath?: boolean;
}

/** The device plane itself, listening on loopback. */
export async function startDevicePlane(
  stores: DeviceStores,
  {
    objects = stores.objects,
    storeAddresses,
    state = stores.documents,
    maxWaiting,
    keys = stores.messaging,
    publicUrl,
    fastPath: quick = true,
    ...limited
  }: DevicePlaneOptions = {},
): Promise<DevicePlane> {
  const logger = recordingLogger();
  const { events, documents, members, clock } = stores;
  const index = new ServingIndex({ events, documents, members, logger });
  const urls = new DownloadUrls({
    keys: dataKeysOf(Buffer.alloc(32, 7)),
    settings: { downloadUrlTtlSeconds: 1800 },
    publicUrl: () => publicUrl ?? plane.address,
    clock,
  });
  const files = new FileIndexes({
    ...{ objects, key: Buffer.alloc(32, 8), publicUrl: () => publicUrl ?? plane.address },
  });
  const { messaging } = stores;
  const statements = new SignedStatements({ index, state, messaging, clock, logger });
  const hashes = new DeviceHashes({ keys: DEVICE_KEYS, clock });
  const rolledBack = new RolledBackDevices({ index, events, state, messaging, clock, logger });
  const pins = new PinStore({ index, state, messaging, clock, logger });
  const choices = new ChoiceStore({ index, events, state, messaging, clock, logger });
  const groups = new GroupLoader({ groups: index.builds.groups, objects, logger });
  const usage = new KeyUsage({ state: documents, messaging: recordingUses(), logger });
  const limits = new DeviceLimits(
    {
      ...{ limitDevicePerMinute: 1_000, limitAddressPerMinute: 10_000 },
      ...{ limitDownloadsPerAddress: 1_000, limitDownloads: 1_000, trustedProxies: [], ...limited },
    },
    () => clock.time,
  );
  const server = fastify({
    exposeHeadRoutes: false,
    serverFactory: (router) =>
      createServer((request, response) => {
        if (!quick || !fastPath(request, response)) router(request, response);
      }),
  });
  const options = {
    index,
    usage,
    answers: new UpdateAnswers(urls, statements),
    limits,
    urls,
    files,
    messaging: keys,
    objects,
    storeAddresses,
    counts: new CheckCounts({ state: documents, clock, logger, key: Buffer.alloc(32, 9) }),
    reports: new DeviceReports({ state, clock, rolledBack, ...(maxWaiting !== undefined && { maxWaiting }) }),
    hashes,
    choices,
    budgets: { check: () => undefined },
    disk: { check: () => undefined },
    clock,
    logger,
    environment: 'test',
  };
  const fastPath = registerDeviceRoutes(server, options);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const plane: DevicePlane = {
    index,
    files,
    statements,
    hashes,
    rolledBack,
    pins,
    choices,
    groups,
    address: `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    check: updateCheck(options),
    logger,
    async close() {
      await server.close();
      await usage.stop();
      await statements.close();
      await rolledBack.close();
      await pins.close();
      await choices.close();
      await groups.close();
      await index.close();
    },
  };
  return plane;
}

export type BothWays = Awaited<ReturnType<typeof startBothWays>>;

/**
 * Two device planes on the same stores, without limits: one that takes its fast paths, and one whose requests all go
 * by the router. They know the apps 1 and 2, these builds, a key of app 1 and one that a single origin may use.
 */
export async function startBothWays(builds: readonly BuildFacts[]) {
  const stores = await openDeviceStores();
  await stores.registerApp(1);
  await stores.registerApp(2);
  const key = await stores.createKey(1, 1);
  const restricted = await stores.createKey(2, 1);
  const restrictions = { origins: ['https://app.example.com'] };
  await stores.append('apiKeys-1', { type: 'ApiKeyRestricted', data: { id: 2, restrictions } });
  for (const build of builds) await stores.publish(build);
  const options = {
    limitDevicePerMinute: 1_000_000,
    limitAddressPerMinute: 1_000_000,
    publicUrl: 'https://updates.example.com',
  };
  const quick = await startDevicePlane(stores, options);
  const routed = await startDevicePlane(stores, { ...options, fastPath: false });
  await Promise.all([quick.index.open(), routed.index.open()]);
  return {
    ...{ stores, key, restricted, quick, routed },
    async close(): Promise<void> {
      await quick.close();
      await routed.close();
      await stores.close();
    },
  };
}
