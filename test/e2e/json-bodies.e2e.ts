import { standalone, type Deployment } from '../support/deployment';
import { call, management } from '../support/http';

const PUBLIC = '/api/public/v1';
const DASHBOARD = '/api/dashboard/v1';
const STORE = '/svc/v1/listings-ads';

describe('the JSON bodies of every plane', () => {
  let deployment: Deployment;
  let address: string;
  let ownerKey: string;
  let token: string;
  let appKey: string;

  const send = (method: string, path: string, body?: string) =>
    call<{ errors?: object; success?: boolean; data?: { code?: string; errors?: object } }>(address + path, {
      method,
      headers: {
        Authorization: `Bearer ${path.startsWith(PUBLIC) ? token : ownerKey}`,
        ...(path.startsWith('/api/v1/') && {
          ...{ 'X-API-Key': appKey, 'X-Device-ID': 'd', 'X-Bundle-Version': '1.0.0', 'X-Platform': 'ios' },
        }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });

  beforeAll(async () => {
    deployment = await standalone.deploy({ ENTITLEMENTS: 'listings_ads', MODULE_ENABLED_LISTINGS_ADS: 'true' });
    address = deployment.gateways[0]!;
    ownerKey = await deployment.ownerKey();
    const made = await call<{ data: { token: string } }>(`${address}${DASHBOARD}/tokens`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ownerKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'ci', all_apps: true }),
    });
    token = made.body.data.token;
    await management(address, token).post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    const key = await management(address, token).post('/apps/1/api-keys', { name: 'installs' });
    appKey = key.body.data['plaintext_key'] as string;
  }, 60_000);

  afterAll(() => deployment.destroy(), 30_000);

  it.each([
    ['POST', `${PUBLIC}/apps`],
    ['PATCH', `${PUBLIC}/apps/1`],
    ['POST', `${PUBLIC}/apps/1/signing-key`],
    ['POST', `${PUBLIC}/apps/1/api-keys/1/revoke`],
    ['PATCH', `${PUBLIC}/apps/1/api-keys/1/restrictions`],
    ['POST', `${DASHBOARD}/session`],
    ['POST', `${DASHBOARD}/tokens`],
    ['PATCH', `${DASHBOARD}/tokens/1`],
    ['PUT', `${DASHBOARD}/listings`],
    ['POST', `${DASHBOARD}/secrets/reseal`],
    ['POST', `${DASHBOARD}/secrets/data-keys/rotate`],
    ['POST', `${STORE}/feed/settings`],
    ['POST', `${STORE}/sync/settings`],
    ['POST', `${STORE}/sync/now`],
    ['POST', `${STORE}/diagnostics/repair`],
    ['POST', '/api/v1/analytics/mau'],
    ['POST', '/api/v1/analytics/install'],
  ])('%s %s rejects what is no object', async (method, path) => {
    for (const body of ['null', '[]', '5', '"x"', 'true']) {
      const { status, body: answer } = await send(method, path, body);
      const inEnvelope = path.startsWith(STORE) ? answer.data?.errors : answer.errors;
      expect([body, status, inEnvelope]).toEqual([
        body,
        422,
        { body: [expect.stringMatching(/^The body must be a JSON object, for example {}\. Received: /)] },
      ]);
      if (path.startsWith(STORE)) expect(answer).toMatchObject({ success: false, data: { code: 'invalid_settings' } });
    }
  });

  it.each([
    ['PATCH', `${PUBLIC}/apps/1`],
    ['POST', `${PUBLIC}/apps/1/api-keys/1/deprecate`],
    ['POST', `${DASHBOARD}/secrets/reseal`],
    ['POST', `${STORE}/sync/settings`],
    ['POST', '/api/v1/analytics/mau'],
  ])('%s %s requires no member, so that no body is as good as {}', async (method, path) => {
    for (const body of [undefined, '', '{}']) {
      expect(await send(method, path, body)).toMatchObject({ status: 200 });
    }
  });

  it('names what is required where no body was sent', async () => {
    const answer = await send('POST', `${PUBLIC}/apps`);
    expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([422, ['name']]);
  });
});
