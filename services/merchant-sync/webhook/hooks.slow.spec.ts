import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { readSettings } from '@sluice/config';
import {
  type Caller,
  clearDeadLetters,
  deleteWebhook,
  getWebhook,
  type Hook,
  HOOKS_TOPIC,
  hookSchema,
  listDeadLetters,
  LISTING_SECRETS,
  resendDeadLetters,
  saveFeedSettings,
  saveWebhook,
  setListingsModule,
} from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import type { Engines } from '@sluice/engines';
import type { RunningService } from '@sluice/service-host';
import { startService } from '@sluice/service-host/start-service';
import { createCommandHandling, type EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newCommandId, newUlid, systemClock } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { openInProcessMessaging } from '@sluice/messaging/in-process';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { createVault } from '@sluice/vault';
import { pino } from 'pino';
import { merchantSyncSettings } from '../config/merchant-sync.settings';
import { merchant, type MerchantCommand, merchantStream, STORE_ID } from '../settings/domain/merchant';
import { type RunProgress, syncRun, type SyncRunCommand, syncRunStream } from '../runs/domain/sync-run';
import { WebhookDeliveries } from './webhook-deliveries';
import { Webhooks } from './webhooks';
import { merchantSync } from '../merchant-sync.service';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly hook: Hook;
}

const PAGE = { page: 1, perPage: 50 };
const SECRET = 'a-secret-of-the-owner';
const firstValues = { enabled: true, entitled: true };

describe('hooks, over the embedded stores', () => {
  const masterKey = randomBytes(32);
  let dataDir: string;
  let events: EventStore;
  let documents: DocumentStore;
  let messaging: Messaging;
  let services: RunningService[];
  let engines: Engines;
  let receiver: Server;
  let url: string;
  let received: Received[];
  /** Statuses of the next answers; the last one stays. `silence` never answers. */
  let answers: (number | 'silence')[];
  let announced: Hook[];
  let logged: string[];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });

  const caller = (): Caller => ({ actor: 'owner:1', commandId: newCommandId() });

  async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    events = await openSqliteEventStore({ path: join(dataDir, 'events.db') });
    documents = await openSqliteDocumentStore({ path: join(dataDir, 'state.db') });
    messaging = openInProcessMessaging();
    messaging.listen(HOOKS_TOPIC, (hook) => announced.push(hookSchema.parse(hook)));
    engines = {
      settings: readSettings(
        {
          DATA_DIR: dataDir,
          MODULE_ENABLED_LISTINGS_ADS: 'on',
          ENTITLEMENTS: 'listings_ads',
          WEBHOOK_RETRY_DELAYS_MS: '1,1',
          ...env,
        },
        merchantSyncSettings,
      ),
      ...{ clock: systemClock, events, readStore: documents, stateStore: documents, messaging },
      vault: createVault({ state: documents, masterKeys: { current: masterKey }, changing: LISTING_SECRETS }),
    } as unknown as Engines;
    services = [];
    await startReplica();
  }

  async function startReplica(): Promise<void> {
    services.push(await startService(merchantSync, engines, () => 'http://localhost', logger));
  }

  async function stop(): Promise<void> {
    await Promise.all(services.map((service) => service.stop()));
    await messaging.close();
    await documents.close();
    await events.close();
  }

  const setWebhook = (secret?: string | null) => messaging.request(saveWebhook, { url, secret }, caller());
  const webhook = () => messaging.request(getWebhook, {}, caller());
  const deadLetters = () => messaging.request(listDeadLetters, PAGE, caller());
  const feed = (target_country: string) => messaging.request(saveFeedSettings, { target_country }, caller());
  const command = (order: MerchantCommand) =>
    createCommandHandling({ store: events, clock: systemClock }).handle(
      merchant,
      merchantStream(STORE_ID),
      order,
      caller(),
    );

  const hooksOf = (name: string) => received.map(({ hook }) => hook).filter(({ hook }) => hook === name);
  const told = async (name: string, count = 1): Promise<Hook[]> => {
    await eventually(() => hooksOf(name).length >= count);
    return hooksOf(name);
  };

  /** A run without a worker, which records what the test says. */
  async function openRun() {
    const handling = createCommandHandling({ store: events, clock: systemClock });
    const runId = newUlid();
    const holder = newUlid();
    const record = (order: SyncRunCommand) => handling.handle(syncRun, syncRunStream(runId), order, caller());
    const progress = (event: RunProgress) => record({ type: 'RecordProgress', holder, progress: event });
    const { state } = await handling.load(merchant, merchantStream(STORE_ID));
    const order = { runId, runType: 'full', trigger: 'manual', productId: null, startedAt: '' } as const;
    await record({ type: 'TakeRun', holder, takes: 0, run: { order, settings: state.sync } });
    const target = { targetCountry: 'US', contentLanguage: 'en', channel: 'online' } as const;
    const offer = (id: string, isNew: boolean) => ({
      ...{ offerId: `svc_${id}`, productId: id, variationId: null, itemGroupId: null, isNew, hash: 'h' },
      remoteProductId: `online~en~US~svc_${id}`,
    });
    return {
      send: (ids: readonly string[], isNew = true) =>
        progress({ type: 'OffersSent', data: { target, sent: ids.map((id) => offer(id, isNew)), refused: [] } }),
      try: (ids: readonly string[], isNew = true) =>
        progress({ type: 'OffersTried', data: { target, tried: ids.map((id) => offer(id, isNew)) } }),
      approve: (id: string) =>
        progress({
          type: 'StatusesRead',
          data: {
            statuses: [
              {
                ...{ id: `svc_${id}~US~en~online`, remoteProductId: `online~en~US~svc_${id}` },
                ...{ listingStatus: 'approved', issues: [], expiresAt: null },
              },
            ],
            ...{ missing: [], resurfaced: [] },
          },
        }),
      remove: (id: string) =>
        progress({ type: 'OffersDeleted', data: { deleted: [`svc_${id}~US~en~online`], refused: [] } }),
    };
  }

  beforeEach(async () => {
    [received, announced, logged, answers] = [[], [], [], [200]];
    receiver = createServer((request, response) => {
      void buffer(request).then((bytes) => {
        const body = bytes.toString();
        received.push({ headers: request.headers, body, hook: hookSchema.parse(JSON.parse(body)) });
        const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? 200;
        if (answer === 'silence') return;
        response.writeHead(answer, { Location: url }).end('thanks');
      });
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks?key=of-the-address`;
    dataDir = temporaryDirectory();
    await start();
  });

  afterEach(async () => {
    await stop();
    receiver.closeAllConnections();
    receiver.close();
  });

  it('announce settings with the row after and before', async () => {
    await setWebhook(SECRET);
    await feed('DE');
    await feed('FR');
    const [updated] = await told('svc_feed_settings_updated');
    const [created] = await told('svc_feed_settings_created');
    expect(created).toMatchObject({ store_id: 'default', data: { target_country: 'DE', content_language: 'en' } });
    expect(created).not.toHaveProperty('before');
    expect(updated).toMatchObject({ data: { target_country: 'FR' }, before: { target_country: 'DE' } });
  });

  it('announce the module’s switch', async () => {
    await setWebhook(SECRET);
    await messaging.request(setListingsModule, { enabled: false }, caller());
    expect(await told('svc_track_event')).toMatchObject([
      { data: { event: 'module_disabled', module: 'listings_ads', enabled: false } },
    ]);
  });

  it('announce mappings as each event left them, and their end', async () => {
    await setWebhook(SECRET);
    const run = await openRun();
    await run.send(['1']);
    await run.approve('1');
    await run.try(['1'], false);
    await run.remove('1');
    await run.send(['1'], false);
    const id = 'svc_1~US~en~online';
    expect(await told('svc_mapping_created', 2)).toMatchObject([
      { data: { id, offer_id: 'svc_1', listing_status: 'pending', sync_hash: 'h' } },
      { data: { id, listing_status: 'pending' } },
    ]);
    expect(await told('svc_mapping_updated')).toMatchObject([
      { data: { id, listing_status: 'approved' }, before: { id, listing_status: 'pending' } },
    ]);
    const [deleted] = await told('svc_mapping_deleted');
    expect(deleted).toMatchObject({ data: { id }, before: { id, listing_status: 'approved' } });
    expect(deleted?.data).not.toHaveProperty('live');
  });

  it('announce a run when it starts and when it ends, and not between', async () => {
    await setWebhook(SECRET);
    const connection = { id: newUlid(), connectedAt: '', adapter: 'merchant_api_v1', scopes: [] } as const;
    await command({ type: 'Connect', connection, firstValues });
    const now = new Date().toISOString();
    const order = { runId: newUlid(), runType: undefined, productId: undefined, trigger: 'manual' } as const;
    await command({ type: 'StartRun', ...order, now, offerPrefix: 'svc', firstValues });
    const [updated] = await told('svc_sync_log_updated');
    const [created] = await told('svc_sync_log_created');
    expect(created?.data).toMatchObject({ id: order.runId, run_type: 'full', status: 'running', completed_at: null });
    expect(updated).toMatchObject({
      data: { id: order.runId, status: expect.stringMatching(/failed|cancelled/) as string, items_processed: 0 },
      before: { id: order.runId, status: 'running' },
    });
  });

  it('are signed over time and body with the secret', async () => {
    const { secret = '' } = await setWebhook();
    expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/);
    expect(await setWebhook()).toEqual({ url });
    await feed('DE');
    await told('svc_feed_settings_created');
    const [first] = received;
    const [, seconds = '', signature] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(first?.headers['sluice-signature'])) ?? [];
    expect(signature).toBe(createHmac('sha256', secret).update(`${seconds}.${first?.body}`).digest('hex'));
    expect(Math.abs(Number(seconds) - Date.now() / 1_000)).toBeLessThan(600);
    expect(first?.headers).toMatchObject({
      'content-type': 'application/json',
      'sluice-hook': 'svc_feed_settings_created',
      'sluice-delivery': first?.hook.id,
    });
    expect((await setWebhook(null)).secret).not.toBe(secret);
  });

  it('are announced on the bus under the same ids, with a webhook or without', async () => {
    await feed('DE');
    await eventually(() => announced.length === 1);
    await setWebhook(SECRET);
    await feed('FR');
    const [sent] = await told('svc_feed_settings_updated');
    await eventually(() => announced.length === 2);
    expect(announced[1]).toEqual(sent);
  });

  it('are announced once by several replicas', async () => {
    await startReplica();
    await startReplica();
    await setWebhook(SECRET);
    const run = await openRun();
    for (let batch = 0; batch < 20; batch += 1) await run.send([`${batch}a`, `${batch}b`]);
    await eventually(() => new Set(received.map(({ hook }) => hook.id)).size === 40);
    await eventually(async () => (await webhook()).waiting === 0);
    expect(announced.map(({ data }) => data['product_id'])).toEqual(
      Array.from({ length: 20 }, (_, batch) => [`${batch}a`, `${batch}b`]).flat(),
    );
  });

  it('of a large batch reach the webhook, each once', async () => {
    await setWebhook(SECRET);
    const ids = Array.from({ length: 250 }, (_, index) => String(index));
    await (await openRun()).send(ids);
    await told('svc_mapping_created', ids.length);
    await eventually(async () => (await webhook()).waiting === 0);
    expect(received.map(({ hook }) => hook.data['product_id']).sort()).toEqual([...ids].sort());
  });

  it('of the past are not sent, and none once the webhook is deleted', async () => {
    await Promise.all(services.map((service) => service.stop()));
    await command({ type: 'SaveFeedSettings', changes: { target_country: 'DE' }, firstValues });
    // Before anybody has told of it.
    const deliveries = new WebhookDeliveries(documents, systemClock);
    const webhooks = new Webhooks(engines.vault, events, { webhookAllowPrivateAddresses: false }, deliveries);
    await webhooks.save({ url, secret: SECRET });
    services = [];
    await startReplica();
    await feed('FR');
    expect(await told('svc_feed_settings_updated')).toHaveLength(1);
    expect(await messaging.request(deleteWebhook, {}, caller())).toEqual({ deleted: true });
    expect(await messaging.request(deleteWebhook, {}, caller())).toEqual({ deleted: false });
    await feed('IT');
    await eventually(() => announced.length === 2);
    await setWebhook(SECRET);
    await feed('ES');
    const sent = await told('svc_feed_settings_updated', 2);
    expect(sent.map(({ data }) => data['target_country'])).toEqual(['FR', 'ES']);
    expect(hooksOf('svc_feed_settings_created')).toEqual([]);
  });

  it('are retried until they are accepted, unchanged each time', async () => {
    answers = [500, 302, 204];
    await setWebhook(SECRET);
    await feed('DE');
    await eventually(() => received.length === 3);
    await eventually(async () => (await webhook()).waiting === 0);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(await webhook()).toEqual({ url, waiting: 0, dead: 0 });
  });

  it('that are not accepted become dead letters, which are read, resent and cleared', async () => {
    answers = [500];
    await setWebhook(SECRET);
    await feed('DE');
    await feed('FR');
    await eventually(async () => (await webhook()).dead === 2);
    expect(received).toHaveLength(6);
    const { items, total } = await deadLetters();
    expect(total).toBe(2);
    expect(items.map(({ hook }) => hook).sort()).toEqual(['svc_feed_settings_created', 'svc_feed_settings_updated']);
    expect(items[0]).toMatchObject({ attempts: 3, last_error: 'The webhook answered 500.' });
    expect(items[0]?.payload.id).toBe(items[0]?.id);

    answers = [200];
    const ids = [items[0]?.id ?? '', 'no-such-id'];
    expect(await messaging.request(resendDeadLetters, { ids }, caller())).toEqual({ resent: 1 });
    await eventually(() => received.length === 7);
    expect(received[6]?.hook).toEqual(items[0]?.payload);
    expect(await messaging.request(clearDeadLetters, {}, caller())).toEqual({ deleted: 1 });
    expect(await messaging.request(resendDeadLetters, {}, caller())).toEqual({ resent: 0 });
    expect(await deadLetters()).toEqual({ items: [], total: 0 });
  });

  it('outlive a restart, those under way and those of a time without the service', async () => {
    answers = ['silence', 200];
    await setWebhook(SECRET);
    await feed('DE');
    await eventually(() => received.length === 1);
    await Promise.all(services.map((service) => service.stop()));
    services = [];
    await command({ type: 'SaveFeedSettings', changes: { target_country: 'FR' }, firstValues });
    await stop();
    await start();
    const [updated] = await told('svc_feed_settings_updated');
    expect(updated).toMatchObject({ data: { target_country: 'FR' }, before: { target_country: 'DE' } });
    await told('svc_feed_settings_created', 2);
    await eventually(async () => (await webhook()).waiting === 0);
    expect(received[0]?.body).toBe(
      received.find(({ hook }, index) => index > 0 && hook.id === received[0]?.hook.id)?.body,
    );
  });

  it('wait no longer than a try may take', async () => {
    await stop();
    await start({ WEBHOOK_TIMEOUT_MS: '50', WEBHOOK_RETRY_DELAYS_MS: '1' });
    answers = ['silence'];
    await setWebhook(SECRET);
    await feed('DE');
    await eventually(async () => (await webhook()).dead === 1);
    expect((await deadLetters()).items[0]?.last_error).toBe('The webhook did not answer in time.');
  });

  it.each([
    'http://shop.example/hooks',
    'https://10.0.0.1/hooks',
    'https://169.254.169.254/latest',
    'https://[fd00::1]/hooks',
    'https://name:password@shop.example/hooks',
    'ftp://shop.example/hooks',
    'shop.example',
  ])('are not sent to %s', async (refused) => {
    const saving = messaging.request(saveWebhook, { url: refused }, caller());
    await expect(saving).rejects.toMatchObject({ code: 'VALIDATION_FAILED', errors: { url: [expect.any(String)] } });
    expect(await webhook()).toEqual({ url: null, waiting: 0, dead: 0 });
  });

  it('leave the secret and the address in no store, event, log or answer', async () => {
    answers = [500];
    await setWebhook(SECRET);
    await feed('DE');
    await eventually(async () => (await webhook()).dead === 1);
    expect(JSON.stringify([await setWebhook(), await webhook(), await deadLetters(), announced])).not.toContain(SECRET);
    expect(logged.join()).toContain('given up');
    expect(logged.join()).not.toMatch(/a-secret-of-the-owner|of-the-address/);
    await stop();
    for (const file of await readdir(dataDir)) {
      const bytes = await readFile(join(dataDir, file));
      expect([file, bytes.includes(SECRET), bytes.includes('of-the-address')]).toEqual([file, false, false]);
    }
    await start();
  });
});
