import { maskedUrl } from '@sluice/config';
import type { EffectiveSettings } from '@sluice/contracts';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, management } from '../support/http';
import { sluice } from '../support/process';

onEachDeployment('settings, $name', (kind) => {
  let deployment: Deployment;
  let address: string;

  const read = async (key: string) => {
    const { status, body } = await call<{ data: EffectiveSettings }>(`${address}/api/dashboard/v1/settings`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(status).toBe(200);
    return body.data;
  };

  beforeAll(async () => {
    deployment = await kind.deploy({
      APP_LIMIT: '7',
      API_KEY_RECOVERY: 'off',
      OBJECT_GRACE_SECONDS: '60',
      TRUSTED_PROXIES: '10.0.0.0/8',
    });
    address = deployment.gateways[0]!;
  }, 180_000);

  afterAll(() => deployment.destroy(), 60_000);

  it('show an owner the settings, and the operator the engines as well', async () => {
    const operator = await deployment.ownerKey();
    const made = await call<{ data: { owner_key: string } }>(`${address}/api/dashboard/v1/owners`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${operator}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Ann' }),
    });
    const theirs = await read(made.body.data.owner_key);
    expect(theirs).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      public_url: address,
      limits: { apps: 7, downloads_per_address: 512 },
      api_keys: { recovery: false },
      retention: { object_grace_seconds: 60 },
      installation: null,
    });
    const { installation, device_url: deviceUrl, ...common } = await read(operator);
    expect({ ...common, device_url: theirs.device_url, installation: null }).toEqual(theirs);
    expect([deployment.devices.includes(theirs.device_url!), deployment.devices.includes(deviceUrl!)]).toEqual([
      true,
      true,
    ]);
    expect(installation).toMatchObject({
      event_store: maskedUrl(deployment.env['EVENT_STORE_URL'] ?? `sqlite:${deployment.dataDir}/events.db`),
      object_store: maskedUrl(deployment.env['OBJECT_STORE_URL'] ?? `file:${deployment.dataDir}/objects`),
      bus: expect.stringMatching(/^(inproc:|nats:)/),
      trusted_proxies: ['10.0.0.0/8'],
    });
  });

  it('lead from the gateway to the server that devices ask', async () => {
    const env = { SLUICE_SERVER: address, OWNER_KEY: await deployment.ownerKey() };
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], env);
    const api = management(address, (JSON.parse(made.stdout) as { token: string }).token);
    const { body: app } = await api.post('/apps', { name: 'Shop' });
    const { body: key } = await api.post(`/apps/${String(app.data['id'])}/api-keys`, { name: 'installs' });

    const device = ['--key', String(key.data['plaintext_key']), '--device', 'd', '--current', '1.0.0'];
    const { code, stdout, stderr } = await sluice(['check', ...device, '--json'], { SLUICE_SERVER: address });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ available: false, message: 'No updates available' });

    const description = await fetch(`${address}/openapi/device.json`);
    const { servers } = (await description.json()) as { servers: { url: string }[] };
    const named = deployment.devices.map((url) => (url === address ? '/api/v1' : `${url}/api/v1`));
    expect(named).toContain(servers[0]?.url);
  });

  it('are read by the CLI', async () => {
    const { code, stdout } = await sluice(['settings', '--json'], {
      SLUICE_SERVER: address,
      OWNER_KEY: await deployment.ownerKey(),
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      limits: { apps: 7 },
      installation: { event_store_prefix: deployment.env['EVENT_STORE_PREFIX'] ?? '' },
    });
  });
});
