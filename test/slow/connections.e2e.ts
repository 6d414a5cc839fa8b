import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { eventually } from '@sluice/testing';
import { standalone, type Deployment } from '../support/deployment';
import { connectRaw } from '@sluice/testing/hostile-client';
import { call, checkUpdate, management, type UpdateAnswer } from '../support/http';
import { zipOf } from '../support/zip';

/** More than the buffers between file and device hold. */
const BUNDLE_BYTES = 8 * 1024 * 1024;
const MAX_STREAMS = 100;
const DEVICE = 'X-Device-ID: d\r\nX-Current-Version: 0.9.0\r\nX-Platform: ios\r\n';

describe('connections that end early', () => {
  const inProc = process.platform === 'linux' ? it : it.skip;
  let deployment: Deployment;
  let address: string;
  let token: string;
  let ownerKey: string;
  let key: string;
  /** Path and query of a signed download URL. */
  let download: string;
  let bundleId: string;

  const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
  const events = () => get('/api/dashboard/v1/events', `Authorization: Bearer ${ownerKey}\r\n`);
  const openStreams = async () =>
    /^sluice_event_streams (\d+)$/m.exec(await (await fetch(`${address}/metrics`)).text())![1];
  const openBundles = () => {
    const folder = `/proc/${deployment.processes[0]!.child.pid}/fd`;
    return readdirSync(folder).filter((fd) => {
      try {
        return readlinkSync(`${folder}/${fd}`).includes('/objects/');
      } catch {
        return false;
      }
    }).length;
  };

  beforeAll(async () => {
    deployment = await standalone.deploy();
    address = deployment.gateways[0]!;
    ownerKey = await deployment.ownerKey();
    const made = await call<{ data: { token: string } }>(`${address}/api/dashboard/v1/tokens`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ownerKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'ci', all_apps: true }),
    });
    token = made.body.data.token;
    const api = management(address, token);
    const app = (await api.post('/apps', { name: 'Shop' })).body.data['id'] as number;
    key = (await api.post(`/apps/${app}/api-keys`, { name: 'phones' })).body.data['plaintext_key'] as string;
    const bundle = await zipOf({ 'data.bin': randomBytes(BUNDLE_BYTES) });
    const target = { version: '1.0.0', channel: 'production' };
    await api.upload(`/apps/${app}/builds`, bundle, target);
    await eventually(async () => {
      const { body: offer } = await checkUpdate(address, key, 'device', '0.9.0');
      if (!offer.available) return false;
      download = offer.downloadUrl.slice(address.length);
      ({ bundleId } = offer as UpdateAnswer & { readonly bundleId: string });
      return true;
    });
  }, 60_000);

  afterAll(() => deployment.destroy(), 30_000);

  inProc(
    'leave no bundle open for downloads that waited behind another one',
    async () => {
      for (let round = 0; round < 10; round += 1) {
        const client = await connectRaw(address);
        client.socket.write(get(download).repeat(10));
        await once(client.socket, 'data');
        expect(openBundles()).toBeGreaterThan(0);
        client.socket.resetAndDestroy();
      }
      await eventually(() => openBundles() === 0);
      expect(deployment.processes[0]!.log.filter((line) => line.includes('garbage collection'))).toEqual([]);
    },
    60_000,
  );

  it('free the streams of events that waited behind a download', async () => {
    for (let round = 0; round <= MAX_STREAMS; round += 1) {
      const client = await connectRaw(address);
      client.socket.write(get(download) + events());
      await once(client.socket, 'data');
      client.socket.resetAndDestroy();
    }
    const client = await connectRaw(address);
    client.socket.write(events());
    await eventually(() => client.heard().includes('event: hello'));
    expect(client.heard()).toMatch(/^HTTP\/1\.1 200 /);
    client.socket.destroy();
    await eventually(async () => (await openStreams()) === '0');
  }, 60_000);

  it('end a stream of events as soon as its client ends its half of the connection', async () => {
    const client = await connectRaw(address);
    client.socket.write(events());
    await eventually(() => client.heard().includes('event: hello'));
    await eventually(async () => (await openStreams()) === '1');
    client.socket.end();
    await client.closed;
    await eventually(async () => (await openStreams()) === '0');
  });

  describe('get their answers when only their writing half has ended', () => {
    const report = () => {
      const body = JSON.stringify({ bundle_id: bundleId, status: 'complete' });
      const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      const device = `X-API-Key: ${key}\r\nX-Device-ID: d\r\n`;
      return `POST /api/v1/analytics/install HTTP/1.1\r\nHost: x\r\n${device}${headers}\r\n${body}`;
    };
    it.each([
      ['a download', () => get(download), BUNDLE_BYTES],
      ['the report of an install', report, 0],
      ['the overview', () => get('/api/dashboard/v1/overview', `Authorization: Bearer ${ownerKey}\r\n`), 0],
      ['a list of apps', () => get('/api/public/v1/apps', `Authorization: Bearer ${token}\r\n`), 0],
      ['an update check', () => get('/api/v1/updates/check', `X-API-Key: ${key}\r\n${DEVICE}`), 0],
    ])('from %s', async (_, request, bytes) => {
      const client = await connectRaw(address);
      client.socket.end(request(), 'latin1');
      const heard = await client.closed;
      expect(heard).toMatch(/^HTTP\/1\.1 200 /);
      expect(heard.length - heard.indexOf('\r\n\r\n')).toBeGreaterThan(bytes);
    });

    it('also to several requests, in their order', async () => {
      const client = await connectRaw(address);
      client.socket.end(get(download, 'Range: bytes=0-9\r\n') + report() + get('/health/live'), 'latin1');
      expect(await client.closed).toMatch(/^HTTP\/1\.1 206 [^]*HTTP\/1\.1 200 [^]*HTTP\/1\.1 200 [^]*"ok"}$/);
    });
  });
});
