import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import {
  API_VERSION,
  createDashboardClient,
  createManagementClient,
  SluiceError,
  type DashboardClient,
  type ManagementClient,
  type Progress,
} from '@sluice/client';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { standalone, type Deployment } from '../support/deployment';
import { call } from '../support/http';
import { zipOf } from '../support/zip';

let deployment: Deployment;
let proxy: Server;
/** Of the server, through a proxy that loses the response of each request that is in `lost`. */
let address: string;
let owner: DashboardClient;
let client: ManagementClient;
const lost = new Set<string>();
const forwarded: string[] = [];

beforeAll(async () => {
  deployment = await standalone.deploy();
  const { port } = new URL(deployment.gateways[0]!);
  proxy = createServer((request, response) => {
    const line = `${request.method!} ${request.url!}`;
    forwarded.push(line);
    const { method, url: path, headers } = request;
    const upstream = forward({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      if (lost.delete(line)) {
        // The server has done what the request asks for.
        answer.resume().once('end', () => response.destroy());
        return;
      }
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(upstream);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  owner = createDashboardClient({ server: address, ownerKey: await deployment.ownerKey() });
  const { data } = await owner.post('/tokens', { body: { name: 'client', permissions: ['manage'], all_apps: true } });
  client = createManagementClient({ server: address, token: data.token });
}, 60_000);

afterAll(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await deployment.destroy();
});

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
const timesForwarded = (line: string) => forwarded.filter((each) => each === line).length;

it('speaks the API version of the server', async () => {
  for (const plane of ['management', 'dashboard']) {
    const { body } = await call<{ info: { version: string } }>(`${deployment.gateways[0]!}/openapi/${plane}.json`);
    expect(body.info.version).toBe(API_VERSION);
  }
});

it('repeats a change whose response is lost, which acts once', async () => {
  const create = 'POST /api/public/v1/apps';
  lost.add(create);
  const { data: app } = await client.post('/apps', { body: { name: 'Lost once' } });
  expect(timesForwarded(create)).toBe(2);
  const ids: number[] = [];
  for await (const { id, name } of client.items('/apps')) if (name === 'Lost once') ids.push(id);
  expect(ids).toEqual([app.id]);
});

it('repeats an upload whose response is lost, with its progress, which makes one build', async () => {
  const { data: app } = await client.post('/apps', { body: { name: 'Shop' } });
  const path = { app: app.app_id };
  const bundle = join(temporaryDirectory(), 'bundle.zip');
  await writeFile(bundle, await zipOf({ 'index.html': 'Shop', 'image.bin': randomBytes(3_000_000) }));
  const { size } = await stat(bundle);

  const upload = `POST /api/public/v1/apps/${app.app_id}/builds`;
  lost.add(upload);
  const progress: Progress[] = [];
  const { data } = await client.upload('/apps/{app}/builds', {
    path,
    fields: { version: '1.0.0', channel: 'staging', mandatory: true },
    file: { size, stream: () => createReadStream(bundle) },
    onProgress: (at) => progress.push(at),
  });
  expect(timesForwarded(upload)).toBe(2);
  const [{ total }] = progress as [Progress];
  expect(total).toBeGreaterThan(size);
  expect(progress.filter(({ loaded }) => loaded === total)).toHaveLength(2);
  expect(progress.length).toBeGreaterThan(10);
  const { data: builds } = await client.get('/apps/{app}/builds', { path });
  expect(builds.map(({ id, version, mandatory, file_size }) => [id, version, mandatory, file_size])).toEqual([
    [data.build.id, '1.0.0', true, size],
  ]);
});

it('throws the errors of the server with their members', async () => {
  expect(await errorOf(client.get('/apps/{app}', { path: { app: 'com.example.absent' } }))).toMatchObject({
    ...{ name: 'SluiceError', status: 404, code: 'APP_NOT_FOUND', fields: {} },
  });
  const invalid = await errorOf(client.post('/apps', { body: { name: '' } }));
  expect(invalid).toBeInstanceOf(SluiceError);
  expect(invalid).toMatchObject({ status: 422, code: 'VALIDATION_FAILED', fields: { name: [expect.any(String)] } });
  const { requestId } = invalid as SluiceError;
  const log = () => deployment.processes.flatMap((process) => process.log);
  await eventually(() => log().find((line) => line.includes(requestId!) && line.includes('"status":422')));
  const denied = createManagementClient({ server: address, token: 'svc_pat_wrong' });
  expect(await errorOf(denied.get('/token'))).toMatchObject({ status: 401, code: 'INVALID_ACCESS_TOKEN_CHECKSUM' });
});

it('rejects a change of a build that has changed since it was read', async () => {
  const { data: app } = await client.post('/apps', { body: { name: 'Revised' } });
  const file = new Blob([await zipOf({ 'index.html': 'Shop' })]);
  const fields = { version: '1.0.0', channel: 'staging' } as const;
  const { data } = await client.upload('/apps/{app}/builds', { path: { app: app.id }, fields, file });
  const path = { app: app.id, build: data.build.id };
  const edit = (note: string) =>
    client.patch('/apps/{app}/builds/{build}', {
      ...{ path, header: { 'If-Match': '"999999"' }, body: { release_notes: note } },
    });
  expect(await errorOf(edit('late'))).toMatchObject({ status: 412, code: 'BUILD_CHANGED' });
});

it('reads the stream of changes without waiting for its end', async () => {
  const stop = new AbortController();
  const response = await owner.download('/events', { signal: stop.signal });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  stop.abort();
});
