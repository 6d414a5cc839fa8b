import { constants, generateKeyPairSync, privateEncrypt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getUpdateInfo } from '@hot-updater/js';
import { type BuildFacts, type Call, signDigest } from '@sluice/contracts';
import type { Messaging } from '@sluice/messaging';
import { eventually } from '@sluice/testing';
import fc from 'fast-check';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  withBundle,
  withFiles,
  type DevicePlane,
  type DeviceStores,
} from '../../../../test/support/device-plane';
import { hotUpdaterPhone, type PhoneOptions } from '../../../../test/support/hot-updater-device';
import { zipOf } from '../../../../test/support/zip';

const NIL = '00000000-0000-0000-0000-000000000000';
/** As a UUIDv7 of a later millisecond for each number. */
const idOf = (number: number) => `0199abcd-${number.toString(16).padStart(4, '0')}-7000-8000-000000000000`;
const EMBEDDED = idOf(0);

let stores: DeviceStores;
let plane: DevicePlane;
let key: string;
const signer = generateKeyPairSync('rsa', { modulusLength: 2048 });
let signed: number;

beforeEach(async () => {
  signed = 0;
  stores = await openDeviceStores();
  await stores.registerApp(1);
  key = await stores.createKey(1, 1);
  const request: Messaging['request'] = (call, body, ...rest) =>
    (call as Call) === signDigest
      ? (sign(body as { digest: string }) as never)
      : stores.messaging.request(call, body, ...rest);
  const messaging = Object.assign(Object.create(stores.messaging) as Messaging, { request });
  plane = await startDevicePlane({ ...stores, messaging }, { limitDevicePerMinute: 1 });
  await plane.index.open();
});

afterEach(async () => {
  await plane.close();
  await stores.close();
});

/** As the keys service: over the bytes that have this SHA-256. */
function sign({ digest }: { readonly digest: string }) {
  signed += 1;
  const info = Buffer.from(`3031300d060960864801650304020105000420${digest}`, 'hex');
  const signature = privateEncrypt({ key: signer.privateKey, padding: constants.RSA_PKCS1_PADDING }, info).toString(
    'base64',
  );
  return Promise.resolve({ signature, signatures: [{ key_id: 1, signature }] });
}

const base = (ofKey = key) => `${plane.address}/compat/hot-updater/${ofKey}`;

/** Publishes a build whose bundle has the id of that number, or none. */
async function publish(id: number, version: string, more: Partial<BuildFacts> = {}, bundle: number | null = id) {
  const files = bundle === null ? {} : { 'manifest.json': JSON.stringify({ bundleId: idOf(bundle), assets: {} }) };
  const zip = await zipOf({ 'index.ios.bundle': version, ...files });
  const build = await withFiles(stores.objects, buildFacts(id, version, more), zip);
  await stores.publish(build);
  await rollOut(build, build.rolloutPercentage);
  return build;
}

const rollOut = (build: BuildFacts, rolloutPercentage: number) =>
  stores.change(build, {
    type: 'RolloutChanged',
    data: { buildId: build.buildId, rolloutPercentage, enabled: true },
  });

async function recall(build: BuildFacts, target: BuildFacts | 'embedded', republished = 0): Promise<void> {
  const { buildId, appId, channel, version, checksum } = build;
  const facts = { ...{ buildId, appId, channel, version, checksum }, reason: 'It is broken.' };
  const to = target === 'embedded' ? target : target.buildId;
  await stores.change(build, { type: 'BuildRecalled', data: { ...facts, target: to } });
  if (target === 'embedded') return;
  const { bundleId } = buildFacts(republished, '0.0.0');
  const copy = { ...target, buildId: republished, bundleId, version: `9.9.${republished}`, recallOf: buildId };
  await stores.change(target, {
    type: 'BuildRepublished',
    data: { ...copy, republishedFromId: target.buildId, republishedVersion: target.version },
  });
}

/** That of the guide, with this server and key in place of the reader's. */
const GUIDE = readFileSync(join(__dirname, '../../../../docs/guides/coming-from-hot-updater.md'), 'utf8');
const [, PATH = ''] = /^ {2}baseURL: 'https:\/\/updates\.example\.com(\/\S+\/)APP_KEY',$/m.exec(GUIDE) ?? [];

const phone = (more: Partial<PhoneOptions> = {}) =>
  hotUpdaterPhone({ baseUrl: plane.address + PATH + key, minBundleId: EMBEDDED, ...more });

describe('the client of hot-updater 0.36.3', () => {
  it('updates, stays where a build is paused, and goes back because of a recall alone', async () => {
    const first = await publish(1, '1.0.0', { releaseNotes: 'Größer', mandatory: true });
    const device = phone();
    expect(await device.check()).toMatchObject({
      ...{ id: idOf(1), status: 'UPDATE', shouldForceUpdate: true, message: 'Größer', fileHash: first.checksum },
    });
    expect([await device.update(), device.running()]).toEqual(['UPDATE', idOf(1)]);
    expect(await device.check()).toBeNull();

    const second = await publish(2, '1.1.0');
    expect([await device.update(), device.running()]).toEqual(['UPDATE', idOf(2)]);
    await stores.change(second, { type: 'BuildPaused', data: { buildId: 2 } });
    expect(await device.check()).toBeNull();
    await stores.change(second, { type: 'BuildResumed', data: { buildId: 2 } });

    await recall(second, first, 3);
    expect(await device.check()).toMatchObject({ id: idOf(1), status: 'ROLLBACK', shouldForceUpdate: true });
    expect([await device.update(), device.running()]).toEqual(['ROLLBACK', idOf(1)]);
    expect(await device.check()).toBeNull();

    await recall(first, 'embedded');
    expect(await device.check()).toMatchObject({ id: NIL, status: 'ROLLBACK', fileUrl: null, fileHash: null });
    expect([await device.update(), device.running()]).toEqual(['ROLLBACK', EMBEDDED]);
    expect(await device.check()).toBeNull();
  });

  it('goes back to the bundle in the native app where that is newer than the one to go back to', async () => {
    const older = await publish(1, '1.0.0');
    await recall(await publish(3, '1.1.0'), older, 4);
    const device = phone({ minBundleId: idOf(2) });
    device.runs(idOf(3));
    expect([await device.update(), device.running()]).toEqual(['ROLLBACK', idOf(2)]);
    expect(await device.check()).toBeNull();
  });

  it('gets no bundle that is older than the one in its native app', async () => {
    await publish(1, '1.0.0');
    expect(await phone({ minBundleId: idOf(2) }).check()).toBeNull();
  });

  it('follows a newer version with an older id, and is offered no bundle twice', async () => {
    await publish(5, '1.0.0');
    const device = phone();
    await device.update();
    await publish(2, '2.0.0');
    expect([await device.update(), device.running()]).toEqual(['ROLLBACK', idOf(2)]);
    await publish(6, '3.0.0', {}, 2);
    expect(await device.check()).toBeNull();
    // What another server has sent is not known to be older.
    const other = phone();
    other.runs(idOf(99));
    expect(await other.check()).toBeNull();
    other.runs(idOf(1));
    expect(await other.update()).toBe('UPDATE');
  });

  it('gets what its platform, its native app, its fingerprint and its channel admit', async () => {
    await stores.append('channels-1', { type: 'ChannelAdded', data: { appId: 1, id: 'beta.1', name: 'beta' } });
    await stores.append('app-1', { type: 'AppEdited', data: { id: 1, channelAliases: { 'Beta testers': 'beta.1' } } });
    await publish(1, '1.0.0', { nativeRange: '>=2', platform: 'ios' });
    await publish(2, '2.0.0', { channel: 'beta.1' });
    await publish(3, '3.0.0', { channel: 'staging', fingerprint: 'f00d' });
    const offered = async (more: Partial<PhoneOptions>, strategy?: 'fingerprint') =>
      ((await phone(more).check(strategy)) as { id: string } | null)?.id;
    expect(await offered({})).toBeUndefined();
    expect(await offered({ appVersion: '2.0.0' })).toBe(idOf(1));
    expect(await offered({ appVersion: '2.0' })).toBe(idOf(1));
    expect(await offered({ appVersion: '2.0.0', platform: 'android' })).toBeUndefined();
    expect(await offered({ channel: 'beta' })).toBe(idOf(2));
    expect(await offered({ channel: 'Beta testers' })).toBe(idOf(2));
    expect(await offered({ channel: 'nowhere' })).toBeUndefined();
    expect(await offered({ channel: 'staging', fingerprint: 'f00d' }, 'fingerprint')).toBe(idOf(3));
    expect(await offered({ channel: 'staging', fingerprint: 'beef' }, 'fingerprint')).toBeUndefined();
    expect(await offered({ channel: 'staging' })).toBeUndefined();
  });

  it('is in a rollout by its cohort, and counts against no limit of a device', async () => {
    const build = await publish(1, '1.0.0');
    await rollOut(build, 50);
    const cohorts = Array.from({ length: 40 }, (_, number) => String(number * 25 + 1));
    const inRollout = async () => {
      const checks = await Promise.all(cohorts.map((cohort) => phone({ cohort }).check()));
      return cohorts.filter((_, at) => checks[at] !== null);
    };
    const half = await inRollout();
    expect([half.length > 10, half.length < 30]).toEqual([true, true]);
    expect(await inRollout()).toEqual(half);
    await rollOut(build, 100);
    expect(await inRollout()).toEqual(cohorts);
  });

  it('verifies the signature, which is made once', async () => {
    await publish(1, '1.0.0');
    await stores.append('signingKey-1', {
      type: 'SigningKeyCreated',
      data: { id: 1 },
    });
    await eventually(() => plane.index.signerRevision(1) !== undefined);
    const publicKey = signer.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const devices = [phone({ publicKey }), phone({ publicKey }), phone({ publicKey })];
    expect(await Promise.all(devices.map((device) => device.update()))).toEqual(['UPDATE', 'UPDATE', 'UPDATE']);
    expect(signed).toBe(1);
    await expect(phone().update()).rejects.toThrow('Public key not configured');
  });

  it('reports an error for an unknown key, and never that there is nothing new', async () => {
    await publish(1, '1.0.0');
    const unknown = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    expect(await phone({ baseUrl: base(unknown) }).check()).toBeInstanceOf(Error);
    expect(plane.logger.lines).toEqual([]);
  });

  it('waits for a bundle whose files are not known yet, and is not kept from it by another one', async () => {
    await stores.publish(await withBundle(stores.objects, buildFacts(1, '1.0.0'), await zipOf({ a: 'a' })));
    expect(await phone().check()).toBeInstanceOf(Error);
    await publish(2, '2.0.0');
    const device = phone();
    device.runs(idOf(1));
    expect(await device.update()).toBe('UPDATE');
  });
});

describe('the protocol of hot-updater', () => {
  const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(base() + path, { headers });
    const body = (await response.json()) as Record<string, unknown> | null;
    return [response.status, body?.['id'] ?? (body && (body['error'] ?? body))];
  };

  it('serves clients without a cohort, and those until 0.23, which send headers', async () => {
    const build = await publish(1, '1.0.0');
    const path = `/app-version/ios/1.0.0/production/${EMBEDDED}/${NIL}`;
    expect(await get(path)).toEqual([200, idOf(1)]);
    const headers = {
      ...{ 'x-app-platform': 'android', 'x-app-version': '1.0.0', 'x-channel': 'production' },
      ...{ 'x-bundle-id': NIL, 'x-min-bundle-id': EMBEDDED },
    };
    expect(await get('', headers)).toEqual([200, idOf(1)]);
    expect(await get('', { ...headers, 'x-fingerprint-hash': 'f00d' })).toEqual([200, idOf(1)]);
    expect((await get('', { ...headers, 'x-bundle-id': '' }))[0]).toBe(422);
    // Without a cohort, a rollout below 100% holds no client.
    await rollOut(build, 99);
    expect(await get(path)).toEqual([200, null]);
  });

  it('reads an id that is alone in a file, and offers no bundle without one', async () => {
    const zip = await zipOf({ 'index.ios.bundle': 'x', BUNDLE_ID: `${idOf(7).toUpperCase()}\n` });
    await stores.publish(await withFiles(stores.objects, buildFacts(1, '1.0.0'), zip));
    const path = `/app-version/ios/1.0.0/production/${EMBEDDED}/${EMBEDDED}/1`;
    expect(await get(path)).toEqual([200, idOf(7)]);
    await publish(2, '2.0.0', {}, null);
    expect(await get(path)).toEqual([200, null]);
  });

  it('rejects what no client sends with a status that is an error to clients', async () => {
    await publish(1, '1.0.0');
    const part = fc.oneof(
      fc.constantFrom('ios', '1.0.0', 'production', EMBEDDED, NIL, '..', '%00', '%E0%A4%A', 'x'.repeat(300), '1'),
      fc.string({ maxLength: 12 }).map(encodeURIComponent),
    );
    const paths = fc.tuple(
      fc.constantFrom('app-version', 'fingerprint', 'other'),
      fc.array(part, { minLength: 0, maxLength: 7 }),
    );
    await fc.assert(
      fc.asyncProperty(paths, async ([strategy, parts]) => {
        const response = await fetch(`${base()}/${strategy}/${parts.join('/')}`);
        const body = (await response.json()) as { id?: string } | null;
        expect([200, 400, 404, 414, 422]).toContain(response.status);
        if (response.status === 200 && body !== null) expect([idOf(1)]).toContain(body.id);
        else expect(body).not.toHaveProperty('id');
      }),
      { numRuns: 300, seed: 20_261_127 },
    );
    expect(plane.logger.lines).toEqual([]);
  });
});

it('answers what getUpdateInfo of hot-updater does, after each step of a random history in which nothing is switched off', async () => {
  interface Made {
    readonly build: BuildFacts;
    readonly range: string;
  }
  const made: Made[] = [];
  const ranges = ['*', '>=2', '1.x'];
  const platforms = ['ios', 'android'] as const;
  for (const [at, kind] of fc.sample(fc.nat(255), { numRuns: 8, seed: 20_261_127 }).entries()) {
    const range = ranges[kind % 3]!;
    const platform = platforms[(kind >> 2) % 2]!;
    const build = await publish(at + 1, `1.${at}.0`, { platform, ...(range !== '*' && { nativeRange: range }) });
    made.push({ build, range });
    await Promise.all(platforms.map((each) => compare(each)));
  }

  async function compare(platform: (typeof platforms)[number]): Promise<void> {
    // A bundle that hot-updater switches off moves devices back, and here only a recall does: none is.
    const bundles = made.map(({ build, range }) => ({
      ...{ id: idOf(build.buildId), platform: build.platform, channel: 'production', targetAppVersion: range },
      ...{ enabled: true, shouldForceUpdate: false, message: null, fileHash: build.checksum, storageUri: 's3://x' },
      ...{ fingerprintHash: null, gitCommitHash: null, rolloutCohortCount: 1000, targetCohorts: null },
    }));
    for (const appVersion of ['1.0.0', '2.1']) {
      for (const [min, current] of [...PAIRS, [0, made.length]] as const) {
        const runs = made[current - 1];
        // hot-updater also moves devices back whose bundle their native app may not run.
        const fits = runs?.build.platform === platform && runsOn(runs.range, appVersion);
        if (min !== current && !fits) continue;
        const device = phone({ platform, appVersion, minBundleId: idOf(min) });
        device.runs(idOf(current));
        const ours = (await device.check()) as { id: string; status: string } | null;
        const theirs = await getUpdateInfo(bundles as never, {
          ...{ _updateStrategy: 'appVersion', platform, appVersion, channel: 'production', cohort: '17' },
          ...{ minBundleId: idOf(min), bundleId: idOf(current) },
        });
        const told = { platform, appVersion, min, current, of: made.length };
        expect({ ...told, offer: ours && [ours.id, ours.status] }).toEqual({
          ...told,
          offer: theirs && [theirs.id, theirs.status],
        });
      }
    }
  }
});

/** Numbers of the bundle in the native app, and of the one that runs. */
const PAIRS = [
  [0, 0],
  [3, 3],
  [0, 1],
  [0, 4],
  [2, 5],
  [9, 9],
] as const;
const runsOn = (range: string, appVersion: string) => range === '*' || (range === '1.x') === appVersion.startsWith('1');
