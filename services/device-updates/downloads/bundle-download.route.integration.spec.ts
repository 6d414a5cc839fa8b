import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { BuildFacts } from '@sluice/contracts';
import { ObjectStoreUnavailableError, type ObjectStore } from '@sluice/object-store';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  withBundle,
  type DevicePlane,
  type DeviceStores,
} from '../../../test/support/device-plane';
import type { UpdateAnswer } from '../../../test/support/http';

const bytes = randomBytes(300_000);
const checksum = createHash('sha256').update(bytes).digest('hex');

let stores: DeviceStores;
let plane: DevicePlane;
let key: string;
let build: BuildFacts;
/** What the next download gets instead of the bundle. */
let openObject: ObjectStore['get'] | undefined;

beforeAll(async () => {
  stores = await openDeviceStores();
  await stores.registerApp(1, 'ios');
  key = await stores.createKey(1, 1);
  build = await withBundle(stores.objects, buildFacts(1, '1.4.0'), bytes);
  await stores.publish(build);
  const objects = Object.create(stores.objects, {
    get: {
      value: (...given: Parameters<ObjectStore['get']>) =>
        (openObject ?? stores.objects.get.bind(stores.objects))(...given),
    },
  }) as ObjectStore;
  plane = await startDevicePlane(stores, { objects });
  await plane.index.open();
});

afterAll(async () => {
  await plane.close();
  await stores.close();
});

afterEach(() => {
  openObject = undefined;
});

describe('the bundle download', () => {
  let url: string;
  const etag = `"${checksum}"`;

  beforeEach(async () => {
    const headers = { 'X-API-Key': key, 'X-Device-ID': 'd', 'X-Current-Version': '1.0.0', 'X-Platform': 'ios' };
    const response = await fetch(`${plane.address}/api/v1/updates/check`, { headers });
    url = ((await response.json()) as { downloadUrl: string }).downloadUrl;
  });

  const download = (headers: Record<string, string> = {}, method = 'GET') => fetch(url, { headers, method });

  it('gives the bytes and says what they are', async () => {
    const response = await download();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      etag,
      'x-bundle-checksum': checksum,
      'content-disposition': 'attachment; filename="bundle-1.4.0.zip"',
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('returns the same headers to HEAD, without bytes and whatever the range', async () => {
    const response = await download({ Range: 'bytes=0-9' }, 'HEAD');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(response.headers.get('etag')).toBe(etag);
    expect((await response.arrayBuffer()).byteLength).toBe(0);
  });

  it('resumes', async () => {
    const response = await download({ Range: 'bytes=200000-' });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes 200000-299999/300000`);
    expect(response.headers.get('content-length')).toBe('100000');
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(200_000))).toBe(true);
  });

  it('resumes behind If-Range only when the client knows this very bundle', async () => {
    expect((await download({ Range: 'bytes=0-9', 'If-Range': etag })).status).toBe(206);
    expect((await download({ Range: 'bytes=0-9', 'If-Range': '"other"' })).status).toBe(200);
    expect((await download({ Range: 'bytes=0-9', 'If-Range': `W/${etag}` })).status).toBe(200);
  });

  it('rejects a range beyond the end', async () => {
    const response = await download({ Range: 'bytes=300000-' });
    expect(response.status).toBe(416);
    expect(response.headers.get('content-range')).toBe('bytes */300000');
    expect(await response.json()).toMatchObject({ error: { code: 'RANGE_NOT_SATISFIABLE' } });
  });

  it('sends nothing to who has it', async () => {
    for (const known of [etag, `W/${etag}`, `"a", ${etag}`, '*']) {
      const response = await download({ 'If-None-Match': known, Range: 'bytes=0-1' });
      expect(response.status).toBe(304);
      expect(response.headers.get('etag')).toBe(etag);
    }
    expect((await download({ 'If-None-Match': '"other"' })).status).toBe(200);
  });

  it.each([
    ['another signature', (given: string) => given.replace(/signature=.{4}/, 'signature=AAAA')],
    ['another expiry', (given: string) => given.replace(/expires=(\d+)/, 'expires=9999999999999')],
    ['no query', (given: string) => given.replace(/\?.*/, '')],
    ['two signatures', (given: string) => `${given}&signature=x`],
    ['a version of the key that there is not', (given: string) => `${given}&kid=2`],
    ['two versions of the key', (given: string) => `${given}&kid=1&kid=1`],
  ])('rejects %s', async (_, alter) => {
    const response = await fetch(alter(url));
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { code: 'DOWNLOAD_URL_INVALID' } });
  });

  it('rejects an expired URL and keeps one of a paused build', async () => {
    await stores.change(build, { type: 'BuildPaused', data: { buildId: 1 } });
    stores.clock.time += 29 * 60_000;
    expect((await download({}, 'HEAD')).status).toBe(200);
    stores.clock.time += 60_000;
    expect((await download({}, 'HEAD')).status).toBe(403);
    await stores.change(build, { type: 'BuildResumed', data: { buildId: 1 } });
  });

  it('rejects the URLs of a recalled build, and of the build that republishes it, until the recall ends', async () => {
    const { appId, channel } = build;
    const recalled = (buildId: number, version: string, target: number | 'none') =>
      stores.change(build, {
        type: 'BuildRecalled',
        data: { buildId, appId, channel, version, checksum, reason: 'White screen.', target },
      });
    await recalled(9, '1.4.9', 1);
    const republished = { ...build, ...buildFacts(2, '1.5.0'), checksum, objectKey: build.objectKey, size: build.size };
    const data = { ...republished, mandatory: true, recallOf: 9, republishedFromId: 1 };
    await stores.change(build, { type: 'BuildRepublished', data });
    const headers = { 'X-API-Key': key, 'X-Device-ID': 'd', 'X-Current-Version': '1.4.9', 'X-Platform': 'ios' };
    const offer = (await (await fetch(`${plane.address}/api/v1/updates/check`, { headers })).json()) as UpdateAnswer;
    expect(offer).toMatchObject({ available: true, version: '1.5.0' });
    const statuses = async () =>
      Promise.all([url, offer.downloadUrl].map(async (each) => (await fetch(each, { method: 'HEAD' })).status));
    expect(await statuses()).toEqual([200, 200]);

    await recalled(1, '1.4.0', 'none');
    expect(await statuses()).toEqual([403, 403]);
    expect(await (await download()).json()).toMatchObject({
      error: { code: 'DOWNLOAD_URL_INVALID', message: 'This build was recalled. Check for updates again.' },
    });
    await stores.change(build, { type: 'BuildUnrecalled', data: { buildId: 1 } });
    expect(await statuses()).toEqual([200, 200]);
    await stores.change(build, { type: 'BuildResumed', data: { buildId: 1 } });
  });

  it.each(['99', '0', 'x', '1e3', '99999999999999999999'])('knows no build %s', async (id) => {
    const response = await fetch(url.replace('/bundles/1/', `/bundles/${id}/`));
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'BUILD_NOT_FOUND' } });
  });

  it('returns 404 when the bytes are gone, 503 when their store is unavailable', async () => {
    openObject = () => stores.objects.get('bundles/none.zip');
    const gone = await download();
    expect([gone.status, gone.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    openObject = () => Promise.reject(new ObjectStoreUnavailableError('away'));
    const away = await download();
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '1']);
  });

  it('returns only an error id for a fault, and logs the rest', async () => {
    openObject = () => Promise.reject(new Error('secret path'));
    const response = await download();
    const text = await response.text();
    const { error } = JSON.parse(text) as { error: { code: string; details: { error_id: string } } };
    expect(response.status).toBe(500);
    expect(error.code).toBe('INTERNAL_ERROR');
    expect(text).not.toContain('secret path');
    expect(plane.logger.messages.at(-1)).toContain(error.details.error_id);
    expect(plane.logger.messages.at(-1)).not.toContain('signature');
  });

  it('lets go of the bytes when the device goes away', async () => {
    const endless = new Readable({ read: () => void endless.push(Buffer.alloc(65_536)) });
    const destroyed = once(endless, 'close');
    openObject = () => Promise.resolve(endless);
    const outgoing = httpRequest(url).end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    await once(incoming, 'data');
    outgoing.destroy();
    await destroyed;
    expect(endless.destroyed).toBe(true);
  });

  it('lets go of bytes that come after the device has gone', async () => {
    const late = new Readable({ read: () => void late.push(Buffer.alloc(65_536)) });
    const destroyed = once(late, 'close');
    let give: (stream: Readable) => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      openObject = () => {
        resolve();
        return new Promise((settle) => (give = settle));
      };
    });
    const outgoing = httpRequest(url).on('error', () => undefined);
    const gone = new Promise((resolve) => outgoing.on('close', resolve));
    outgoing.end();
    await asked;
    outgoing.destroy();
    await gone;
    give(late);
    await destroyed;
    expect(late.destroyed).toBe(true);
  });

  it('breaks off when the bytes do', async () => {
    openObject = () =>
      Promise.resolve(
        Readable.from(
          (function* () {
            yield bytes.subarray(0, 1000);
            throw new Error('disk');
          })(),
        ),
      );
    await expect(download().then((response) => response.arrayBuffer())).rejects.toThrow();
  });
});
