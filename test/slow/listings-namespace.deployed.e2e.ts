import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Hook } from '@sluice/contracts';
import { eventually } from '@sluice/testing';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call } from '../support/http';
import { listingsOf, type Listings } from '../support/listings';
import { startMerchantServer, type MerchantServer } from '../support/merchant-server';
import { sluice } from '../support/process';

const BASE = '/shop-1/v1';

onEachDeployment('the listings module under names of its own on $name', (kind) => {
  let remote: MerchantServer;
  let receiver: Server;
  let hooks: Hook[];
  let deployment: Deployment;
  let ownerKey: string;
  let listings: Listings;

  const address = () => deployment.gateways[0]!;
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    call(`${address()}${path}`, { headers });

  beforeAll(async () => {
    hooks = [];
    receiver = createServer((request, response) => {
      void json(request).then((hook) => {
        hooks.push(hook as Hook);
        response.writeHead(204).end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    remote = await startMerchantServer();
    deployment = await kind.deploy({
      ...remote.env,
      ...{ PLUGIN_NAME: 'acme', PLUGIN_NAMESPACE: 'shop-1' },
      ...{ MODULE_ENABLED_LISTINGS_ADS: 'on', ENTITLEMENTS: 'listings_ads' },
    });
    ownerKey = await deployment.ownerKey();
    listings = listingsOf(address, ownerKey, `${BASE}/listings-ads`);
  }, 180_000);

  afterAll(async () => {
    await deployment.destroy();
    await remote.close();
    receiver.close();
    receiver.closeAllConnections();
  }, 180_000);

  it('answers there, in its envelope, and nowhere else', async () => {
    const bearer = { Authorization: `Bearer ${ownerKey}` };
    expect(await ask(`${BASE}/listings-ads/overview`)).toMatchObject({
      status: 401,
      body: { success: false, data: { code: 'unauthenticated' } },
    });
    expect(await ask(`${BASE}/nothing`, bearer)).toMatchObject({ status: 404, body: { success: false } });
    expect(await ask(`${BASE}/%zz`, bearer)).toMatchObject({ status: 400, body: { success: false } });
    for (const path of ['/svc/v1/nothing', '/svc/v1', '/shop-1', '/shop-10/v1/listings-ads/overview']) {
      expect(await ask(path, bearer)).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    }
    expect(await ask('/openapi/listings-ads.json')).toMatchObject({ body: { servers: [{ url: BASE }] } });
    expect(await ask('/api/dashboard/v1/settings', bearer)).toMatchObject({
      body: { data: { plugin: { name: 'acme', namespace: 'shop-1' } } },
    });
  });

  it('is connected there', async () => {
    const { body } = await listings.send<{ authorization_url: string }>('POST', '/connect');
    const redirectUri = new URL(body.data.authorization_url).searchParams.get('redirect_uri') ?? '';
    expect(new URL(redirectUri).pathname).toBe(`${BASE}/listings-ads/oauth/callback`);
    await listings.connect(remote);
    expect(await listings.get('/connection')).toMatchObject({ connected: true });
  });

  it('takes the session of a browser there', async () => {
    const login = await call(`${address()}/api/dashboard/v1/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ owner_key: ownerKey }),
    });
    const cookies = login.headers.getSetCookie();
    expect(cookies.map((cookie) => /Path=([^;]+)/.exec(cookie)?.[1])).toEqual(['/api/dashboard/v1', BASE]);
    const [cookie = ''] = (cookies[1] ?? '').split(';');
    expect(await ask(`${BASE}/listings-ads/overview`, { Cookie: cookie })).toMatchObject({ status: 200 });
  });

  it('names its hooks', async () => {
    const saved = await call(`${address()}/api/dashboard/v1/listings/webhook`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${ownerKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` }),
    });
    expect(saved.status).toBe(200);
    expect(await listings.send('POST', '/feed/settings', { target_country: 'DE' })).toMatchObject({ status: 200 });
    await eventually(() => hooks.length !== 0);
    expect(hooks).toMatchObject([{ hook: 'acme_feed_settings_created', data: { target_country: 'DE' } }]);
  });

  it('is found by the command line', async () => {
    const env = { SLUICE_SERVER: address(), OWNER_KEY: ownerKey };
    const found = await sluice(['listings', 'status', '--json'], { ...env, PLUGIN_NAMESPACE: 'shop-1' });
    expect(found).toMatchObject({ code: 0, stderr: '' });
    const lost = await sluice(['listings', 'status'], env);
    expect(lost.code).not.toBe(0);
    expect(lost.stderr).toContain('PLUGIN_NAMESPACE');
  });
});
