import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sluice/testing';
import { standalone, type Deployment } from '../support/deployment';
import { connectRaw } from '@sluice/testing/hostile-client';
import { call, checkUpdate, management } from '../support/http';
import { zipOf } from '../support/zip';

const STORE = '/store/v1/listings-ads';
const TTL_SECONDS = 600;

describe('every answer', () => {
  let deployment: Deployment;
  let address: string;
  let ownerKey: string;
  let token: string;
  let appKey: string;

  const owner = () => ({ Authorization: `Bearer ${ownerKey}` });
  const device = () => ({ 'X-API-Key': appKey, 'X-Device-ID': 'd', 'X-Platform': 'ios' });

  beforeAll(async () => {
    deployment = await standalone.deploy({
      ENTITLEMENTS: 'listings_ads',
      MODULE_ENABLED_LISTINGS_ADS: 'true',
      PLUGIN_NAMESPACE: 'store',
      SLOW_REQUEST_MS: '1000',
      DOWNLOAD_URL_TTL_SECONDS: String(TTL_SECONDS),
      HSTS_SECONDS: '86400',
    });
    address = deployment.gateways[0]!;
    ownerKey = await deployment.ownerKey();
    const made = await call<{ data: { token: string } }>(`${address}/api/dashboard/v1/tokens`, {
      method: 'POST',
      headers: { ...owner(), 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'ci', all_apps: true }),
    });
    token = made.body.data.token;
    await management(address, token).post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    const key = await management(address, token).post('/apps/1/api-keys', { name: 'installs' });
    appKey = key.body.data['plaintext_key'] as string;
  }, 60_000);

  afterAll(() => deployment.destroy(), 30_000);

  describe('may be kept by no cache and read as nothing else', () => {
    it.each([
      ['a token', '/api/public/v1/token', () => ({ Authorization: `Bearer ${token}` }), 200],
      ['a list', '/api/dashboard/v1/apps', owner, 200],
      ['a refusal', '/api/public/v1/token', () => ({}), 401],
      ['a refusal of the store', `${STORE}/overview`, () => ({}), 401],
      ['the store', `${STORE}/overview`, owner, 200],
      ['an unknown address', '/nothing', () => ({}), 404],
      ['a malformed address', '/api/public/v1/apps/%zz', owner, 400],
      ['an update check', '/api/v1/updates/check', () => ({ ...device(), 'X-Current-Version': '1.0.0' }), 200],
      ['a refused device', '/api/v1/updates/check', () => ({}), 401],
      ['an update check in another spelling', '/api/v1/updates/check?a', () => ({}), 401],
      ['a download without a URL', '/api/v1/bundles/1/download', () => ({}), 404],
      ['the health of the plane', '/api/health', () => ({}), 200],
      ['the health of the process', '/health/live', () => ({}), 200],
      ['metrics', '/metrics', () => ({}), 200],
    ])('%s', async (_, path, headers, status) => {
      const answer = await fetch(address + path, { headers: headers() });
      expect([
        answer.status,
        answer.headers.get('cache-control'),
        answer.headers.get('x-content-type-options'),
      ]).toEqual([status, 'no-store', 'nosniff']);
      await answer.arrayBuffer();
    });

    it('but for the files of the console, which keep their own rule', async () => {
      const page = await (await fetch(`${address}/console`)).text();
      const [asset = ''] = /\/console\/assets\/[\w.-]+\.js/.exec(page) ?? [];
      const { headers } = await fetch(address + asset);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    });
  });

  it('of the gateway sends browsers to https where HSTS_SECONDS says so', async () => {
    for (const path of ['/console', '/api/public/v1/token']) {
      expect((await fetch(address + path)).headers.get('strict-transport-security')).toBe('max-age=86400');
    }
  });

  it('with a bundle may be kept by the device alone, and no longer than its URL is good', async () => {
    const zip = await zipOf({ 'index.html': 'x' });
    const { body } = await management(address, token).upload('/apps/1/builds', zip, {
      version: '1.1.0',
      channel: 'production',
    });
    const job = () => management(address, token).get(`/jobs/${body.data.job_id}`);
    await eventually(async () => (await job()).body.data['status'] === 'completed');
    let offer = await checkUpdate(address, appKey, 'd', '1.0.0');
    while (!offer.body.available) offer = await checkUpdate(address, appKey, 'd', '1.0.0');
    const url = offer.body.downloadUrl;
    const etag = `"${offer.body.checksum}"`;
    for (const [headers, status] of [
      [{}, 200],
      [{ Range: 'bytes=0-1' }, 206],
      [{ 'If-None-Match': etag }, 304],
    ] as const) {
      const answer = await fetch(url, { headers });
      await answer.arrayBuffer();
      const [, age = ''] = /^private, max-age=(\d+), immutable$/.exec(answer.headers.get('cache-control') ?? '') ?? [];
      expect([answer.status, Number(age) > 0 && Number(age) <= TTL_SECONDS]).toEqual([status, true]);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  describe("is in its plane's envelope", () => {
    const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
      const { port, hostname } = new URL(address);
      const sent = request({ port, host: hostname, method, path, headers, agent: false }).end();
      const [answer] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
      return [answer.statusCode, JSON.parse(await text(answer)) as unknown] as const;
    };
    const nothing = { error: { code: 'NOT_FOUND', message: 'There is nothing at this address.' } };

    it.each(
      [
        '/api/health',
        '/api/health/more',
        '/api/v1/updates/check',
        '/api/public/v1/token',
        '/nothing',
        '/health/live',
      ].flatMap((path) =>
        ['SEARCH', 'PROPFIND', 'MKCOL', 'LINK', 'QUERY', 'POST'].map((method) => [method, path] as const),
      ),
    )('%s %s', async (method, path) => {
      expect(await ask(method, path)).toEqual([404, nothing]);
    });

    it.each(['SEARCH', 'QUERY'])('%s below the store', async (method) => {
      expect(await ask(method, `${STORE}/overview`)).toEqual([
        404,
        { success: false, data: { code: 'not_found' }, message: nothing.error.message },
      ]);
    });

    it('to a request of the store whose headers are too large', async () => {
      expect(await ask('GET', `${STORE}/mappings?product_id=${'a'.repeat(17_000)}`)).toEqual([
        431,
        {
          success: false,
          data: { code: 'headers_too_large' },
          message: 'The headers of the request are too large.',
        },
      ]);
    });

    it('to a request of the store that comes too slowly', async () => {
      const client = await connectRaw(address);
      client.socket.write(
        `POST ${STORE}/feed/settings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ownerKey}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
      );
      const heard = await client.closed;
      expect(heard).toMatch(/^HTTP\/1\.1 408 /);
      expect(JSON.parse(heard.split('\r\n\r\n')[1]!)).toMatchObject({
        success: false,
        data: { code: 'request_timeout' },
      });
    });
  });

  it('answers HEAD of /api/health as of /health/live', async () => {
    for (const path of ['/api/health', '/health/live']) {
      const answer = await fetch(address + path, { method: 'HEAD' });
      expect([answer.status, await answer.text()]).toEqual([200, '']);
    }
  });

  it('takes a client that leaves within its body for no fault of the server', async () => {
    const errors = () =>
      deployment.processes.flatMap(({ log }) => log).filter((line) => /"level":"(error|fatal)"/.test(line));
    const refused = async () => {
      const metrics = await (await fetch(`${address}/metrics`)).text();
      const [, count = '0'] = /^sluice_device_refusals\{[^}]*code="INVALID_REQUEST"[^}]*\} (\d+)/m.exec(metrics) ?? [];
      return { metrics, count: Number(count) };
    };
    const before = (await refused()).count;
    const leave = async (path: string, headers: string, body: string) => {
      const client = await connectRaw(address);
      client.socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n${body}`);
      await delay(100);
      client.socket.destroy();
      await client.closed;
    };
    const identity = `X-API-Key: ${appKey}\r\nX-Device-ID: d\r\nX-Bundle-Version: 1.0.0\r\nX-Platform: ios\r\n`;
    await leave('/api/v1/analytics/mau', `${identity}Transfer-Encoding: chunked\r\n`, '5\r\nab');
    const json = 'Content-Type: application/json\r\nContent-Length: 99\r\n';
    await leave('/api/v1/analytics/install', `${identity}${json.replace('json', 'json; charset=UTF-8')}`, '{');
    await leave('/api/public/v1/apps', `Authorization: Bearer ${token}\r\n${json}`, '{');
    await leave(`${STORE}/sync/settings`, `Authorization: Bearer ${ownerKey}\r\n${json}`, '{');
    await leave('/api/dashboard/v1/session', json, '{');
    await eventually(async () => (await refused()).count >= before + 2);
    const { metrics } = await refused();
    expect(metrics).not.toMatch(/INTERNAL_ERROR|status="5(xx|\d\d)"[^}]*\} [1-9]/);
    expect(errors()).toEqual([]);
  });
});
