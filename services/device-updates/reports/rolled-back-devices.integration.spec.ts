import type { BuildEvent } from '@sluice/contracts';
import { DocumentStoreUnavailableError, type StateStore } from '@sluice/document-store';
import { parseVersion } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { eventually, failOnLine, recordingLogger } from '@sluice/testing';
import { createVault } from '@sluice/vault';
import { buildFacts, openDeviceStores, type DeviceStores } from '../../../test/support/device-plane';
import { choose } from '../serving/domain/select-build';
import { ServedBuilds } from '../serving/served-builds';
import type { ServingBuild } from '../serving/serving.projection';
import { DeviceHashes } from '../devices/device-hashes';
import { DeviceReports } from './device-reports';
import { NO_GROUPS } from '../../../test/support/no-groups';
import { DeviceHandlers } from './device.handlers';
import type { Report } from './domain/report';
import { ReportRetention } from './report-retention';
import { rolledBackDevices, RolledBackDevices } from './rolled-back-devices';

const DAY = 24 * 3_600_000;
const GOOD = 1;
const BAD = 2;

let stores: DeviceStores;
let rolledBack: RolledBackDevices[];

beforeEach(async () => {
  stores = await openDeviceStores();
  rolledBack = [];
});
afterEach(async () => {
  await Promise.all(rolledBack.map((each) => each.close()));
  await stores.close();
});

const silent = { announce: () => undefined };
const forget = (hashes: DeviceHashes, messaging: Pick<Messaging, 'announce'> = silent) =>
  new DeviceHandlers(stores.documents, hashes, NO_GROUPS, () => '', messaging, stores.clock).forget(
    { appId: 1, deviceId: 'phone' },
    { actor: 'token:1', commandId: 'forget' },
  );
const rows = () => stores.documents.rows(rolledBackDevices).find();
const served = (buildId: number, version: string, more: Partial<ServingBuild> = {}): ServingBuild => ({
  ...{ ...buildFacts(buildId, version), id: String(buildId), status: 'active', rolloutEnabled: true },
  ...{ manifestRevision: 0, signedByServer: false, ...more },
});

/** A process with a good build and a newer one that devices roll back. */
async function start(
  more: {
    readonly max?: { ofApp: number; ofAll: number };
    readonly state?: StateStore;
    readonly monotonic?: () => number;
    /** It may log. */
    readonly lines?: boolean;
  } = {},
) {
  const { events } = stores;
  const clock = { ...stores.clock, ...(more.monotonic !== undefined && { monotonic: more.monotonic }) };
  const { state = stores.documents } = more;
  const vault = createVault({
    ...{ state: stores.documents, masterKeys: { current: Buffer.alloc(32, 1) }, now: () => clock.time },
  });
  const hashes = new DeviceHashes({ keys: await vault.dataKeys('device-id'), clock });
  const builds = new ServedBuilds();
  builds.replace(undefined, served(GOOD, '1.0.0'));
  builds.replace(undefined, served(BAD, '1.1.0'));
  const logger = recordingLogger(more.lines === true ? undefined : failOnLine);
  const devices = new RolledBackDevices({
    ...{ index: { builds }, events, state, messaging: stores.messaging, clock, logger },
    ...(more.max !== undefined && { max: more.max }),
  });
  rolledBack.push(devices);
  await devices.open();
  const reports = new DeviceReports({ state, clock, rolledBack: devices });
  const record = (deviceId: string, report: Report, appId = 1) => {
    const { hash, otherHashes } = hashes.of(appId, deviceId);
    return reports.record(appId, hash, report, {}, otherHashes);
  };
  return {
    ...{ vault, hashes, builds, logger },
    rollBack: (deviceId: string, buildId = BAD) =>
      record(deviceId, { kind: 'install', buildId, status: 'rollback' }, builds.find(buildId)?.facts.appId),
    reportActive: (deviceId: string) => record(deviceId, { kind: 'active', version: '1.0.0', platform: 'ios' }),
    /** The id of the build that a check of the device offers. */
    offered: (deviceId: string, version = '0.9.0') => {
      const device = { platform: 'ios', currentVersion: parseVersion(version)!, nativeVersion: undefined } as const;
      const choices = builds.choices(1, 'production', device);
      const identity = { deviceId, hashes: () => hashes.known(1, deviceId), attribute: () => undefined };
      return choose(choices, identity)?.build.buildId;
    },
    retry: (retries: number) => {
      const { facts } = builds.find(BAD)!;
      builds.replace(facts, { ...facts, retries });
    },
  };
}

describe('a device that rolled a build back', () => {
  it('is offered an older build or none, from its report on, by every process, and after a restart', async () => {
    const [one, other] = [await start(), await start()];
    expect([one.offered('phone'), other.offered('phone')]).toEqual([BAD, BAD]);
    await one.rollBack('phone');
    expect(one.offered('phone')).toBe(GOOD);
    expect(one.offered('phone', '1.0.0')).toBeUndefined();
    expect(one.offered('tablet')).toBe(BAD);
    await eventually(() => other.offered('phone') === GOOD);
    const restarted = await start();
    expect([restarted.offered('phone'), restarted.offered('tablet')]).toEqual([GOOD, BAD]);
  });

  it('is stored once, however often it reports', async () => {
    const { rollBack } = await start();
    await rollBack('phone');
    const stored = await rows();
    expect(stored).toMatchObject([{ appId: 1, buildId: BAD, retries: 0, at: stores.clock.time }]);
    stores.clock.time += 1_000;
    await Promise.all([rollBack('phone'), rollBack('phone')]);
    expect(await rows()).toEqual(stored);
  });

  it('is offered the build again once it was retried, until it rolls it back again', async () => {
    const one = await start();
    await one.rollBack('phone');
    one.retry(1);
    expect(one.offered('phone')).toBe(BAD);
    await one.rollBack('phone');
    expect(one.offered('phone')).toBe(GOOD);
    const restarted = await start();
    restarted.retry(1);
    expect(restarted.offered('phone')).toBe(GOOD);
    restarted.retry(2);
    expect(restarted.offered('phone')).toBe(BAD);
  });

  it('is known under each version of the device key, and moves to the one that writes', async () => {
    const before = await start();
    await before.rollBack('phone');
    await before.vault.rotateDataKeys(['device-id']);
    stores.clock.time += 5 * 60_000;
    const after = await start();
    expect(after.hashes.known(1, 'phone')).toHaveLength(2);
    expect(after.offered('phone')).toBe(GOOD);
    await after.rollBack('phone');
    const [row, ...others] = await rows();
    expect([row?.device, others]).toEqual([after.hashes.of(1, 'phone').hash, []]);
    expect(after.offered('phone')).toBe(GOOD);
    await after.vault.dropDataKeys('device-id', stores.clock.time);
    expect((await start()).offered('phone')).toBe(GOOD);
  });

  it('is kept as long as it reports anything, and deleted with its state', async () => {
    const one = await start();
    await one.rollBack('phone');
    await one.rollBack('silent');
    const settings = { reportRetentionDays: 90, deviceStateDays: 30 };
    const retention = new ReportRetention(stores.documents, stores.clock, settings, recordingLogger(failOnLine));
    const after = async (days: number) => {
      stores.clock.time += days * DAY;
      await retention.sweep();
    };
    await after(20);
    await one.reportActive('phone');
    await after(20);
    expect((await rows()).map(({ device }) => device)).toEqual([one.hashes.of(1, 'phone').hash]);
    const restarted = await start();
    expect([restarted.offered('phone'), restarted.offered('silent')]).toEqual([GOOD, BAD]);
    await after(11);
    expect(await rows()).toEqual([]);
  });

  it('is forgotten with the device, and not stored again by a process that still knows it', async () => {
    const [one, other] = [await start(), await start()];
    await one.rollBack('phone');
    await eventually(() => other.offered('phone') === GOOD);
    await forget(one.hashes);
    expect(await rows()).toEqual([]);
    stores.clock.time += DAY;
    await other.reportActive('phone');
    expect(await rows()).toEqual([]);
    expect(other.offered('phone')).toBe(BAD);
    expect((await start()).offered('phone')).toBe(BAD);
  });

  it('is stored again if it rolls the build back again after it was forgotten', async () => {
    const one = await start();
    await one.rollBack('phone');
    await forget(one.hashes, stores.messaging);
    await eventually(() => one.offered('phone') === BAD);
    await one.rollBack('phone');
    expect(await rows()).toHaveLength(1);
  });
});

it('deletes the rows of a deleted build, and those that a retry made obsolete', async () => {
  const { rollBack, retry } = await start();
  await rollBack('phone');
  await rollBack('phone', GOOD);
  retry(1);
  await rollBack('tablet');
  const append = (event: BuildEvent) => stores.append('channel-1-production', event);
  await append({ type: 'BuildRetried', data: { buildId: BAD, retries: 1 } });
  await eventually(async () => (await rows()).length === 2);
  expect(await rows()).toMatchObject([{ buildId: GOOD }, { buildId: BAD, retries: 1 }]);
  await append({ type: 'BuildDeleted', data: { buildId: GOOD, objectKey: 'o', jobId: null } });
  await eventually(async () => (await rows()).length === 1);
  expect(await rows()).toMatchObject([{ buildId: BAD }]);
});

it('keeps as many rows of an app, and of all apps, as it may, and warns once for each app', async () => {
  const { rollBack, offered, logger, builds } = await start({ max: { ofApp: 2, ofAll: 3 }, lines: true });
  const ofApp2 = 7;
  builds.replace(undefined, served(ofApp2, '1.0.0', { appId: 2 }));
  for (const device of ['a', 'b', 'c', 'd']) await rollBack(device);
  expect(['a', 'b', 'c', 'd'].map((device) => offered(device))).toEqual([GOOD, GOOD, BAD, BAD]);
  for (const device of ['a', 'b']) await rollBack(device, ofApp2);
  expect((await rows()).map(({ buildId }) => buildId)).toEqual([BAD, BAD, ofApp2]);
  expect(logger.lines.map(({ message }) => message)).toEqual([
    expect.stringContaining('further devices of app 1'),
    expect.stringContaining('further devices of app 2'),
  ]);
});

it('finds what its looks missed: a row of a process whose clock is behind, and a deleted one', async () => {
  let passed = 0;
  const one = await start({ monotonic: () => passed });
  const row = { appId: 1, buildId: BAD, retries: 0, device: one.hashes.of(1, 'phone').hash };
  const id = `1/${BAD}/0/${row.device}`;
  await stores.documents.rows(rolledBackDevices).put({ ...row, id, at: stores.clock.time - 60_000 });
  await one.rollBack('tablet');
  passed = 600_000;
  await eventually(() => one.offered('phone') === GOOD);
  await stores.documents.rows(rolledBackDevices).delete(id);
  passed = 1_200_000;
  await eventually(() => one.offered('phone') === BAD);
  expect(one.offered('tablet')).toBe(GOOD);
});

describe('while the state store is unavailable', () => {
  let available: boolean;
  /** The state store, whose calls fail at times. */
  const state = (): StateStore => ({
    liveTarget: stores.documents.liveTarget,
    rows: (collection) =>
      new Proxy(stores.documents.rows(collection), {
        get: (rows, name) => (available ? (Reflect.get(rows, name) as unknown) : unavailable),
      }),
  });
  const unavailable = () => Promise.reject(new DocumentStoreUnavailableError('Unavailable.'));

  it('uses what it knows, and acknowledges no rollback', async () => {
    available = true;
    const one = await start({ state: state(), lines: true });
    await one.rollBack('phone');
    available = false;
    await expect(one.rollBack('tablet')).rejects.toThrow(DocumentStoreUnavailableError);
    expect([one.offered('phone'), one.offered('tablet')]).toEqual([GOOD, BAD]);
  });

  it('starts, and reads all once it is available again', async () => {
    await (await start()).rollBack('phone');
    available = false;
    const one = await start({ state: state(), lines: true });
    expect(one.offered('phone')).toBe(BAD);
    stores.clock.time += DAY;
    available = true;
    await eventually(() => one.offered('phone') === GOOD);
  });
});
