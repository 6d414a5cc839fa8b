import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readSettings } from '@sluice/config';
import { credentialHash, newCredential, type Call, type Caller } from '@sluice/contracts';
import type { Engines } from '@sluice/engines';
import type { RunningService } from '@sluice/service-host';
import { answerStarting } from '@sluice/service-host/answer-starting';
import { startService } from '@sluice/service-host/start-service';
import type { EventStore } from '@sluice/event-store';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { DomainError, newCommandId, systemClock, UnavailableError, ValidationError } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { openInProcessMessaging } from '@sluice/messaging/in-process';
import { Readable } from 'node:stream';
import type { ObjectStore } from '@sluice/object-store';
import { openFilesystemObjectStore } from '@sluice/object-store/filesystem';
import { createLogger } from '@sluice/telemetry';
import { temporaryDirectory } from '@sluice/testing';
import { gatewaySettings } from '../config/gateway.settings';
import { gateway } from '../gateway.service';

const OWNER = newCredential('svc_own_');
const STORE_TOKEN = newCredential('svc_pat_');
const PLAIN_TOKEN = newCredential('svc_pat_');
const OTHER_OWNER = newCredential('svc_own_');
const OTHERS_STORE_TOKEN = newCredential('svc_pat_');

const FEED = '/svc/v1/listings-ads/feed/settings';
const SYNC = '/svc/v1/listings-ads/sync/settings';
const MODULE = '/api/dashboard/v1/listings';
const WEBHOOK = `${MODULE}/webhook`;

const SYNC_SETTINGS = {
  sync_interval_minutes: 720,
  batch_size: 50,
  concurrency: 4,
  max_retries: 5,
  refresh_after_days: 25,
  log_retention_days: 30,
  delete_missing: true,
  max_delete_ratio: 0.5,
};

describe('the listings-ads plane', () => {
  /** The replies of merchant-sync, by call; any other call throws. */
  let answers: Record<string, (body: unknown, caller: Caller) => unknown>;
  let asked: string[];
  let dataDir: string;
  let stateStore: DocumentStore;
  let objects: ObjectStore;
  let events: EventStore;
  let messaging: Messaging;
  let service: RunningService;
  let server: Server;

  beforeAll(async () => {
    dataDir = temporaryDirectory();
    events = await openSqliteEventStore({ path: join(dataDir, 'events.db') });
    stateStore = await openSqliteDocumentStore({ path: join(dataDir, 'state.db') });
    messaging = openInProcessMessaging();
    objects = await openFilesystemObjectStore({ path: join(dataDir, 'objects') });
    await record('owner-1', 'OwnerCreated', { id: 1, name: 'operator', hash: credentialHash(OWNER) });
    await recordToken(1, PLAIN_TOKEN, ['manage']);
    await recordToken(2, STORE_TOKEN, ['manage', 'manage_store']);
    await record('owner-2', 'OwnerCreated', { id: 2, name: 'Ann', hash: credentialHash(OTHER_OWNER) });
    await recordToken(3, OTHERS_STORE_TOKEN, ['manage', 'manage_store'], 2);
    const request = ({ pattern }: Call, body: unknown, caller: Caller) => {
      asked.push(pattern);
      const answer = answers[pattern];
      if (answer === undefined) throw new Error(`There is no reply for ${pattern}.`);
      return Promise.resolve(answer(body, caller));
    };
    const engines = {
      settings: readSettings({ DATA_DIR: dataDir }, gatewaySettings),
      clock: systemClock,
      events,
      stateStore,
      objects,
      messaging: { ...messaging, request },
    } as unknown as Engines;
    service = await startService(gateway, engines, () => 'http://localhost', createLogger('silent'));
    server = createServer(service.handle).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await service.stop();
    await messaging.close();
    await stateStore.close();
    await events.close();
  });

  beforeEach(() => {
    asked = [];
    answers = { 'merchantSync.requireModule': () => ({}) };
  });

  function record(stream: string, type: string, data: Record<string, unknown>) {
    const commandId = newCommandId();
    const at = new Date().toISOString();
    const metadata = { commandId, actor: 'system:test', correlationId: commandId, causationId: commandId, at };
    return events.append(stream, 'none', [{ id: newCommandId(), type, data, metadata }]);
  }

  const recordToken = (id: number, token: string, permissions: readonly string[], ownerId = 1) =>
    record(`token-${id}`, 'TokenIssued', {
      id,
      ownerId,
      name: 'ci',
      permissions,
      allApps: true,
      apps: [],
      expiresAt: null,
      hash: credentialHash(token),
    });

  async function send(method: string, path: string, credential?: string, body?: string, type = 'application/json') {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
      method,
      headers: {
        ...(credential !== undefined && { Authorization: `Bearer ${credential}` }),
        ...(body !== undefined && { 'Content-Type': type }),
      },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  const refused = (status: number, code: string) => ({
    status,
    body: { success: false, data: { code }, message: expect.any(String) },
  });

  it.each([
    ['a malformed address', '/svc/v1/%zz', 400, 'invalid_request'],
    ['an address with a malformed part', '/svc/v1/listings-ads/sync/logs/%e0%a4', 400, 'invalid_request'],
    ['an address of nothing', '/svc/v1/nothing', 404, 'not_found'],
  ])('returns %s in its envelope, to any caller', async (_, path, status, code) => {
    expect(await send('GET', path)).toMatchObject(refused(status, code));
    expect(await send('POST', path, OWNER, '{}')).toMatchObject(refused(status, code));
  });

  it('answers a malformed address of another plane in the envelope of that', async () => {
    const answer = await send('GET', '/api/public/v1/%zz');
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
  });

  it('answers in its envelope while the gateway starts', async () => {
    const starting = createServer(
      answerStarting(gateway.plane ?? {}, readSettings({ DATA_DIR: dataDir }, gatewaySettings)),
    ).listen(0, '127.0.0.1');
    await once(starting, 'listening');
    const ask = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${(starting.address() as AddressInfo).port}${path}`);
      expect(response.headers.get('retry-after')).toBe('1');
      return { status: response.status, body: await response.json() };
    };
    expect(await ask(FEED)).toEqual(refused(503, 'service_unavailable'));
    expect(await ask('/api/public/v1/apps')).toMatchObject({
      status: 503,
      body: { error: { code: 'SERVICE_UNAVAILABLE' } },
    });
    starting.close();
  });

  it.each([
    ['a token with manage_store', STORE_TOKEN, 'token:2'],
    ['the owner', OWNER, 'owner:1'],
  ])('answers %s in its envelope', async (_, credential, actor) => {
    answers['merchantSync.getSyncSettings'] = (_body, caller) => {
      expect(caller).toMatchObject({ actor });
      return SYNC_SETTINGS;
    };
    const { status, body } = await send('GET', SYNC, credential);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, data: SYNC_SETTINGS, message: expect.any(String) });
  });

  it('hands on what a write names, and answers the whole with 200', async () => {
    answers['merchantSync.saveSyncSettings'] = (body) => ({ ...SYNC_SETTINGS, ...(body as object) });
    const { status, body } = await send('POST', SYNC, STORE_TOKEN, '{"batch_size":10,"colour":"red"}');
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, data: { ...SYNC_SETTINGS, batch_size: 10 }, message: expect.any(String) });
  });

  it.each([
    ['no credential', undefined],
    ['an unknown token', newCredential('svc_pat_')],
    ['a truncated token', STORE_TOKEN.slice(0, -3)],
    ['an unknown owner key', newCredential('svc_own_')],
    ['an app API key', newCredential('svc_app_')],
  ])('rejects %s as unauthenticated', async (_, credential) => {
    expect(await send('GET', FEED, credential)).toMatchObject(refused(401, 'unauthenticated'));
    expect(asked).toEqual([]);
  });

  it.each([
    ['another owner', OTHER_OWNER],
    ['a token with manage_store that another owner made before only the operator could', OTHERS_STORE_TOKEN],
  ])('rejects %s as forbidden, before the module is asked', async (_, credential) => {
    expect(await send('GET', FEED, credential)).toMatchObject(refused(403, 'forbidden'));
    expect(await send('POST', SYNC, credential, '{"max_delete_ratio":1}')).toMatchObject(refused(403, 'forbidden'));
    expect(asked).toEqual([]);
  });

  it('takes X-Access-Token for the credential when it is there, whatever Authorization holds', async () => {
    const { port } = server.address() as AddressInfo;
    const headers = { Authorization: `Bearer ${OWNER}`, 'X-Access-Token': PLAIN_TOKEN };
    const response = await fetch(`http://127.0.0.1:${port}${FEED}`, { headers });
    expect({ status: response.status, body: await response.json() }).toMatchObject(refused(403, 'forbidden'));
  });

  it('rejects in order: credential, capability, module, and only then what is sent', async () => {
    answers['merchantSync.requireModule'] = () => {
      throw new DomainError('module_disabled', 'Off.');
    };
    for (const body of ['{"batch_size":0}', '{"batch_size":', 'x'.repeat(1_100_000)]) {
      expect(await send('POST', SYNC, undefined, body)).toMatchObject(refused(401, 'unauthenticated'));
      expect(await send('POST', SYNC, PLAIN_TOKEN, body)).toMatchObject(refused(403, 'forbidden'));
      expect(await send('POST', SYNC, STORE_TOKEN, body)).toMatchObject(refused(403, 'module_disabled'));
    }
    answers['merchantSync.requireModule'] = () => {
      throw new DomainError('entitlement_required', 'Not granted.');
    };
    expect(await send('GET', FEED, OWNER)).toMatchObject(refused(403, 'entitlement_required'));
  });

  it('names every wrong field in data.errors', async () => {
    const { status, body } = await send('POST', SYNC, STORE_TOKEN, '{"batch_size":0,"max_delete_ratio":"all"}');
    expect(status).toBe(422);
    expect(body).toEqual({
      success: false,
      data: {
        code: 'invalid_settings',
        errors: { batch_size: [expect.any(String)], max_delete_ratio: [expect.any(String)] },
      },
      message: expect.any(String),
    });
    answers['merchantSync.saveFeedSettings'] = () => {
      throw new ValidationError({ 'shipping_settings.rates.0.price': ['No price.'] });
    };
    expect(await send('POST', FEED, STORE_TOKEN, '{}')).toMatchObject({
      status: 422,
      body: { data: { code: 'invalid_settings', errors: { 'shipping_settings.rates.0.price': ['No price.'] } } },
    });
  });

  it.each([
    ['malformed JSON', '{"batch_size":', 'application/json', 400, 'invalid_json'],
    ['another type', 'batch_size=1', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
    ['a form', '--x--', 'multipart/form-data; boundary=x', 415, 'unsupported_media_type'],
    ['more than 1 MiB', `"${'x'.repeat(1_100_000)}"`, 'application/json', 413, 'payload_too_large'],
  ])('rejects %s', async (_, body, type, status, code) => {
    expect(await send('POST', SYNC, STORE_TOKEN, body, type)).toMatchObject(refused(status, code));
  });

  it.each(['/svc/v1', '/svc/v1/', '/svc/v1?x', '/svc/v1/listings-ads/nothing', '/svc/v1/listings-ads/feed/settings/'])(
    'knows nothing at %s',
    async (path) => {
      expect(await send('GET', path, STORE_TOKEN)).toMatchObject(refused(404, 'not_found'));
    },
  );

  it('keeps its envelope to its own plane', async () => {
    expect(await send('GET', '/svc/v10/feed', STORE_TOKEN)).toMatchObject({ body: { error: { code: 'NOT_FOUND' } } });
    expect(await send('GET', '/api/public/v1/nothing')).toMatchObject({ body: { error: { code: 'NOT_FOUND' } } });
  });

  it('returns Retry-After while merchant-sync is unavailable', async () => {
    answers['merchantSync.requireModule'] = () => {
      throw new UnavailableError('merchant-sync did not answer in time.', 2);
    };
    const answer = await send('GET', FEED, STORE_TOKEN);
    expect(answer).toMatchObject(refused(503, 'service_unavailable'));
    expect(answer.headers.get('Retry-After')).toBe('2');
  });

  it('reports only an id for a fault of the server', async () => {
    expect(await send('GET', FEED, STORE_TOKEN)).toMatchObject({
      status: 500,
      body: { success: false, data: { code: 'internal_error', error_id: expect.any(String) } },
    });
  });

  describe('its feed', () => {
    const FILE = `<rss>"quoted" \\ \u{1f600}\n\t${'é😀'.repeat(50_000)}</rss>`;
    const download = (query: string, accept?: string) =>
      fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/svc/v1/listings-ads/feed/download${query}`, {
        headers: { Authorization: `Bearer ${STORE_TOKEN}`, ...(accept !== undefined && { Accept: accept }) },
      });

    beforeEach(() => {
      answers['merchantSync.makeFeed'] = async (body) => {
        const { format } = body as { format: string };
        const { size } = await objects.put(`feeds/${format}-${Math.random()}`, Readable.from([Buffer.from(FILE)]));
        for await (const { key } of objects.list('feeds/'))
          return { objectKey: key, filename: `products.${format}`, size };
        throw new Error('It is not there.');
      };
    });

    it.each([
      ['', 'application/rss+xml; charset=utf-8', 'products.rss'],
      ['?format=rss', 'application/rss+xml; charset=utf-8', 'products.rss'],
      ['?format=tsv', 'text/tab-separated-values; charset=utf-8', 'products.tsv'],
    ])('is a file at download%s', async (query, type, name) => {
      const response = await download(query);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe(type);
      expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
      expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(FILE)));
      expect(await response.text()).toBe(FILE);
    });

    it('is in the envelope for a client that accepts JSON', async () => {
      const response = await download('?format=tsv', 'application/json');
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await response.json()).toEqual({
        success: true,
        data: { format: 'tsv', filename: 'products.tsv', content: FILE },
        message: expect.any(String),
      });
    });

    it('is refused in another format, and previewed in parts that make sense', async () => {
      expect(await send('GET', '/svc/v1/listings-ads/feed/download?format=csv', STORE_TOKEN)).toMatchObject({
        status: 422,
        body: { data: { code: 'invalid_settings', errors: { format: [expect.any(String)] } } },
      });
      for (const query of ['limit=0', 'limit=501', 'limit=x', 'offset=-1']) {
        const answer = await send('GET', `/svc/v1/listings-ads/feed/preview?${query}`, STORE_TOKEN);
        expect(answer).toMatchObject({ status: 422, body: { data: { code: 'invalid_settings' } } });
      }
      answers['merchantSync.previewFeed'] = (body) => {
        expect(body).toEqual({ limit: 7, offset: 3 });
        return { items: [], excluded: [], next_offset: null };
      };
      expect(await send('GET', '/svc/v1/listings-ads/feed/preview?limit=7&offset=3', STORE_TOKEN)).toMatchObject({
        status: 200,
        body: { success: true, data: { items: [], excluded: [], next_offset: null } },
      });
    });

    it.each([
      ['store_not_configured', 409],
      ['store_unavailable', 502],
    ] as const)('says %s with %d', async (code, status) => {
      answers['merchantSync.makeFeed'] = answers['merchantSync.previewFeed'] = () => {
        throw new DomainError(code, 'No shop.');
      };
      expect(await send('GET', '/svc/v1/listings-ads/feed/preview', STORE_TOKEN)).toMatchObject(refused(status, code));
      expect(await send('GET', '/svc/v1/listings-ads/feed/download', STORE_TOKEN)).toMatchObject(refused(status, code));
    });
  });

  describe('its switch, on the dashboard plane', () => {
    it('is read and set by the owner', async () => {
      answers['merchantSync.getModule'] = () => ({ enabled: false, entitled: true });
      expect(await send('GET', MODULE, OWNER)).toMatchObject({
        status: 200,
        body: { data: { enabled: false, entitled: true } },
      });
      answers['merchantSync.setModule'] = (body) => ({ entitled: true, ...(body as object) });
      expect(await send('PUT', MODULE, OWNER, '{"enabled":true}')).toMatchObject({
        status: 200,
        body: { data: { enabled: true, entitled: true } },
      });
    });

    it('is refused to tokens, and rejects a body that says nothing, in that plane’s envelope', async () => {
      expect(await send('PUT', MODULE, STORE_TOKEN, '{"enabled":true}')).toMatchObject({
        status: 401,
        body: { error: { code: 'INVALID_OWNER_KEY' } },
      });
      expect(await send('PUT', MODULE, OWNER, '{}')).toMatchObject({
        status: 422,
        body: { errors: { enabled: [expect.any(String)] } },
      });
    });
  });

  describe('its webhook, on the dashboard plane', () => {
    it('is read, set and forgotten by the owner', async () => {
      const state = { url: 'https://hooks.example/sluice', waiting: 2, dead: 1 };
      answers['merchantSync.getWebhook'] = () => state;
      expect(await send('GET', WEBHOOK, OWNER)).toMatchObject({ status: 200, body: { data: state } });
      answers['merchantSync.saveWebhook'] = (body) => ({ ...(body as { url: string }), secret: 'whsec_made' });
      expect(await send('PUT', WEBHOOK, OWNER, JSON.stringify({ url: state.url }))).toMatchObject({
        status: 200,
        body: { data: { url: state.url, secret: 'whsec_made' } },
      });
      answers['merchantSync.deleteWebhook'] = () => ({ deleted: true });
      expect(await send('DELETE', WEBHOOK, OWNER)).toMatchObject({ status: 200, body: { data: { deleted: true } } });
      expect(await send('GET', WEBHOOK, STORE_TOKEN)).toMatchObject({ status: 401 });
    });

    it.each([
      ['{}', 'url'],
      ['{"url":"hooks.example"}', 'url'],
      ['{"url":"https://name:secret@hooks.example"}', 'url'],
      ['{"url":"https://hooks.example","secret":"short"}', 'secret'],
    ])('rejects %s, naming %s', async (body, field) => {
      expect(await send('PUT', WEBHOOK, OWNER, body)).toMatchObject({
        status: 422,
        body: { errors: { [field]: [expect.any(String)] } },
      });
    });

    it('lists dead letters by page, resends and deletes them', async () => {
      answers['merchantSync.listDeadLetters'] = () => ({ items: [], total: 0 });
      expect(await send('GET', `${WEBHOOK}/dead-letters?per_page=5`, OWNER)).toMatchObject({
        status: 200,
        body: { data: [], meta: { per_page: 5, total: 0 } },
      });
      answers['merchantSync.resendDeadLetters'] = (body) => ({
        resent: (body as { ids?: string[] }).ids?.length ?? 7,
      });
      const resend = (body?: string) => send('POST', `${WEBHOOK}/dead-letters/resend`, OWNER, body);
      expect(await resend('{"ids":["a","b"]}')).toMatchObject({ status: 200, body: { data: { resent: 2 } } });
      expect(await resend('{}')).toMatchObject({ status: 200, body: { data: { resent: 7 } } });
      expect(await resend('{"ids":[]}')).toMatchObject({
        status: 422,
        body: { errors: { ids: [expect.any(String)] } },
      });
      answers['merchantSync.clearDeadLetters'] = () => ({ deleted: 3 });
      expect(await send('DELETE', `${WEBHOOK}/dead-letters`, OWNER)).toMatchObject({
        status: 200,
        body: { data: { deleted: 3 } },
      });
    });
  });
});
