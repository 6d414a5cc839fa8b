import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { newCredential, type BuildFacts } from '@sluice/contracts';
import { DocumentStoreUnavailableError, type DocumentStore } from '@sluice/document-store';
import { eventually } from '@sluice/testing';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  type DevicePlane,
  type DeviceStores,
} from '../../../test/support/device-plane';
import { deviceReports } from './device-reports';
import { ReportCounts } from './report-counts';
import { reportErrors } from './report-errors';

let stores: DeviceStores;
let plane: DevicePlane;
let key: string;
let build: BuildFacts;
let elsewhere: BuildFacts;

/** The state store as the routes see it: away, or holding writes back, when a test wants it so. */
let away = false;
let held: Promise<void> | undefined;
let writes = 0;

beforeAll(async () => {
  stores = await openDeviceStores();
  await stores.registerApp(1);
  await stores.registerApp(2);
  key = await stores.createKey(1, 1);
  build = buildFacts(7, '1.4.0');
  elsewhere = buildFacts(8, '1.4.0', { appId: 2 });
  await stores.publish(build);
  await stores.publish(elsewhere);
  const state: DocumentStore = {
    ...stores.documents,
    rows: (collection) => {
      const rows = stores.documents.rows(collection);
      return {
        ...rows,
        putMany: async (given, guard) => {
          writes += 1;
          await held;
          if (away) throw new DocumentStoreUnavailableError('It is unavailable.');
          return rows.putMany(given, guard);
        },
      };
    },
  };
  plane = await startDevicePlane(stores, { state, maxWaiting: 50 });
  await plane.index.open();
});
beforeEach(async () => {
  await stores.documents.rows(deviceReports).deleteWhere({});
  writes = 0;
});
afterAll(async () => {
  await plane.close();
  await stores.close();
});

type Kind = 'mau' | 'download' | 'install';
interface Body {
  readonly success?: boolean;
  readonly recorded_at?: string;
  readonly error: { readonly code: string };
  readonly errors: Record<string, string[]>;
}

const device = (id = 'device-1') => ({
  'X-API-Key': key,
  'X-Device-ID': id,
  'X-Bundle-Version': 'v1.4',
  'X-Platform': 'ios',
});
const without = (name: string) => Object.fromEntries(Object.entries(device()).filter(([header]) => header !== name));

async function report(kind: Kind, body?: unknown, headers: Record<string, string> = device()) {
  const text = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body);
  const response = await fetch(`${plane.address}/api/v1/analytics/${kind}`, {
    method: 'POST',
    headers: { ...(text !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(text !== undefined && { body: text }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
}

const stored = () => stores.documents.rows(deviceReports).find();
const complete = () => ({ bundle_id: build.bundleId, status: 'complete' });

describe('reports', () => {
  it('are stored when they are answered', async () => {
    const active = await report('mau');
    expect(active).toMatchObject({ status: 200, body: { success: true, recorded_at: '2026-03-01T12:00:00.000Z' } });
    expect(active.headers.get('cache-control')).toBe('no-store');
    expect(await report('download', complete())).toMatchObject({ status: 200, body: { success: true } });
    const failed = {
      bundle_id: build.bundleId.toUpperCase(),
      status: 'failed',
      error: 'disk',
      previous_version: '1.3.0',
    };
    expect((await report('install', failed)).body).toEqual({ success: true });
    expect(await stored()).toMatchObject([
      { appId: 1, metric: 'version/1.4.0 ios', day: '2026-03-01' },
      { appId: 1, metric: 'build/7/downloads', day: '2026-03-01' },
      { appId: 1, metric: 'build/7/install_failures', errorId: expect.any(String), previousVersion: '1.3.0' },
    ]);
    expect(await stores.documents.rows(reportErrors).find()).toMatchObject([{ day: '2026-03-01', text: 'disk' }]);
  });

  it('hold nothing of the device but a keyed hash, another one in each app', async () => {
    await report('download', complete(), device('phone-4711'));
    const other = await stores.createKey(2, 2);
    await stores.members.applied('apiKeys-2', await stores.events.head());
    const there = { bundle_id: elsewhere.bundleId, status: 'complete' };
    expect((await report('download', there, { ...device('phone-4711'), 'X-API-Key': other })).status).toBe(200);
    const rows = await stored();
    expect(JSON.stringify(rows)).not.toContain('phone-4711');
    expect(new Set(rows.map((row) => row.device)).size).toBe(2);
  });

  it('count once for a device, a build, a kind and a status; an active device once a day', async () => {
    for (let n = 0; n < 3; n += 1) {
      expect((await report('download', complete())).status).toBe(200);
      expect((await report('download', { ...complete(), status: 'failed' })).status).toBe(200);
      expect((await report('install', complete())).status).toBe(200);
      expect((await report('mau')).status).toBe(200);
    }
    await report('mau', undefined, { ...device(), 'X-Bundle-Version': '1.4.1' });
    await report('mau', undefined, device('device-2'));
    stores.clock.time += 86_400_000;
    await report('mau');
    await report('install', complete());
    stores.clock.time -= 86_400_000;
    expect((await stored()).map(({ metric, day }) => `${metric} ${day}`).sort()).toEqual([
      'build/7/download_failures 2026-03-01',
      'build/7/downloads 2026-03-01',
      'build/7/installs 2026-03-01',
      'version/1.4.0 ios 2026-03-01',
      'version/1.4.0 ios 2026-03-02',
      'version/1.4.1 ios 2026-03-01',
    ]);
  });

  it('hold the native version of an active device, unless it is none or longer than 64 characters', async () => {
    for (const native of ['3.2', 'new', `1.0.0-${'x'.repeat(59)}`, `1.0.0-${'x'.repeat(58)}`]) {
      const headers = { ...device(`phone with ${native}`), 'X-App-Version': native, 'X-Platform': 'android' };
      expect((await report('mau', undefined, headers)).status).toBe(200);
    }
    expect((await stored()).map(({ metric }) => metric).sort()).toEqual([
      'version/1.4.0 android',
      'version/1.4.0 android',
      `version/1.4.0 android 1.0.0-${'x'.repeat(58)}`,
      'version/1.4.0 android 3.2.0',
    ]);
  });

  it('of many requests are written together', async () => {
    let letGo = (): void => undefined;
    held = new Promise((resolve) => (letGo = resolve));
    let arrived = 0;
    const arrives = () => void (arrived += 1);
    subscribe('http.server.request.start', arrives);
    const answers = Array.from({ length: 30 }, (_, n) => report('install', complete(), device(`d${n}`)));
    await eventually(() => writes !== 0 && arrived === 30);
    unsubscribe('http.server.request.start', arrives);
    // Their bodies are read.
    await new Promise((resolve) => setTimeout(resolve, 200));
    letGo();
    held = undefined;
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(30).fill(200));
    expect(await stored()).toHaveLength(30);
    expect(writes).toBeLessThan(10);
  });

  it('are rejected while the store is unavailable, and when too many wait', async () => {
    away = true;
    const refused = await report('mau');
    away = false;
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE' } } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await stored()).toEqual([]);

    let letGo = (): void => undefined;
    held = new Promise((resolve) => (letGo = resolve));
    const answers = Array.from({ length: 120 }, (_, n) => report('install', complete(), device(`d${n}`)));
    // The first refusals tell that the queue is full.
    expect(await Promise.race(answers)).toMatchObject({
      status: 503,
      body: { error: { code: 'SERVICE_UNAVAILABLE' } },
    });
    letGo();
    held = undefined;
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(await stored()).toHaveLength(statuses.filter((status) => status === 200).length);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect((await report('mau')).status).toBe(200);
  });
});

describe('refusals of reports', () => {
  const longError = { bundle_id: '7', status: 'complete', error: 'x'.repeat(501) };

  it.each([
    ['no key', 'mau', () => without('X-API-Key'), undefined, 401, 'MISSING_API_KEY'],
    ['no key before a body that is no JSON', 'install', () => without('X-API-Key'), '{', 401, 'MISSING_API_KEY'],
    [
      'an access token',
      'mau',
      () => ({ 'X-API-Key': newCredential('svc_pat_') }),
      undefined,
      401,
      'INVALID_API_KEY_FORMAT',
    ],
    [
      'an unknown key',
      'install',
      () => ({ 'X-API-Key': newCredential('svc_app_') }),
      longError,
      401,
      'INVALID_API_KEY',
    ],
    ['no device', 'download', () => without('X-Device-ID'), longError, 400, 'MISSING_DEVICE_ID'],
    ['a body that is no JSON', 'download', () => device(), '{"bundle_id":', 400, 'INVALID_JSON'],
    [
      'a body that is too long',
      'install',
      () => device(),
      { ...longError, error: 'x'.repeat(20_000) },
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['a form', 'install', () => ({ ...device(), 'Content-Type': 'text/plain' }), 'a=b', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'an unknown build',
      'install',
      () => device(),
      { bundle_id: '3f3b4d76-6a5c-4b8e-9a53-1b2f3d4c5e6f', status: 'complete' },
      404,
      'BUILD_NOT_FOUND',
    ],
  ] as const)('%s', async (_name, kind, headers, body, status, code) => {
    const answer = await report(kind, body, headers());
    expect(answer).toMatchObject({ status, body: { error: { code } } });
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['no version', 'mau', () => without('X-Bundle-Version'), undefined, ['X-Bundle-Version']],
    ['no version in it', 'mau', () => ({ ...device(), 'X-Bundle-Version': 'new' }), undefined, ['X-Bundle-Version']],
    ['no platform', 'mau', () => without('X-Platform'), undefined, ['X-Platform']],
    [
      'an unknown platform, before the body',
      'download',
      () => ({ ...device(), 'X-Platform': 'tv' }),
      '{',
      ['X-Platform'],
    ],
    ['an endless device id', 'install', () => device('x'.repeat(256)), '{', ['X-Device-ID']],
    ['no body', 'download', () => device(), undefined, ['bundle_id', 'status']],
    ['a body that is no object', 'download', () => device(), '[]', ['body']],
    ['no UUID', 'download', () => device(), { bundle_id: '7', status: 'complete' }, ['bundle_id']],
    [
      'a rollback of a download',
      'download',
      () => device(),
      { bundle_id: '7', status: 'rollback' },
      ['bundle_id', 'status'],
    ],
    ['a long error', 'install', () => device(), longError, ['bundle_id', 'error']],
    [
      'a long version',
      'install',
      () => device(),
      { previous_version: '1'.repeat(51) },
      ['bundle_id', 'status', 'previous_version'],
    ],
  ] as const)('%s', async (_name, kind, headers, body, fields) => {
    const { status, body: answer } = await report(kind, body, headers());
    expect({ status, fields: Object.keys(answer.errors) }).toEqual({ status: 422, fields });
    expect(await stored()).toEqual([]);
  });

  it('leave a build of another app unknown', async () => {
    const answer = await report('install', { bundle_id: elsewhere.bundleId, status: 'complete' });
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'BUILD_NOT_FOUND' } } });
  });

  it('do not come of what need not be sent', async () => {
    const nulls = { ...complete(), error: null, previous_version: null, more: 1 };
    expect((await report('install', nulls, without('X-Platform'))).status).toBe(200);
    expect((await report('mau', '', { ...device(), 'Content-Type': 'application/json' })).status).toBe(200);
    expect((await report('mau', {})).status).toBe(200);
    const form = { ...device(), 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await report('mau', '', form)).status).toBe(200);
  });
});

describe('a text that can not be stored', () => {
  it.each(['application/json', 'application/json; charset=UTF-8'])(
    'costs no report: its error is stored with U+FFFD instead (%s)',
    async (type) => {
      const failed = { ...complete(), status: 'failed', previous_version: 'v\0', note: '\ud800' };
      const body = { ...failed, error: 'disk \ud800 full\0' };
      expect(await report('install', body, { ...device(), 'Content-Type': type })).toMatchObject({ status: 200 });
      expect(await stored()).toMatchObject([{ previousVersion: 'v\ufffd' }]);
      const metric = 'build/7/install_failures';
      const counts = new ReportCounts({ state: stores.documents, clock: stores.clock });
      const counted = await counts.errors(1, [metric], ['2026-03-01']);
      expect(counted).toMatchObject([{ metric, error: 'disk \ufffd full\ufffd', count: 1 }]);
    },
  );

  it.each([
    ['of known length', (bytes: Buffer) => bytes],
    ['in chunks', (bytes: Buffer) => new Blob([Uint8Array.from(bytes)]).stream()],
  ])('is rejected with its reason where it is not UTF-8, in a body %s', async (_, sent) => {
    const failed = { ...complete(), status: 'failed', error: 'caf\xe9' };
    const response = await fetch(`${plane.address}/api/v1/analytics/install`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...device() },
      body: sent(Buffer.from(JSON.stringify(failed), 'latin1')),
      duplex: 'half',
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: { code: 'INVALID_JSON', message: expect.stringContaining('The body is not valid UTF-8.') } },
    ]);
  });

  it('is no longer than before: an error of 500 characters is taken, of 501 refused', async () => {
    const failed = (length: number) => ({ ...complete(), status: 'failed', error: '\ud800'.repeat(length) });
    expect((await report('download', failed(501))).body.errors).toHaveProperty('error');
    expect((await report('download', failed(500))).status).toBe(200);
  });
});
