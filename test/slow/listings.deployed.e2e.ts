import { onEachDeployment, type Deployment } from '../support/deployment';
import { call } from '../support/http';

interface Envelope {
  readonly success: boolean;
  readonly data: Record<string, unknown>;
  readonly message: string;
}

onEachDeployment('the listings module on $name', (kind) => {
  let deployment: Deployment;
  let ownerKey: string;

  beforeAll(async () => {
    deployment = await kind.deploy({ ENTITLEMENTS: 'listings_ads' });
    ownerKey = await deployment.ownerKey();
  }, 180_000);

  afterAll(() => deployment.destroy(), 180_000);

  function send<Body>(gateway: number, method: string, path: string, credential: string, body?: unknown) {
    return call<Body>(`${deployment.gateways[gateway % deployment.gateways.length]!}${path}`, {
      method,
      headers: { Authorization: `Bearer ${credential}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }
  const settings = (gateway: number, method: string, kindOf: 'feed' | 'sync', credential: string, body?: unknown) =>
    send<Envelope>(gateway, method, `/svc/v1/listings-ads/${kindOf}/settings`, credential, body);

  async function makeToken(...permissions: string[]): Promise<string> {
    const made = await send<{ data: { token: string } }>(0, 'POST', '/api/dashboard/v1/tokens', ownerKey, {
      name: 'store',
      permissions,
    });
    expect(made.status).toBe(201);
    return made.body.data.token;
  }

  it('is turned on by its owner, set by a token with manage_store, and keeps its settings over a restart', async () => {
    const token = await makeToken('manage_store');
    expect(await settings(0, 'GET', 'feed', await makeToken())).toMatchObject({
      status: 403,
      body: { data: { code: 'forbidden' } },
    });
    expect(await settings(0, 'GET', 'feed', token)).toMatchObject({
      status: 403,
      body: { success: false, data: { code: 'module_disabled' } },
    });
    expect(await send(0, 'PUT', '/api/dashboard/v1/listings', ownerKey, { enabled: true })).toMatchObject({
      status: 200,
      body: { data: { enabled: true, entitled: true } },
    });

    // Another gateway and another replica answer what was just written.
    const rates = [{ country: 'DE', service: 'Paket', price: '4.99 EUR' }];
    const changes = { target_country: 'DE', shipping_settings: { mode: 'rates', rates }, tax_settings: {} };
    const saved = await settings(0, 'POST', 'feed', token, changes);
    expect(saved).toMatchObject({
      status: 200,
      body: {
        success: true,
        data: { target_country: 'DE', content_language: 'en', shipping_settings: { rates }, tax_settings: null },
      },
    });
    expect((await settings(1, 'GET', 'feed', ownerKey)).body.data).toEqual(saved.body.data);
    expect(await settings(1, 'POST', 'sync', token, { sync_interval_minutes: 59 })).toMatchObject({
      status: 422,
      body: { data: { code: 'invalid_settings', errors: { sync_interval_minutes: [expect.any(String)] } } },
    });
    expect(await settings(0, 'POST', 'feed', token, { shipping_settings: { mode: 'rates' } })).toMatchObject({
      status: 422,
      body: { data: { code: 'invalid_settings', errors: { 'shipping_settings.rates': [expect.any(String)] } } },
    });

    expect(await deployment.stop()).toEqual(deployment.processes.map(() => 0));
    await deployment.start();
    expect((await settings(0, 'GET', 'feed', token)).body.data).toEqual(saved.body.data);
    expect((await settings(0, 'GET', 'sync', token)).body.data).toMatchObject({ sync_interval_minutes: 720 });
  }, 180_000);
});
