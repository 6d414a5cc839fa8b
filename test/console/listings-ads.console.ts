import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@sluice/testing';
import type { Locator } from 'playwright-core';
import { describeInChromium } from '../support/chromium';
import { type MerchantServer, startMerchantServer } from '../support/merchant-server';
import { startShopServer, type ShopServer } from '../support/shop-server';
import { call } from '../support/http';
import { consoleScene } from './harness';

/** 60 products, every fifth of them with three variations; one has no image. */
const PRODUCTS = 60;
const OFFERS = 48 - 1 + 12 * 3;

/** Scenarios of many steps, on a busy machine. */
jest.setTimeout(120_000);

describeInChromium('the listings module in the console', () => {
  const env: Record<string, string> = {
    STORE_CURRENCY: 'USD',
    // A request without a response delays a sync for this time, in which the test sees it run.
    REMOTE_TIMEOUT_MS: '3000',
    SOURCE_RETRY_BASE_MS: '1',
    WEBHOOK_RETRY_DELAYS_MS: '10',
  };
  let remote: MerchantServer;
  let shop: ShopServer;
  let receiver: Server;
  let receives = 500;

  beforeAll(async () => {
    remote = await startMerchantServer();
    shop = await startShopServer({ products: PRODUCTS, variableEvery: 5 });
    shop.edit(shop.idAt(2), { images: [] });
    receiver = createServer((request, response) => {
      request.resume();
      response.writeHead(receives).end();
    }).listen(0, '127.0.0.1');
    Object.assign(env, remote.env, {
      WOOCOMMERCE_URL: shop.url,
      WOOCOMMERCE_KEY: shop.key,
      WOOCOMMERCE_SECRET: shop.secret,
    });
  });
  const scene = consoleScene(env);
  afterAll(async () => {
    receiver.closeAllConnections();
    receiver.close();
    await Promise.all([remote.close(), shop.close()]);
  });

  const button = (name: string | RegExp): Locator => scene.page.getByRole('button', { name, exact: true });
  const section = (name: string): Locator => scene.page.getByRole('region', { name, exact: true });
  const dialog = (): Locator => scene.page.locator('.dialog');
  const alert = (): Locator => scene.page.getByRole('alert');
  const tab = async (name: string): Promise<void> => {
    await scene.page.getByRole('navigation', { name: 'Listings and ads' }).getByRole('link', { name }).click();
  };
  const counts = (): Promise<string[]> => section('Last run').locator('dd strong').allInnerTexts();

  beforeEach(() => {
    remote.repair();
    shop.repair();
    remote.oauth.consents = 'grant';
  });

  it('describes itself and its limits while it is off, and is turned on', async () => {
    await scene.signIn();
    await scene.page.getByRole('link', { name: 'Listings and ads' }).click();
    await scene.page.getByRole('heading', { name: 'The module is off' }).waitFor();
    for (const limit of [
      'your own OAuth client',
      'with the next scheduled sync',
      'Use only one such tool for each merchant account.',
    ]) {
      await scene.page.getByText(limit).waitFor();
    }
    expect(await scene.barriers()).toEqual([]);
    await button('Grant the entitlement and turn on the module').click();
    await button('Connect a merchant account').waitFor();
    await scene.page.getByText(`${scene.address}/svc/v1/listings-ads/oauth/callback`).waitFor();
    expect(await scene.barriers()).toEqual([]);
    await tab('Sync');
    await scene.page.getByText('The shop is not connected to a merchant account.').waitFor();
  });

  it('explains why access was not granted, and removes the code from the address', async () => {
    await tab('Overview');
    remote.oauth.consents = 'deny';
    await button('Connect a merchant account').click();
    await alert().getByText('Google did not grant access').waitFor();
    expect(scene.page.url()).toBe(`${scene.address}/console/listings-ads`);
    expect(await scene.barriers()).toEqual([]);
    remote.oauth.consents = 'grant';

    remote.fail({ on: 'token', with: 'unavailable' });
    await button('Connect a merchant account').click();
    await alert().getByText('could not grant access now').waitFor();
    remote.repair();
    remote.fail({ on: 'token', with: 'invalid_client' });
    await button('Connect a merchant account').click();
    await alert().getByText('Google does not accept it').waitFor();
    remote.repair();
    const messages = new Set<string>();
    for (const code of ['invalid_state', 'module_disabled', 'entitlement_required', 'service_unavailable', 'another']) {
      await scene.open(`/listings-ads?error=${code}`);
      messages.add(await alert().innerText());
      await scene.page.waitForURL(`${scene.address}/console/listings-ads`);
    }
    expect(messages.size).toBe(5);
    await button('Dismiss').click();
    await alert().waitFor({ state: 'detached' });
  });

  it('connects through the browser', async () => {
    await button('Connect a merchant account').click();
    await section('Connection').getByText('owner@shop.example').waitFor();
    await section('Connection').getByText('5551234567').waitFor();
    await scene.page.getByRole('heading', { name: 'Nothing synced yet' }).waitFor();
    expect(await scene.barriers()).toEqual([]);
  });

  it('shows included and excluded items of the feed, and downloads it', async () => {
    const { page } = scene;
    await tab('Feed');
    await section('Excluded from the feed').getByText('It has no image.').waitFor();
    expect(await scene.barriers()).toEqual([]);
    await button('svc_100').click();
    await dialog().getByText('All about product 0.').waitFor();
    expect(await scene.barriers()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await button('Next').click();
    await section('Included in the feed')
      .getByText(`svc_${shop.idAt(PRODUCTS - 1) + 3}`)
      .waitFor();
    await button('Previous').click();
    await button('svc_100').waitFor();

    for (const [name, content] of [
      ['Download as RSS', '<g:id>svc_100</g:id>'],
      ['Download as TSV', '\nsvc_100\t'],
    ] as const) {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()]);
      expect(await readFile(await download.path(), 'utf8')).toContain(content);
    }
    shop.fail({ kind: 'status', status: 404 }, { at: /products\?/, times: 10 });
    await page.getByRole('link', { name: 'Download as RSS' }).click();
    await section('Download').getByRole('alert').waitFor();
    shop.repair();
  });

  it('saves feed settings, and shows faults at their fields, those of rows too', async () => {
    const { page } = scene;
    await tab('Settings');
    const feed = section('Feed settings');
    const save = button('Save feed settings');
    await feed.getByLabel('Target country').fill('u1');
    await save.click();
    await feed.getByText('A country is two capital letters').waitFor();
    await feed.getByLabel('Target country').fill('us');
    await feed.getByLabel('Shipping costs in offers').selectOption('rates');
    await save.click();
    await feed.getByText('The mode rates needs at least one rate.').waitFor();
    expect(await scene.barriers()).toEqual([]);

    await button('Add shipping rate').press('Enter');
    // The focus is in the new row, and after its removal at the button that adds.
    await page.keyboard.type('us');
    await button('Add shipping rate').press('Enter');
    await button('Remove shipping rate 2').press('Enter');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Add shipping rate');
    const rate = page.getByRole('group', { name: 'shipping rate 1' });
    expect(await rate.getByLabel('Country').inputValue()).toBe('US');
    await rate.getByLabel('Service').fill('Ground');
    await rate.getByLabel('Price with currency').fill('4.99');
    await feed.getByLabel('Tax in offers').selectOption('rates');
    await button('Add tax rate').click();
    const tax = page.getByRole('group', { name: 'tax rate 1' });
    await tax.getByLabel('Country').fill('us');
    await tax.getByLabel('Rate (%)').fill('8.25');
    await button('Add category mapping').click();
    const category = page.getByRole('group', { name: 'category mapping 1' });
    await category.getByLabel('Shop category').fill('Clothing');
    await category.getByLabel('Google category').fill('212');
    await save.click();
    await rate.getByText('The price must be an amount and a currency').waitFor();
    await rate.getByLabel('Price with currency').fill('4.99 USD');
    await save.click();
    await page.getByText('Feed settings saved.').waitFor();
    expect(await scene.barriers()).toEqual([]);

    // A long list is shown in pages. A fault on another page opens that page.
    const categories = Array.from({ length: 30 }, (_, number) => ({
      source_category: `Category ${number + 1}`,
      google_product_category: '212',
    }));
    await call(`${scene.address}/svc/v1/listings-ads/feed/settings`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${scene.ownerKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ category_mappings: categories }),
    });
    await feed.getByText('Page 1 of 2').waitFor();
    await button('Next').click();
    const last = page.getByRole('group', { name: 'category mapping 30' });
    await last.getByLabel('Shop category').fill('Category 1');
    await button('Previous').click();
    await page.getByRole('group', { name: 'category mapping 1', exact: true }).waitFor();
    await save.click();
    await last.getByText('This category is mapped already.').waitFor();
    await button('Remove category mapping 30').click();
    await save.click();
    await page.getByText('Page 2 of 2 · 29 in total').waitFor();

    const sync = section('Sync settings');
    await sync.getByLabel('Sync interval').fill('30');
    await button('Save sync settings').click();
    await sync.getByText('greater than or equal to 60').waitFor();
    await sync.getByLabel('Sync interval').fill('120');
    await sync.getByLabel('Deletion limit').fill('7');
    await button('Save sync settings').click();
    await page.getByText('Sync settings saved.').waitFor();

    await page.reload();
    expect(await feed.getByLabel('Rate (%)').inputValue()).toBe('8.25');
    await feed.getByText('Page 1 of 2 · 29 in total').waitFor();
    expect(await sync.getByLabel('Deletion limit').inputValue()).toBe('7');
    expect(await sync.getByLabel('Sync interval').inputValue()).toBe('120');
  });

  it('runs a sync, shows its progress, and explains its counts', async () => {
    const { page } = scene;
    remote.catalogue.review = ({ offerId }) =>
      offerId === 'svc_100'
        ? {
            status: 'disapproved',
            issues: [{ code: 'image_too_small', severity: 'DISAPPROVED', description: 'The image is too small.' }],
          }
        : { status: 'approved' };
    remote.fail({ on: 'offer', with: 'refused', offers: (id) => id === 'svc_110' });
    remote.fail({ on: 'batch', with: 'hang', times: 1 });
    await tab('Sync');
    await button('Start sync').click();
    await page.getByRole('progressbar', { name: 'Progress of the sync' }).waitFor();
    expect(await scene.barriers()).toEqual([]);
    await section('Last run').getByText('Some offers were not processed.').waitFor();
    // Sent, skipped, failed, deleted.
    expect(await counts()).toEqual([String(OFFERS - 1), '1', '1', '0']);
    remote.repair();

    // A product that does not exist, alone.
    await page.getByLabel('What to send').selectOption('single');
    await button('Start sync').click();
    await page.getByText('Please fill out this field.').waitFor();
    await page.getByLabel('Product ID').fill('99999');
    await button('Start sync').click();
    await section('Last run').getByText('The shop has no product 99999.').waitFor();
  });

  it('shows the details of a run', async () => {
    const { page } = scene;
    await section('Runs').getByRole('row').nth(2).getByRole('link').click();
    await section('Rejected by the merchant account').getByText('svc_110').waitFor();
    await section('Excluded').getByText('It has no image.').waitFor();
    expect(await scene.barriers()).toEqual([]);
    await scene.open('/listings-ads/sync/nothing');
    await alert().getByText('There is no log with this id, or it was pruned.').waitFor();
    await page.getByRole('link', { name: 'Back to runs' }).click();
    await section('Runs').waitFor();
  });

  it('lists offers by status and product, with the issues that Google reports', async () => {
    const { page } = scene;
    await tab('Overview');
    await section('Offers').getByRole('link', { name: '1 disapproved' }).click();
    await button('svc_100').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    expect(await scene.barriers()).toEqual([]);
    await button('svc_100').click();
    await dialog().getByText('The image is too small.').waitFor();
    expect(await scene.barriers()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('svc_100');

    await page.getByLabel('Status').selectOption('approved');
    await button('Next').click();
    await page.getByText('Page 2 of 2').waitFor();
    await button('Show all').click();
    await page.getByLabel('Product ID').fill('140');
    await page.keyboard.press('Enter');
    await page.waitForURL(/product=140$/);
    await button('svc_143').waitFor();
    // The rows of the former filter are shown until the response arrives.
    await eventually(async () => (await page.getByRole('row').count()) === 4);
    await scene.open('/listings-ads/offers?status=gone');
    await alert().getByText('The listing_status must be pending, approved, disapproved or expiring.').waitFor();
  });

  it('shows problems and the plan of a repair, and repairs them', async () => {
    const { page } = scene;
    const lost = [...remote.catalogue.offers].find(([, { offerId }]) => offerId === 'svc_200');
    remote.catalogue.offers.delete(lost![0]);
    await tab('Sync');
    await button('Start sync').click();
    await section('Last run').getByText('All offers were processed.').waitFor();
    await tab('Diagnostics');
    await page.getByRole('heading', { name: 'Offers missing at Google warning' }).waitFor();
    expect(await scene.barriers()).toEqual([]);
    await button('Repair: Offers missing at Google').click();
    await dialog().getByText('Nothing has changed yet.').waitFor();
    expect(await scene.barriers()).toEqual([]);
    expect(remote.catalogue.offer('svc_200')).toBeUndefined();
    await button('Repair now').click();
    await dialog().getByRole('link', { name: 'Show run' }).click();
    await section('Sync run').getByText('All offers were processed.').waitFor();
    expect(remote.catalogue.offer('svc_200')).toBeDefined();
    await tab('Diagnostics');
    // The shop does not have the categories that were mapped above.
    await page.getByText('1 of 16 checks found a problem.').waitFor();
    expect(await button('Repair…').count()).toBe(0);
  });

  it('sets a webhook, and resends failed deliveries', async () => {
    const { page } = scene;
    await tab('Webhook');
    await page.getByLabel('URL').fill('http://hooks.example/sluice');
    await button('Save webhook').click();
    await section('Webhook').getByText('must be asked over https').waitFor();
    await page.getByLabel('URL').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`);
    await button('Save webhook').click();
    await page.getByText('Copy the webhook’s secret now.').waitFor();
    expect(await scene.barriers()).toEqual([]);
    await page.getByLabel('Secret', { exact: true }).selectOption('own');
    await page.getByLabel('Your secret').fill('too short');
    await button('Save webhook').click();
    await page.getByText('The secret must be text of 16 to 200 characters').waitFor();

    await tab('Settings');
    await page.getByLabel('Send products that are out of stock').check();
    await button('Save feed settings').click();
    await page.getByText('Feed settings saved.').waitFor();
    await tab('Webhook');
    await button('svc_feed_settings_updated').click();
    await dialog().getByText('include_out_of_stock').first().waitFor();
    expect(await scene.barriers()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    receives = 204;
    await button('Resend all').click();
    await section('Dead letters').getByText('No dead letters.').waitFor();
    await button('Delete the webhook').click();
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
    await button('Delete the webhook').waitFor({ state: 'detached' });
  });

  it('fits a phone, whatever the screen', async () => {
    const phone = await scene.newPage({ width: 360, height: 740 });
    await scene.signIn(phone);
    for (const path of ['', '/sync', '/offers', '/feed', '/diagnostics', '/settings', '/webhook']) {
      await scene.open(`/listings-ads${path}`, phone);
      await phone.waitForFunction(() => document.querySelector('.loading') === null);
      expect([path, await scene.excess(phone)]).toEqual([path, 0]);
    }
    await phone.close();
  });

  it('asks to connect again after the grant is revoked, and disconnects', async () => {
    remote.oauth.expireAccessTokens();
    remote.oauth.revokeAll();
    await tab('Sync');
    await button('Start sync').click();
    await section('Last run').getByRole('button', { name: 'Connect again' }).waitFor();
    await button('Start sync').click();
    await section('Sync now').getByText('no longer accepts the access that was granted').waitFor();
    await section('Sync now').getByRole('button', { name: 'Connect again' }).click();
    await section('Connection').getByText('owner@shop.example').waitFor();

    remote.fail({ on: 'revoke', with: 'unavailable' });
    await button('Disconnect').click();
    expect(await scene.barriers()).toEqual([]);
    await dialog().getByRole('button', { name: 'Disconnect' }).click();
    await section('Connection').getByText('has not confirmed that the access is revoked').waitFor();
    remote.repair();
    await button('Turn off').click();
    await dialog().getByRole('button', { name: 'Turn off' }).click();
    await scene.page.getByRole('heading', { name: 'The module is off' }).waitFor();
  });
});

describeInChromium('the listings module of a server that has neither a shop nor an OAuth client', () => {
  const scene = consoleScene({
    MODULE_ENABLED_LISTINGS_ADS: 'on',
    ENTITLEMENTS: 'listings_ads',
    PLUGIN_NAMESPACE: 'shop',
  });

  it('shows which settings are missing', async () => {
    const { page } = scene;
    await scene.signIn();
    await scene.open('/listings-ads');
    await page.getByText(`${scene.address}/shop/v1/listings-ads/oauth/callback`).waitFor();
    await page.getByRole('button', { name: 'Connect a merchant account' }).click();
    await page.getByRole('alert').getByText('No OAuth client is configured.').waitFor();
    await page.getByRole('button', { name: 'Enter the OAuth client' }).click();
    await page.getByLabel('Client ID').fill('a client');
    await page.getByLabel('Client secret').fill('GOCSPX-secret');
    await page.getByRole('button', { name: 'Save OAuth client' }).click();
    await page.locator('.dialog').getByText('The client_id must be text of 1 to 255 characters').waitFor();
    expect(await scene.barriers()).toEqual([]);
    await page.getByLabel('Client ID').fill('client.apps.example');
    await page.getByRole('button', { name: 'Save OAuth client' }).click();
    await page.getByText('client.apps.example').first().waitFor();
    await page.getByRole('button', { name: 'Delete the OAuth client' }).click();
    await page.locator('.dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Create one in the Google Cloud console').first().waitFor();
    await page.getByRole('link', { name: 'Feed', exact: true }).click();
    await page.getByRole('region', { name: 'Preview' }).getByText('WOOCOMMERCE_URL').first().waitFor();
    await page.getByRole('link', { name: 'Download as TSV' }).click();
    await page.getByRole('region', { name: 'Download' }).getByRole('alert').waitFor();
    expect(await scene.barriers()).toEqual([]);

    await page.getByRole('link', { name: 'Diagnostics', exact: true }).click();
    await page.getByText('3 of 16 checks found a problem. 10 could not run.').waitFor();
    const check = (name: string) => page.getByRole('heading', { name, level: 3 });
    await check('Shop error').waitFor();
    await check('Merchant account not run').waitFor();
    await check('Repeated offer IDs not run').waitFor();
    expect(await page.getByRole('heading', { level: 3, name: / OK$/ }).allInnerTexts()).toHaveLength(3);
    expect(await scene.barriers()).toEqual([]);
  });

  it('is not offered to an owner who is not the operator', async () => {
    const { body } = await call<{ data: { owner_key: string } }>(`${scene.address}/api/dashboard/v1/owners`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${scene.ownerKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Ada' }),
    });
    const page = await scene.newPage();
    await scene.signIn(page, body.data.owner_key);
    await scene.open('/listings-ads', page);
    await page.getByText('only the operator, the first owner, can use this module').waitFor();
    expect(await page.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual([
      'Apps',
      'Activity',
      'Access tokens',
    ]);
    await scene.open('/tokens', page);
    await page.getByRole('button', { name: 'New access token' }).first().click();
    await page.getByLabel('keys.delete').waitFor();
    expect(await page.getByLabel('manage_store').count()).toBe(0);
    await page.context().close();
  });
});
