import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readSettings } from '@sluice/config';
import { openEngines, type Engines } from '@sluice/engines';
import { startService, type RunningService } from '@sluice/service-host';
import { answerStarting } from '@sluice/service-host/answer-starting';
import { createLogger } from '@sluice/telemetry';
import { temporaryDirectory } from '@sluice/testing';
import { deviceUpdatesSettings } from '../config/device-updates.settings';
import { deviceUpdates } from '../device-updates.service';

jest.setTimeout(30_000);

const LIMIT = 50;
const ORIGIN = 'https://app.example.com';

let dataDir: string;
let engines: Engines;
let service: RunningService;
let handle: RequestListener;
let address: string;
const server = createServer((request, response) => handle(request, response));

beforeAll(async () => {
  dataDir = temporaryDirectory();
  const settings = { DATA_DIR: dataDir, LIMIT_ADDRESS_PER_MINUTE: String(LIMIT), TRUSTED_PROXIES: '127.0.0.1' };
  engines = await openEngines(readSettings(settings, deviceUpdatesSettings), 'test');
  handle = answerStarting(deviceUpdates.plane ?? {}, engines.settings);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await service.stop();
  await engines.close();
});

async function ask(path: string, from: string, method = 'GET') {
  const headers = { Origin: ORIGIN, 'X-Forwarded-For': from };
  const {
    status,
    headers: told,
    body,
  } = await fetch(`${address}${path}`, { method, headers }).then(async (answer) => ({
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: (await answer.json()) as { error: { code: string } },
  }));
  return { status, headers: told, code: body.error.code };
}

const readable = {
  'access-control-allow-origin': ORIGIN,
  'access-control-expose-headers': expect.stringContaining('Retry-After') as string,
  'cache-control': 'no-store',
  vary: 'Origin',
  'content-type': 'application/json; charset=utf-8',
};

it('may be read by any page while the plane starts', async () => {
  expect(await ask('/api/v1/updates/check', '192.0.2.1')).toMatchObject({
    status: 503,
    code: 'SERVICE_UNAVAILABLE',
    headers: { ...readable, 'retry-after': '1' },
  });
  const health = await ask('/api/health', '192.0.2.1');
  expect(health).toMatchObject({ status: 503, headers: { 'cache-control': 'no-store' } });
  expect(health.headers).not.toHaveProperty('access-control-allow-origin');
});

describe('once it has started', () => {
  beforeAll(async () => {
    for (let n = 0; n < LIMIT - 1; n += 1) expect((await ask('/api/v1/%zz', '192.0.2.2')).status).toBe(503);
    service = await startService(deviceUpdates, engines, () => address, createLogger('silent'));
    handle = service.handle ?? handle;
  });

  it.each([
    ['a malformed address', '/api/v1/%zz', 400, 'INVALID_REQUEST'],
    ['a malformed part of an address', '/api/v1/bundles/%e0%a4/download', 400, 'INVALID_REQUEST'],
    ['a part that is longer than any name', `/api/v1/bundles/${'1'.repeat(300)}/download`, 404, 'NOT_FOUND'],
    ['an address of nothing', '/api/v1/nothing', 404, 'NOT_FOUND'],
  ])('%s is answered as every address of the plane', async (_, path, status, code) => {
    expect(await ask(path, '192.0.2.3')).toMatchObject({ status, code, headers: readable });
    expect(await ask(path, '192.0.2.3', 'POST')).toMatchObject({ status, code, headers: readable });
  });

  it('every request counted against its address, also before and whatever the address', async () => {
    expect((await ask('/api/v1/%zz', '192.0.2.2')).status).toBe(400);
    expect(await ask('/api/v1/%zz', '192.0.2.2')).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
      headers: { ...readable, 'retry-after': expect.stringMatching(/^\d+$/) as string },
    });
    expect((await ask('/api/v1/updates/check', '192.0.2.2')).status).toBe(429);
  });
});
