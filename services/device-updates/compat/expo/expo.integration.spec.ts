import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildFacts } from '@sluice/contracts';
import { UnavailableError } from '@sluice/kernel';
import { eventually } from '@sluice/testing';
import fc, { type Stream } from 'fast-check';
import { ExpoClient, type ExpoDevice } from '../../../../test/support/expo-client';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  withFiles,
  type DevicePlane,
  type DeviceStores,
} from '../../../../test/support/device-plane';
import { certifiedKey, signing } from '../../../../test/support/key-services';
import { zipOf } from '../../../../test/support/zip';
import { deviceReports } from '../../reports/device-reports';
import { Explanations } from '../../serving/explanations';

const CREATED_AT = '2026-01-01T00:00:00.000Z';
/** Key pairs take long to make. */
const KEYS = [certifiedKey(7, CREATED_AT), certifiedKey(8, CREATED_AT)];

let stores: DeviceStores;
let plane: DevicePlane;
let key: string;
/** Of KEYS, those that sign. */
let trusted: typeof KEYS;
/** How often the keys service signed. */
let signed: number;
let signFault: Error | undefined;

beforeEach(async () => {
  stores = await openDeviceStores();
  await stores.registerApp(1);
  key = await stores.createKey(1, 1);
  trusted = [];
  signed = 0;
  signFault = undefined;
  const keys = signing(stores.messaging, (_appId, digest) => {
    if (signFault !== undefined) return Promise.reject(signFault);
    signed += 1;
    return Promise.resolve(trusted.map(({ sign }) => sign(digest)));
  });
  plane = await startDevicePlane(stores, { limitDevicePerMinute: 100_000, limitAddressPerMinute: 1_000_000, keys });
  await plane.index.open();
});

afterEach(async () => {
  await plane.close();
  await stores.close();
});

const md5 = (content: string) => createHash('md5').update(content).digest('hex');
const base = (ofKey = key) => `${plane.address}/compat/expo/${ofKey}`;

/** As `npx expo export` makes it. */
function exported(code: string): Record<string, string> {
  const logo = `the logo of ${code}`;
  const asset = { path: `assets/${md5(logo)}`, ext: 'png' };
  const bundleOf = (platform: string) => `_expo/static/js/${platform}/index-${md5(code)}.hbc`;
  const of = (platform: string) => ({ bundle: bundleOf(platform), assets: [asset] });
  const metadata = { version: 0, bundler: 'metro', fileMetadata: { ios: of('ios'), android: of('android') } };
  return {
    'metadata.json': JSON.stringify(metadata),
    'expoConfig.json': JSON.stringify({ name: 'Größer', slug: 'shop' }),
    [bundleOf('ios')]: `${code} for ios`,
    [bundleOf('android')]: `${code} for android`,
    [asset.path]: logo,
  };
}

async function publish(
  id: number,
  version: string,
  { files = exported(version), ...more }: Partial<BuildFacts> & { readonly files?: Record<string, string> } = {},
): Promise<BuildFacts> {
  stores.clock.time += 60_000;
  const zip = await zipOf(files);
  const build = await withFiles(stores.objects, buildFacts(id, version, { fingerprint: '1.0.0', ...more }), zip);
  await stores.publish(build);
  await stores.change(build, { type: 'RolloutChanged', data: { buildId: id, rolloutPercentage: 100, enabled: true } });
  return build;
}

const client = (more: Partial<ExpoDevice> = {}) => new ExpoClient({ url: base(), clientId: randomUUID(), ...more });

const change = (build: BuildFacts, type: 'BuildPaused' | 'BuildResumed' | 'BuildArchived') =>
  stores.change(build, { type, data: { buildId: build.buildId } });

const remove = ({ buildId, objectKey, ...build }: BuildFacts) =>
  stores.change({ ...build, buildId, objectKey }, { type: 'BuildDeleted', data: { buildId, objectKey, jobId: null } });

async function recall(build: BuildFacts, target: number | 'embedded'): Promise<void> {
  stores.clock.time += 60_000;
  const { buildId, appId, channel, version, checksum } = build;
  const facts = { buildId, appId, channel, version, checksum };
  await stores.change(build, { type: 'BuildRecalled', data: { ...facts, reason: 'It is broken.', target } });
}

/** Publishes the source again under another version, for devices of the recalled build. */
async function republish(source: BuildFacts, buildId: number, version: string, recallOf: number): Promise<void> {
  const { bundleId } = buildFacts(buildId, version);
  const data = { ...source, buildId, bundleId, version, recallOf };
  await stores.change(source, {
    type: 'BuildRepublished',
    data: { ...data, republishedFromId: source.buildId, republishedVersion: source.version },
  });
}

/** What was reported, as `build/1/installs`. */
async function reported(): Promise<string[]> {
  const rows = await stores.documents.rows(deviceReports).find();
  return rows.map(({ metric }) => metric).sort();
}

/** The configuration of the guide, with this server and key in place of the reader's. */
async function configurationOfGuide(): Promise<Pick<ExpoDevice, 'url' | 'channel' | 'runtimeVersion'>> {
  const page = await readFile(join(__dirname, '../../../../docs/guides/coming-from-expo.md'), 'utf8');
  const [, json = ''] = /```json\n([^]+?)```/.exec(page) ?? [];
  const { expo } = JSON.parse(json) as {
    expo: { runtimeVersion: string; updates: { url: string; requestHeaders: Record<string, string> } };
  };
  const { url, requestHeaders } = expo.updates;
  return {
    url: url.replace('https://updates.example.com', plane.address).replace('APP_KEY', key),
    channel: requestHeaders['expo-channel-name'] ?? '',
    runtimeVersion: expo.runtimeVersion,
  };
}

describe('the clients of Expo', () => {
  it('update to a manifest whose files have the hashes that it names', async () => {
    const build = await publish(1, '1.1.0');
    const device = client(await configurationOfGuide());
    const { manifest, headers } = await device.update();
    expect(headers.get('cache-control')).toBe('private, max-age=0');
    expect(manifest).toEqual({
      id: expect.stringMatching(/^00000000-0001-8/) as string,
      createdAt: '2026-03-01T12:01:00.000Z',
      runtimeVersion: '1.0.0',
      launchAsset: {
        hash: createHash('sha256').update('1.1.0 for ios').digest('base64url'),
        key: md5('1.1.0 for ios'),
        url: expect.stringContaining(`bundle=${build.bundleId}`) as string,
        ...{ contentType: 'application/javascript', fileExtension: '.bundle' },
      },
      assets: [expect.objectContaining({ contentType: 'image/png', fileExtension: '.png' })],
      metadata: { version: '1.1.0' },
      extra: { expoClient: { name: 'Größer', slug: 'shop' } },
    });
    expect(device.runs).toEqual(manifest);
    expect((await device.update()).status).toBe(204);

    const android = client({ platform: 'android' });
    await android.update();
    expect(android.runs?.launchAsset.key).toBe(md5('1.1.0 for android'));
    expect(android.runs?.id).not.toBe(manifest?.id);

    await publish(2, '1.2.0');
    await device.update();
    expect(device.runs?.metadata).toEqual({ version: '1.2.0' });
  });

  it('get only builds of their runtime version, and of their rollout', async () => {
    await publish(1, '1.1.0');
    const second = await publish(2, '2.0.0', { fingerprint: '2.0.0' });
    const update = async (more: Partial<ExpoDevice>) => {
      const device = client(more);
      await device.update();
      return device.runs?.metadata['version'];
    };
    expect(await update({})).toBe('1.1.0');
    expect(await update({ runtimeVersion: '2.0.0' })).toBe('2.0.0');
    expect(await update({ runtimeVersion: '3.0.0' })).toBeUndefined();
    // These clients send no version of the native app, and no attributes.
    await publish(3, '3.0.0', { fingerprint: '3.0.0', minNativeVersion: '9.0.0' });
    const fourth = await publish(4, '4.0.0', { fingerprint: '3.0.0' });
    const audience = { attributes: { plan: { in: ['gold'] } } };
    await stores.change(fourth, { type: 'BuildEdited', data: { buildId: 4, audience } });
    expect(await update({ runtimeVersion: '3.0.0' })).toBe('3.0.0');

    const rollout = { buildId: 2, rolloutPercentage: 50, enabled: true };
    await stores.change(second, { type: 'RolloutChanged', data: rollout });
    const devices = Array.from({ length: 40 }, (_, n) => `7f9c24e8-0000-4000-8000-${String(n).padStart(12, '0')}`);
    for (const clientId of devices) {
      const { offered } = explained({ clientId, runtimeVersion: '2.0.0' }, '0.0.0');
      expect(await update({ clientId, runtimeVersion: '2.0.0' })).toBe(offered?.version);
    }
    const versions = devices.map(
      (clientId) => explained({ clientId, runtimeVersion: '2.0.0' }, '0.0.0').offered?.version,
    );
    expect(new Set(versions)).toEqual(new Set(['2.0.0', undefined]));
  });

  it('take the channel from their header, else from behind the key, and find nothing in one that does not exist', async () => {
    await stores.append('channels-1', { type: 'ChannelAdded', data: { appId: 1, id: 'beta.1', name: 'beta' } });
    await publish(1, '1.1.0');
    await publish(2, '2.0.0', { channel: 'beta.1' });
    await stores.append('app-1', { type: 'AppEdited', data: { id: 1, channelAliases: { 'Beta testers': 'beta.1' } } });
    const update = async (more: Partial<ExpoDevice>) => {
      const device = client(more);
      const { status } = await device.update();
      return device.runs?.metadata['version'] ?? status;
    };
    await eventually(async () => (await update({ channel: 'Beta testers' })) === '2.0.0');
    expect(await update({ channel: 'beta' })).toBe('2.0.0');
    expect(await update({ url: base(`${key}-beta`) })).toBe('2.0.0');
    expect(await update({ url: base(`${key}-beta`), channel: 'production' })).toBe('1.1.0');
    expect(await update({ channel: 'none' })).toBe(204);
  });

  it('are moved back by a recall alone: to the republished build, then to the bundle in the native app', async () => {
    const first = await publish(1, '1.1.0');
    const second = await publish(2, '1.2.0');
    const device = client();
    await device.update();
    expect(device.runs?.metadata).toEqual({ version: '1.2.0' });
    await change(second, 'BuildPaused');
    expect((await device.update()).status).toBe(204);
    await change(second, 'BuildResumed');

    await recall(second, 1);
    await republish(first, 3, '1.2.1', 2);
    await device.update();
    expect(device.runs).toMatchObject({ metadata: { version: '1.2.1' }, launchAsset: { key: md5('1.1.0 for ios') } });

    await recall(first, 'embedded');
    const { directive } = await device.update();
    expect(directive).toEqual({
      type: 'rollBackToEmbedded',
      parameters: { commitTime: new Date(stores.clock.time).toISOString() },
    });
    expect(device.runs).toBeUndefined();
    expect((await device.update()).status).toBe(204);

    await publish(4, '1.3.0');
    await device.update();
    expect(device.runs?.metadata).toEqual({ version: '1.3.0' });
  });

  it('are moved back from a recalled build that is deleted, and not from one that was only deleted', async () => {
    const [, second] = [await publish(1, '1.1.0'), await publish(2, '1.2.0')];
    const devices = [client(), client()];
    for (const device of devices) await device.update();
    await remove(second);
    await devices[0]!.update();
    expect(devices[0]!.runs?.metadata).toEqual({ version: '1.2.0' });
    const third = await publish(3, '1.4.0');
    await devices[1]!.update();
    await recall(third, 'embedded');
    await remove(third);
    await devices[1]!.update();
    expect(devices[1]!.runs).toBeUndefined();
  });

  it('are offered nothing that was released before what they run, whatever its version', async () => {
    const late = await publish(1, '1.2.0');
    await change(late, 'BuildPaused');
    await publish(2, '1.1.0');
    const device = client();
    await device.update();
    await change(late, 'BuildResumed');
    expect(explained(device.device, '1.1.0').offered?.version).toBe('1.2.0');
    expect((await device.update()).status).toBe(204);
  });

  it('are answered in the order of the releases, also when clocks of replicas differ', async () => {
    await publish(1, '1.1.0');
    stores.clock.time -= 3_600_000;
    await publish(2, '1.2.0');
    const device = client();
    const { manifest } = await device.update();
    expect(manifest).toMatchObject({ metadata: { version: '1.2.0' }, createdAt: '2026-03-01T12:01:00.001Z' });
  });

  it('infer what they run and what did not start, once for each device and build', async () => {
    await publish(1, '1.1.0');
    const second = await publish(2, '1.2.0', { rolloutPercentage: 100 });
    const device = client();
    await device.update();
    await device.update();
    await eventually(async () => (await reported()).includes('build/2/installs'));
    device.crash();
    expect((await device.request({ 'Expo-Fatal-Error': 'undefined is not a function' })).manifest).toBeUndefined();
    await eventually(async () => (await reported()).includes('build/2/rollbacks'));
    // It is not offered to the device again, but what is older is.
    await eventually(async () => (await device.update()).manifest?.metadata['version'] === '1.1.0');
    await device.update();
    await device.update();
    await eventually(async () => (await reported()).includes('build/1/installs'));
    expect((await reported()).filter((metric) => metric.startsWith('build/'))).toEqual([
      ...['build/1/downloads', 'build/1/installs', 'build/2/downloads', 'build/2/installs', 'build/2/rollbacks'],
    ]);
    expect(second.buildId).toBe(2);
  });
});

describe('an app with a signing key', () => {
  const createKey = async () => {
    trusted = [KEYS[0]!];
    const { position } = await stores.append('signingKey-1', { type: 'AnyEvent', data: {} });
    await stores.members.applied('signingKey-1', position);
  };

  it('signs manifests and directives, each once, for clients that verify them', async () => {
    await createKey();
    const first = await publish(1, '1.1.0');
    const { certificate } = KEYS[0]!;
    const devices = Array.from({ length: 3 }, () => client({ certificate }));
    await Promise.all(devices.map((device) => device.update()));
    expect(devices.map((device) => device.runs?.metadata)).toEqual(Array(3).fill({ version: '1.1.0' }));
    expect(signed).toBe(1);
    const json = await client({ certificate }).request({ Accept: 'application/expo+json' });
    expect([json.manifest?.id, json.headers.get('content-type')]).toEqual([
      devices[0]!.runs?.id,
      'application/expo+json',
    ]);
    const unverified = client();
    await unverified.update();
    expect(unverified.runs).toEqual(devices[0]!.runs);

    await recall(first, 'embedded');
    for (const device of devices) await device.update();
    expect(devices.map((device) => device.runs)).toEqual(Array(3).fill(undefined));
    expect(signed).toBe(2);
    // A response without a body needs no signature.
    expect((await devices[0]!.update()).status).toBe(204);
  });

  it('signs by each key that is trusted, and rejects others with the name of these', async () => {
    await createKey();
    await publish(1, '1.1.0');
    await client({ certificate: KEYS[0]!.certificate }).update();
    trusted = KEYS;
    const { position } = await stores.append('signingKey-1', { type: 'AnyEvent', data: {} });
    await stores.members.applied('signingKey-1', position);
    for (const { certificate } of KEYS) {
      const device = client({ certificate });
      await device.update();
      expect(device.runs?.metadata).toEqual({ version: '1.1.0' });
    }
    const { status, text } = await asked({ 'expo-expect-signature': 'sig, keyid="main", alg="rsa-v1_5-sha256"' });
    expect([status, text]).toEqual([
      400,
      expect.stringContaining('The keyid of the signing key is \\"7\\" or \\"8\\".'),
    ]);
  });

  it('responds with 503 to clients that verify while nothing can be signed', async () => {
    await createKey();
    await publish(1, '1.1.0');
    signFault = new UnavailableError('The keys service does not answer.');
    const device = client({ certificate: KEYS[0]!.certificate });
    expect((await device.update()).status).toBe(503);
    signFault = undefined;
    await device.update();
    expect(device.runs?.metadata).toEqual({ version: '1.1.0' });
  });
});

const USUAL = {
  ...{ 'Expo-Protocol-Version': '1', 'Expo-Platform': 'ios', 'Expo-Runtime-Version': '1.0.0' },
  ...{ Accept: 'multipart/mixed,application/expo+json,application/json', 'EAS-Client-ID': randomUUID() },
};

/** Any request, with the headers of USUAL unless they are replaced, or left out as undefined. */
async function asked(headers: Readonly<Record<string, string | undefined>>, init: RequestInit = {}, url = base()) {
  const given: Readonly<Record<string, string | undefined>> = { ...USUAL, ...headers };
  const all = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  const response = await fetch(url, { ...init, headers: all });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function explained({ clientId, platform = 'ios', runtimeVersion = '1.0.0' }: Partial<ExpoDevice>, version: string) {
  return new Explanations(plane.index, plane.hashes).explain({
    ...{ appId: 1, deviceId: clientId ?? '', channel: 'production', platform, version, fingerprint: runtimeVersion },
  });
}

describe('the protocol of Expo', () => {
  it('rejects a request that it cannot read, with what is wrong', async () => {
    await publish(1, '1.1.0');
    const requests: [Readonly<Record<string, string | undefined>>, number, string][] = [
      [{ 'Expo-Protocol-Version': '0' }, 400, 'The Expo-Protocol-Version header must be 1'],
      [{ 'Expo-Protocol-Version': undefined }, 400, 'Received: none.'],
      [{ 'Expo-Platform': 'web' }, 400, 'The Expo-Platform header must be ios or android. Received: web'],
      [{ 'Expo-Runtime-Version': undefined }, 400, 'Expo-Runtime-Version'],
      [{ 'EAS-Client-ID': undefined }, 400, 'EAS-Client-ID'],
      [{ 'EAS-Client-ID': 'x'.repeat(256) }, 422, 'at most 255 characters'],
      [{ Accept: 'text/html' }, 406, 'Accept must admit one of multipart/mixed'],
      [{ 'expo-expect-signature': 'sig, alg="ed25519"' }, 400, 'rsa-v1_5-sha256'],
      [{ 'expo-expect-signature': '"' }, 400, 'expo-expect-signature'],
      [{ 'expo-expect-signature': 'sig' }, 400, 'The app has no signing key.'],
    ];
    for (const [headers, status, message] of requests) {
      const refused = await asked(headers);
      expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(message)]);
      expect(refused.headers.get('expo-protocol-version')).toBe('1');
      expect(refused.headers.get('content-type')).toContain('application/json');
    }
  });

  it('rejects unknown keys and other methods, and never that there is nothing new', async () => {
    const unknown = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    expect(await asked({}, {}, base(unknown))).toMatchObject({ status: 401 });
    expect(await asked({}, {}, base('nonsense'))).toMatchObject({ status: 401 });
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect([method, (await asked({}, { method })).status]).toEqual([method, 405]);
    }
    expect(await asked({}, {}, `${base()}/more`)).toMatchObject({ status: 404 });
    expect(await asked({}, {}, `${base()}?any=1`)).toMatchObject({ status: 204 });
    expect(plane.logger.messages.join()).not.toContain(key);
  });

  it('responds with 404 where the build is no export for the platform, with what is missing', async () => {
    const builds: [Parameters<typeof publish>[2], string][] = [
      [{ fingerprint: null }, 'it has no fingerprint, which is the runtime version'],
      [{ files: { 'index.html': '' } }, 'its bundle has no metadata.json.'],
      [{ files: { 'metadata.json': '[]' } }, 'its metadata.json is not one'],
      [{ files: { 'metadata.json': '{"fileMetadata":{}}' } }, 'has no files for that platform'],
      [
        { files: { 'metadata.json': '{"fileMetadata":{"ios":{"bundle":"main.js","assets":[]}}}' } },
        'its bundle has no file \\"main.js\\"',
      ],
    ];
    for (const [index, [more, message]] of builds.entries()) {
      await publish(index + 1, `1.${index}.0`, more);
      for (let repeat = 0; repeat < 2; repeat += 1) {
        const refused = await asked({});
        expect([refused.status, refused.text]).toEqual([404, expect.stringContaining(message)]);
      }
    }
  });

  it('responds with a manifest alone to clients that accept no parts, and then sends no directive', async () => {
    const build = await publish(1, '1.1.0');
    for (const type of ['application/expo+json', 'application/json']) {
      const { headers, text } = await asked({ Accept: type });
      expect([headers.get('content-type'), JSON.parse(text)]).toEqual([
        type,
        expect.objectContaining({ metadata: { version: '1.1.0' } }),
      ]);
    }
    // A client for iOS reads the headers of parts by these names alone, and needs the line break at the end.
    const parts = (await asked({})).text;
    expect(parts).toMatch(
      /^--([\w-]+)\r\ncontent-disposition: inline; name="manifest"\r\ncontent-type: [^\r]+\r\n\r\n\{[^\r]+\}\r\n--\1--\r\n$/,
    );
    const { manifest } = await client().request();
    await recall(build, 'embedded');
    const current = { Accept: 'application/json', 'Expo-Current-Update-ID': manifest!.id.toUpperCase() };
    expect((await asked(current)).status).toBe(204);
    expect((await asked({ ...current, Accept: '*/*' })).text).toContain('rollBackToEmbedded');
  });

  it('is answered by the router as by the fast path', async () => {
    const build = await publish(1, '1.1.0');
    const routed = await startDevicePlane(stores, { fastPath: false, publicUrl: plane.address });
    await routed.index.open();
    try {
      const { manifest } = await client().request();
      const requests = [
        ...[{}, { Accept: 'application/json' }, { Accept: 'text/html' }, { 'Expo-Platform': 'web' }],
        { 'Expo-Current-Update-ID': manifest!.id },
      ];
      for (const headers of requests) {
        const [quick, slow] = [await asked(headers), await asked(headers, {}, `${routed.address}/compat/expo/${key}`)];
        for (const name of ['content-type', 'content-length', 'cache-control', 'expo-protocol-version']) {
          expect([name, slow.headers.get(name)]).toEqual([name, quick.headers.get(name)]);
        }
        expect([slow.status, slow.text]).toEqual([quick.status, quick.text]);
      }
      expect(build.buildId).toBe(1);
    } finally {
      await routed.close();
    }
  });

  it('never fails, and never has a body that a client takes for an update, whatever a request has', async () => {
    await publish(1, '1.1.0');
    const text = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
      maxLength: 60,
    });
    const names = [
      ...['Expo-Protocol-Version', 'Expo-Platform', 'Expo-Runtime-Version', 'Accept', 'EAS-Client-ID'],
      ...['Expo-Current-Update-ID', 'Expo-Recent-Failed-Update-IDs', 'Expo-Fatal-Error', 'expo-expect-signature'],
      ...['expo-channel-name', 'Expo-Extra-Params', 'Expo-Embedded-Update-ID'],
    ];
    const value = fc.oneof(
      text,
      fc.constantFrom(
        '1',
        'ios',
        '1.0.0',
        '*/*',
        'sig, keyid="7"',
        '00000000-0001-8000-8000-000000000000',
        '""',
        'production',
      ),
      fc.uuid(),
    );
    const headers = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(headers, fc.constantFrom('GET', 'POST'), async (given, method) => {
        const { status, text: body, headers: received } = await asked(given, { method });
        expect(received.get('expo-protocol-version')).toBe('1');
        if (status === 200) expect(body).toContain('"launchAsset"');
        else expect([204, 400, 405, 406, 422]).toContain(status);
        if (status !== 200) expect(body).not.toContain('launchAsset');
      }),
      { numRuns: 150 },
    );
  });
});

describe('a client that takes only later updates', () => {
  interface Change {
    readonly kind: 'publish' | 'promote' | 'pause' | 'resume' | 'rollout' | 'recall' | 'recallToEmbedded' | 'remove';
    /** Chooses the build, and what it is changed to. */
    readonly pick: number;
    /** Of the clocks of replicas, in milliseconds. */
    readonly skew: number;
  }

  it('ends with what its explanation names, after any history of builds', async () => {
    const kind = fc.constantFrom<Change['kind'][]>(
      ...([
        'publish',
        'publish',
        'promote',
        'pause',
        'resume',
        'rollout',
        'recall',
        'recallToEmbedded',
        'remove',
      ] as const),
    );
    const change = fc.record<Change>({ kind, pick: fc.nat(1_000), skew: fc.integer({ min: -120_000, max: 120_000 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 4, maxLength: 14 }), fc.infiniteStream(fc.uuid()), run),
      { numRuns: 6 },
    );
  });

  let apps = 1;
  let builds = 100;

  async function run(changes: readonly Change[], ids: Stream<string>): Promise<void> {
    const appId = (apps += 1);
    await stores.registerApp(appId);
    const url = base(await stores.createKey(appId, appId));
    const history = new History(appId, appId % 2 === 0);
    const devices = (['1.0.0', '1.0.0', '2.0.0'] as const).map(
      (runtimeVersion, index) =>
        new ExpoClient({
          url,
          runtimeVersion,
          clientId: [...ids.take(1)][0]!,
          platform: index === 0 ? 'ios' : 'android',
        }),
    );
    for (const each of changes) {
      await history.apply(each);
      for (const device of devices) {
        // What runs may be recalled with what replaces it.
        for (let round = 0; round < 3; round += 1) await history.check(device);
      }
    }
  }

  /** A channel as its events tell it, and the order of its releases. */
  class History {
    private readonly live: { facts: BuildFacts; paused: boolean; recalled: boolean; republished: boolean }[] = [];
    /** By version: the order in which builds were released, and in which recalls came. */
    private readonly order = new Map<string, number>();
    private readonly embeddedAt = new Map<ExpoClient, number>();
    private count = 0;
    private recalledToEmbedded = 0;
    private minor = 0;

    constructor(
      private readonly appId: number,
      private readonly skewed: boolean,
    ) {}

    async apply({ kind, pick, skew }: Change): Promise<void> {
      // The times of releases remember no deleted build whose clock was ahead.
      stores.clock.time += this.skewed ? skew : Math.abs(skew);
      const ordinary = this.live.filter(({ republished, recalled }) => !republished && !recalled);
      const chosen = ordinary[pick % Math.max(1, ordinary.length)];
      if (kind === 'publish' || (kind === 'promote' && chosen === undefined)) {
        const fingerprint = pick % 3 === 0 ? '2.0.0' : '1.0.0';
        const version = this.nextVersion();
        this.add(await publish((builds += 1), version, { appId: this.appId, fingerprint }));
        return;
      }
      if (chosen === undefined) return;
      const { facts } = chosen;
      const { buildId } = facts;
      if (kind === 'promote') {
        const id = (builds += 1);
        const copy = { ...facts, buildId: id, bundleId: buildFacts(id, '').bundleId, version: this.nextVersion() };
        await stores.change(copy, { type: 'BuildPromoted', data: { ...copy, promotedFromId: buildId } });
        this.add(copy);
      } else if (kind === 'pause' && !chosen.paused) {
        await stores.change(facts, { type: 'BuildPaused', data: { buildId } });
        chosen.paused = true;
      } else if (kind === 'resume' && chosen.paused) {
        await stores.change(facts, { type: 'BuildResumed', data: { buildId } });
        chosen.paused = false;
      } else if (kind === 'rollout') {
        const rollout = { buildId, rolloutPercentage: [0, 50, 100][pick % 3]!, enabled: pick % 5 !== 0 };
        await stores.change(facts, { type: 'RolloutChanged', data: rollout });
      } else if (kind === 'remove' && !this.skewed) {
        await remove(facts);
        this.live.splice(this.live.indexOf(chosen), 1);
      } else if (kind === 'recall' || kind === 'recallToEmbedded') {
        const older = ordinary.filter((each) => each.facts.buildId < buildId);
        const target = kind === 'recall' ? older[pick % Math.max(1, older.length)]?.facts : undefined;
        if (kind === 'recall' && target === undefined) return;
        await recall(facts, target?.buildId ?? 'embedded');
        chosen.recalled = true;
        this.count += 1;
        if (target === undefined) this.recalledToEmbedded = this.count;
        else {
          const version = this.nextVersion();
          const id = (builds += 1);
          await republish(target, id, version, buildId);
          this.add({ ...target, buildId: id, version }, true);
        }
      }
    }

    /** One start of the app, against what the explanation of the same device names. */
    async check(device: ExpoClient): Promise<void> {
      const before = device.runs?.metadata['version'];
      const { clientId, platform = 'ios', runtimeVersion = '' } = device.device;
      // A server that no longer has the build takes what runs for the bundle in the native app.
      const known = before !== undefined && this.live.some(({ facts }) => facts.version === before);
      const { offered, recalled } = new Explanations(plane.index, plane.hashes).explain({
        ...{ appId: this.appId, deviceId: clientId, channel: 'production', platform, fingerprint: runtimeVersion },
        version: known ? before : '0.0.0',
      });
      const running = before === undefined ? (this.embeddedAt.get(device) ?? 0) : this.order.get(before)!;
      let expected = before;
      if (offered !== null) {
        if (this.order.get(offered.version)! > running) expected = offered.version;
      } else if (recalled?.roll_back_to_embedded === true) {
        expected = undefined;
        this.embeddedAt.set(device, this.recalledToEmbedded);
      }
      await device.update();
      expect(device.runs?.metadata['version']).toBe(expected);
    }

    private nextVersion(): string {
      this.minor += 1;
      return `1.${this.minor}.0`;
    }

    private add(facts: BuildFacts, republished = false): void {
      this.count += 1;
      this.order.set(facts.version, this.count);
      this.live.push({ facts, paused: false, recalled: false, republished });
    }
  }
});
