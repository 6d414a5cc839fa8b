import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readSettings, type Settings } from '@sluice/config';
import {
  getFeedSettings,
  getListingsModule,
  getSyncSettings,
  LISTING_SECRETS,
  requireListingsModule,
  saveFeedSettings,
  saveSyncSettings,
  setListingsModule,
  type Caller,
} from '@sluice/contracts';
import { rebuildProjection } from '@sluice/projections';
import { type DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import type { Engines } from '@sluice/engines';
import type { RunningService } from '@sluice/service-host';
import { startService } from '@sluice/service-host/start-service';
import type { EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newCommandId, systemClock } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { openInProcessMessaging } from '@sluice/messaging/in-process';
import { createLogger } from '@sluice/telemetry';
import { temporaryDirectory } from '@sluice/testing';
import { createVault } from '@sluice/vault';
import { merchantSyncSettings } from './config/merchant-sync.settings';
import { merchantStream, STORE_ID } from './settings/domain/merchant';
import { merchantSync } from './merchant-sync.service';
import { merchantSettingsProjection, merchantSettingsRows } from './settings/merchant-settings.projection';

describe('the settings of the listings module, over the bus and on the embedded stores', () => {
  let dataDir: string;
  let events: EventStore;
  let documents: DocumentStore;
  let messaging: Messaging;
  let service: RunningService;

  const caller = (): Caller => ({ actor: 'owner:1', commandId: newCommandId() });
  const refusal = (code: string) => expect.objectContaining({ code }) as Error;

  async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    events = await openSqliteEventStore({ path: join(dataDir, 'events.db') });
    documents = await openSqliteDocumentStore({ path: join(dataDir, 'read.db') });
    messaging = openInProcessMessaging();
    const settings: Settings = readSettings({ DATA_DIR: dataDir, ...env }, merchantSyncSettings);
    const engines = {
      settings,
      clock: systemClock,
      events,
      readStore: documents,
      stateStore: documents,
      messaging,
      vault: createVault({ state: documents, masterKeys: { current: randomBytes(32) }, changing: LISTING_SECRETS }),
    } as Engines;
    service = await startService(merchantSync, engines, () => 'http://localhost', createLogger('silent'));
  }

  async function stop(): Promise<void> {
    await service.stop();
    await messaging.close();
    await documents.close();
    await events.close();
  }

  const turnOn = () => messaging.request(setListingsModule, { enabled: true, entitled: true }, caller());
  const recorded = async () => {
    const types: string[] = [];
    for await (const { type } of events.readStream(merchantStream(STORE_ID))) types.push(type);
    return types;
  };
  const row = () => documents.view(merchantSettingsProjection.name, merchantSettingsRows).get(STORE_ID);

  beforeEach(async () => {
    dataDir = temporaryDirectory();
    await start();
  });

  afterEach(() => stop());

  it('are rejected while the module is off, and until the entitlement is granted', async () => {
    expect(await messaging.request(getListingsModule, {}, caller())).toEqual({ enabled: false, entitled: false });
    const calls = () => [
      messaging.request(requireListingsModule, {}, caller()),
      messaging.request(getFeedSettings, {}, caller()),
      messaging.request(getSyncSettings, {}, caller()),
      messaging.request(saveFeedSettings, { channel: 'local' }, caller()),
      messaging.request(saveSyncSettings, { batch_size: 1 }, caller()),
    ];
    for (const call of calls()) await expect(call).rejects.toThrow(refusal('module_disabled'));
    await messaging.request(setListingsModule, { enabled: true }, caller());
    for (const call of calls()) await expect(call).rejects.toThrow(refusal('entitlement_required'));
    await messaging.request(setListingsModule, { entitled: true }, caller());
    for (const call of calls()) await expect(call).resolves.toBeDefined();
  });

  it('are the defaults until something is saved, and then that, immediately', async () => {
    await turnOn();
    const feed = await messaging.request(getFeedSettings, {}, caller());
    expect(feed).toMatchObject({
      target_country: 'US',
      channel: 'online',
      shipping_settings: null,
      category_mappings: [],
    });
    const changes = { target_country: 'DE', shipping_settings: { mode: 'account' } };
    const saved = await messaging.request(saveFeedSettings, changes, caller());
    expect(saved).toEqual({ ...feed, target_country: 'DE', shipping_settings: { mode: 'account', rates: [] } });
    expect(await messaging.request(getFeedSettings, {}, caller())).toEqual(saved);

    const sync = await messaging.request(getSyncSettings, {}, caller());
    expect(await messaging.request(saveSyncSettings, { sync_interval_minutes: 60 }, caller())).toEqual({
      ...sync,
      sync_interval_minutes: 60,
    });
    expect(await recorded()).toEqual([
      'ListingsModuleEnabled',
      'EntitlementGranted',
      'FeedSettingsChanged',
      'SyncSettingsChanged',
    ]);
  });

  it('save nothing of an invalid write, and name the wrong field', async () => {
    await turnOn();
    const rates = [{ country: 'US', service: 'Ground', price: '4.99' }];
    const wrong = { target_country: 'DE', shipping_settings: { mode: 'rates', rates } };
    await expect(messaging.request(saveFeedSettings, wrong, caller())).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { 'shipping_settings.rates.0.price': [expect.any(String)] },
    });
    expect((await messaging.request(getFeedSettings, {}, caller())).target_country).toBe('US');
  });

  it('write nothing that changes nothing, and a repeated command once', async () => {
    await turnOn();
    await turnOn();
    await messaging.request(saveSyncSettings, { batch_size: 50 }, caller());
    const once = caller();
    await messaging.request(saveSyncSettings, { batch_size: 20 }, once);
    await messaging.request(saveSyncSettings, { batch_size: 30 }, caller());
    expect(await messaging.request(saveSyncSettings, { batch_size: 20 }, once)).toMatchObject({ batch_size: 30 });
    expect(await recorded()).toEqual([
      'ListingsModuleEnabled',
      'EntitlementGranted',
      'SyncSettingsChanged',
      'SyncSettingsChanged',
    ]);
  });

  it('start with the environment’s values, stay as saved, and survive a restart and a time without the module', async () => {
    await stop();
    await start({ MODULE_ENABLED_LISTINGS_ADS: 'on', ENTITLEMENTS: 'other, listings_ads' });
    expect(await messaging.request(getListingsModule, {}, caller())).toEqual({ enabled: true, entitled: true });
    const saved = await messaging.request(saveFeedSettings, { content_language: 'fr' }, caller());
    await messaging.request(setListingsModule, { enabled: false }, caller());
    await stop();
    await start({ MODULE_ENABLED_LISTINGS_ADS: 'on', ENTITLEMENTS: 'listings_ads' });
    expect(await messaging.request(getListingsModule, {}, caller())).toEqual({ enabled: false, entitled: true });
    await messaging.request(setListingsModule, { enabled: true }, caller());
    expect(await messaging.request(getFeedSettings, {}, caller())).toEqual(saved);
  });

  it('are the same after a rebuild', async () => {
    await turnOn();
    await messaging.request(saveFeedSettings, { include_variations: false }, caller());
    await messaging.request(saveFeedSettings, { category_mappings: null, channel: 'local' }, caller());
    const before = await row();
    expect(before).toMatchObject({
      id: STORE_ID,
      enabled: true,
      feed: { channel: 'local', include_variations: false },
    });
    await rebuildProjection({ events, documents, projection: merchantSettingsProjection });
    expect(await row()).toEqual(before);
  });
});
