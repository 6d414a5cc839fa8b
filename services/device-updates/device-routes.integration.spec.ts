import { createHash, randomBytes } from 'node:crypto';
import { credentialHash, newCredential, type ApiKeyEvent, type BuildFacts, type Restrictions } from '@sluice/contracts';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  withBundle,
  type DevicePlane,
  type DeviceStores,
} from '../../test/support/device-plane';

const bytes = randomBytes(300_000);
const checksum = createHash('sha256').update(bytes).digest('hex');

let stores: DeviceStores;
let plane: DevicePlane;
let key: string;
let build: BuildFacts;

beforeAll(async () => {
  stores = await openDeviceStores();
  await stores.registerApp(1, 'ios');
  key = await stores.createKey(1, 1);
  build = await withBundle(
    stores.objects,
    buildFacts(1, '1.4.0', { signature: 'c2ln', releaseNotes: 'Größer, "schneller"', minNativeVersion: '2.1' }),
    bytes,
  );
  await stores.publish(build);
  plane = await startDevicePlane(stores);
});

afterAll(async () => {
  await plane.close();
  await stores.close();
});

const device = () => ({
  'X-API-Key': key,
  'X-Device-ID': 'device-1',
  'X-Current-Version': '1.0.0',
  'X-Platform': 'ios',
});

/** What a test reads of an answer. */
interface Body {
  available: boolean;
  downloadUrl: string;
  mandatory: boolean;
  error: { code: string };
  errors: Record<string, string[]>;
}

async function ask(headers: Record<string, string>, query = '') {
  const response = await fetch(`${plane.address}/api/v1/updates/check${query}`, { headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as Body };
}

function without(name: string) {
  return Object.fromEntries(Object.entries<string>(device()).filter(([header]) => header !== name));
}

it('answers that it starts before it is loaded', async () => {
  const answer = await ask(device());
  expect(answer).toMatchObject({ status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE' } } });
  expect(answer.headers.get('retry-after')).toBe('1');
  await plane.index.open();
  expect((await ask(device())).status).toBe(200);
});

describe('GET /api/v1/updates/check', () => {
  it('offers a build, its fields in the order of the specification', async () => {
    const { status, headers, body } = await ask(device());
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(Object.entries(body)).toEqual([
      ['available', true],
      ['version', '1.4.0'],
      ['bundleId', build.bundleId],
      ['downloadUrl', expect.stringContaining(`${plane.address}/api/v1/bundles/1/download?expires=`)],
      ['checksum', checksum],
      ['signature', 'c2ln'],
      ['size', bytes.length],
      ['mandatory', false],
      ['releaseNotes', 'Größer, "schneller"'],
      ['minNativeVersion', '2.1'],
      ['expiresAt', expect.stringMatching(/^2026-03-01T12:(29:\d\d|30:00)\.\d{3}Z$/)],
    ]);
  });

  it('says that there is nothing to do', async () => {
    const nothing = '{"available":false,"message":"No updates available"}';
    expect((await ask({ ...device(), 'X-Current-Version': '1.4.0' })).text).toBe(nothing);
    expect((await ask(device(), '?channel=staging')).text).toBe(nothing);
    expect((await ask({ ...device(), 'X-Platform': 'android' })).text).toBe(nothing);
    expect((await ask({ ...device(), 'X-App-Version': '2.0.9' })).text).toBe(nothing);
  });

  it('takes a native version that is none as not sent', async () => {
    expect((await ask({ ...device(), 'X-App-Version': 'latest' })).body.available).toBe(true);
  });

  it.each(['1', 'v1.3', '1.4.0-beta.1'])('reads %s as the current version', async (version) => {
    expect((await ask({ ...device(), 'X-Current-Version': version })).body.available).toBe(true);
  });

  it('returns the same URL to every device for some time, and another one later', async () => {
    const first = await ask(device());
    const other = await ask({ ...device(), 'X-Device-ID': 'device-2' });
    expect(other.body.downloadUrl).toBe(first.body.downloadUrl);
    stores.clock.time += 60_000;
    expect((await ask(device())).body.downloadUrl).not.toBe(first.body.downloadUrl);
  });

  it('buckets a device id beyond ASCII by its UTF-8', async () => {
    const rollout = buildFacts(50, '1.0.1', { channel: 'development', rolloutPercentage: 50 });
    await stores.publish(rollout);
    await stores.change(rollout, { type: 'BuildEdited', data: { buildId: 50, mandatory: false } });
    for (const id of ['gerät-1', 'gerät-2', 'gerät-3', 'gerät-4', '端末-1', '端末-2']) {
      const digest = createHash('sha256').update(`${id}:50`, 'utf8').digest('hex');
      const inside = (BigInt(`0x${digest.slice(0, 14)}`) >> 3n) * 100n < 50n << 53n;
      const headers = { ...device(), 'X-Device-ID': Buffer.from(id, 'utf8').toString('latin1') };
      expect((await ask(headers, '?channel=development')).body.available).toBe(inside);
    }
  });

  it.each([
    ['no key', () => without('X-API-Key'), 401, 'MISSING_API_KEY'],
    ['an access token', () => ({ ...device(), 'X-API-Key': newCredential('svc_pat_') }), 401, 'INVALID_API_KEY_FORMAT'],
    ['a wrong checksum', () => ({ ...device(), 'X-API-Key': `${key.slice(0, -1)}x` }), 401, 'INVALID_API_KEY'],
    ['an unknown key', () => ({ ...device(), 'X-API-Key': newCredential('svc_app_') }), 401, 'INVALID_API_KEY'],
    ['no device id', () => without('X-Device-ID'), 400, 'MISSING_DEVICE_ID'],
    ['an empty device id', () => ({ ...device(), 'X-Device-ID': '' }), 400, 'MISSING_DEVICE_ID'],
  ])('rejects %s', async (_, headers, status, code) => {
    const answer = await ask(headers());
    expect(answer).toMatchObject({ status, body: { error: { code, message: expect.any(String) } } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['no current version', () => without('X-Current-Version'), '', ['X-Current-Version']],
    ['no version in it', () => ({ ...device(), 'X-Current-Version': 'latest' }), '', ['X-Current-Version']],
    ['no platform', () => without('X-Platform'), '', ['X-Platform']],
    ['an unknown platform', () => ({ ...device(), 'X-Platform': 'windows' }), '', ['X-Platform']],
    ['an unknown channel', device, '?channel=beta', ['channel']],
    ['two channels', device, '?channel=staging&channel=production', ['channel']],
    ['an empty channel', device, '?channel=', ['channel']],
    [
      'no version of the embedded bundle',
      () => ({ ...device(), 'X-Embedded-Version': 'new' }),
      '',
      ['X-Embedded-Version'],
    ],
    ['an endless device id', () => ({ ...device(), 'X-Device-ID': 'x'.repeat(256) }), '', ['X-Device-ID']],
    ['several faults', () => without('X-Platform'), '?channel=x', ['X-Platform', 'channel']],
  ])('rejects %s as a validation failure', async (_, headers, query, fields) => {
    const { status, body } = await ask(headers(), query);
    expect(status).toBe(422);
    expect(Object.keys(body)).toEqual(['message', 'errors']);
    expect(Object.keys(body.errors)).toEqual(fields);
    for (const messages of Object.values(body.errors)) expect(messages).toEqual([expect.any(String)]);
  });

  it('offers a build for certain native apps to these alone, and names the native version that others need', async () => {
    const query = '?channel=development';
    const rules = { nativeRange: '^2.1.0 || >=4.0.0', fingerprint: 'f00d', platform: 'ios' as const };
    const native = buildFacts(60, '2.0.0', { channel: 'development', ...rules });
    await stores.publish(native);
    const retry = () => stores.change(native, { type: 'BuildRetried', data: { buildId: 60, retries: 1 } });
    await retry();
    const fitting = { ...device(), 'X-App-Version': '2.2', 'X-Native-Fingerprint': 'f00d' };
    const current = { 'X-Current-Version': '1.9.0' };
    const { body } = await ask({ ...fitting, ...current }, query);
    const members = Object.entries(body).slice(9, 13);
    expect(members).toEqual([
      ['minNativeVersion', null],
      ['nativeRange', '>=2.1.0 <3.0.0-0||>=4.0.0'],
      ['fingerprint', 'f00d'],
      ['platform', 'ios'],
    ]);
    const nothing = '{"available":false,"message":"No updates available"';
    const text = async (headers: object) => (await ask({ ...fitting, ...current, ...headers }, query)).text;
    expect(await text({ 'X-Native-Fingerprint': 'beef' })).toBe(`${nothing}}`);
    expect(await text({ 'X-Platform': 'web' })).toBe(`${nothing}}`);
    expect(await text({ 'X-Embedded-Version': '2.0' })).toBe(`${nothing}}`);
    expect((await ask({ ...fitting, 'X-Embedded-Version': '' }, query)).body.available).toBe(true);
    for (const [version, minimum] of Object.entries({ '1.0': '2.1.0', '3.9': '4.0.0' })) {
      expect(await text({ 'X-App-Version': version })).toBe(
        `${nothing},"nativeUpdateRequired":{"minimum":"${minimum}"}}`,
      );
    }
    const older = buildFacts(61, '1.9.5', { channel: 'development' });
    await stores.publish(older);
    await retry();
    expect(JSON.parse(await text({ 'X-App-Version': '1.0' }))).toMatchObject({
      ...{ available: true, version: '1.9.5', nativeUpdateRequired: { minimum: '2.1.0' } },
    });
    await stores.change(native, { type: 'RolloutChanged', data: { buildId: 60, rolloutPercentage: 0, enabled: true } });
    expect(await text({ 'X-App-Version': '1.0' })).not.toContain('nativeUpdateRequired');
  });

  it('rejects in the order of the specification', async () => {
    expect((await ask({}, '?channel=x')).body.error.code).toBe('MISSING_API_KEY');
    expect((await ask({ 'X-API-Key': key }, '?channel=x')).body.error.code).toBe('MISSING_DEVICE_ID');
  });

  it('offers a paused build no longer, from the moment at which the change was applied', async () => {
    await stores.change(build, { type: 'BuildPaused', data: { buildId: 1 } });
    expect((await ask(device())).body.available).toBe(false);
    await stores.change(build, { type: 'BuildResumed', data: { buildId: 1 } });
    expect((await ask(device())).body.available).toBe(true);
  });

  it('answers a changed build with what it changed to', async () => {
    await stores.change(build, { type: 'BuildEdited', data: { buildId: 1, mandatory: true } });
    expect((await ask(device())).body.mandatory).toBe(true);
    await stores.change(build, { type: 'BuildEdited', data: { buildId: 1, mandatory: false } });
    expect((await ask(device())).body.mandatory).toBe(false);
  });

  it('does not serve a revoked key', async () => {
    const other = await stores.createKey(2, 1);
    await stores.change(build, { type: 'BuildEdited', data: { buildId: 1, mandatory: false } });
    expect((await ask({ ...device(), 'X-API-Key': other })).status).toBe(200);
    const { position } = await stores.append('apiKeys-1', { type: 'ApiKeyRevoked', data: { id: 2 } });
    await stores.members.applied('apiKeys-1', position);
    expect((await ask({ ...device(), 'X-API-Key': other })).body.error.code).toBe('INVALID_API_KEY');
  });
});

describe('the app API key', () => {
  let other: string;
  let refreshed = 3;

  const happened = async (event: ApiKeyEvent) => {
    const { position } = await stores.append('apiKeys-1', event);
    await stores.members.applied('apiKeys-1', position);
  };
  const restrict = (id: number, restrictions: Restrictions) =>
    happened({ type: 'ApiKeyRestricted', data: { id, restrictions } });
  const asked = (headers: Record<string, string> = {}) => ask({ ...device(), 'X-API-Key': other, ...headers });

  beforeEach(async () => {
    refreshed += 1;
    other = await stores.createKey(refreshed, 1);
    await happened({ type: 'ApiKeyDeprecated', data: { id: refreshed } });
  });

  it('continues to work when it is deprecated, and stops when it is deleted', async () => {
    expect((await asked()).status).toBe(200);
    await happened({ type: 'ApiKeyDeleted', data: { id: refreshed } });
    expect((await asked()).body.error.code).toBe('INVALID_API_KEY');
  });

  it('that was rotated away is known no more; its successor is, with the same restrictions', async () => {
    await restrict(refreshed, { ios: [{ bundle_id: 'com.example' }] });
    const next = newCredential('svc_app_');
    const secret = { preview: '', hash: credentialHash(next), sealId: null, formerSealId: null };
    await happened({ type: 'ApiKeyRotated', data: { id: refreshed, ...secret } });
    expect((await asked()).body.error.code).toBe('INVALID_API_KEY');
    expect((await asked({ 'X-API-Key': next })).body.error.code).toBe('API_KEY_RESTRICTED');
    expect((await asked({ 'X-API-Key': next, 'X-Ios-Bundle-Id': 'com.example' })).status).toBe(200);
  });

  it('that is restricted rejects before any other check, and returns only what the caller sent', async () => {
    await restrict(refreshed, { origins: ['https://secret.example.com'], android: [{ package_name: 'com.secret' }] });
    const { status, headers, text, body } = await ask(
      { 'X-API-Key': other, Origin: 'https://evil.example', 'X-Ios-Team-Id': 'T'.repeat(300) },
      '?channel=x',
    );
    expect(status).toBe(403);
    expect(headers.get('access-control-allow-origin')).toBe('https://evil.example');
    expect(body.error).toEqual({
      code: 'API_KEY_RESTRICTED',
      message: expect.any(String),
      details: { reason: 'origin_not_allowed', origin: 'https://evil.example', ios_team_id: 'T'.repeat(255) },
    });
    expect(text).not.toContain('secret');
    const admitted = await ask({ 'X-API-Key': other, Origin: 'https://secret.example.com' }, '?channel=x');
    expect(admitted.body.error.code).toBe('MISSING_DEVICE_ID');
  });

  it('whose restrictions are cleared is for everybody again', async () => {
    await restrict(refreshed, { origins: ['https://app.example.com'] });
    expect((await asked()).status).toBe(403);
    await restrict(refreshed, {});
    expect((await asked()).status).toBe(200);
  });
});

describe('web callers', () => {
  const origin = { Origin: 'https://app.example.com' };

  it('may read every answer', async () => {
    for (const { headers } of [await ask({ ...device(), ...origin }), await ask(origin)]) {
      expect(headers.get('access-control-allow-origin')).toBe('https://app.example.com');
      expect(headers.get('vary')).toBe('Origin');
      expect(headers.get('access-control-expose-headers')).toContain('X-Bundle-Checksum');
    }
    const { headers } = await ask(device());
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('vary')).toBe('Origin');
  });

  it('learn from a preflight that they may send X-* headers', async () => {
    const response = await fetch(`${plane.address}/api/v1/updates/check`, {
      method: 'OPTIONS',
      headers: {
        ...origin,
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'x-api-key,x-device-id,authorization,range',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(response.headers.get('access-control-allow-headers')).toBe('x-api-key, x-device-id, range');
    expect(response.headers.get('access-control-allow-methods')).toContain('GET');
    expect(response.headers.get('access-control-max-age')).toBe('86400');
    expect(response.headers.get('vary')).toContain('Origin');
  });
});

describe('elsewhere', () => {
  it.each([
    ['GET', '/api/v1/nothing'],
    ['POST', '/api/v1/updates/check'],
    ['DELETE', '/api/v1/bundles/1/download'],
  ])('%s %s finds nothing', async (method, path) => {
    const response = await fetch(plane.address + path, { method, headers: { Origin: 'https://app.example.com' } });
    expect(response.status).toBe(404);
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it('GET /api/health returns app, environment and time', async () => {
    const response = await fetch(`${plane.address}/api/health`);
    expect(await response.json()).toEqual({
      status: 'ok',
      app: 'sluice',
      env: 'test',
      time: new Date(stores.clock.time).toISOString(),
    });
  });
});
