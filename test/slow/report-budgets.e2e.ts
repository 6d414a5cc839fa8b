import { standalone, type Deployment } from '../support/deployment';
import { call, checkUpdate, management } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

jest.setTimeout(120_000);

describe('budgets of device reports', () => {
  let deployment: Deployment | undefined;

  afterEach(() => deployment?.destroy());

  /** An app with a key, on a server with these settings. */
  const start = async (env: Readonly<Record<string, string>>) => {
    const started = (deployment = await standalone.deploy(env));
    const address = started.gateways[0]!;
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: address,
      DATA_DIR: started.dataDir,
    });
    const api = management(address, (JSON.parse(made.stdout) as { token: string }).token);
    await api.post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    const { body } = await api.post<{ data: { plaintext_key: string } }>('/apps/com.example.shop/api-keys', {
      name: 'installs',
    });
    const key = body.data.plaintext_key;
    const report = (device: string) =>
      call<{ readonly error?: { readonly code: string } }>(`${address}/api/v1/analytics/mau`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'X-Device-ID': device, 'X-Bundle-Version': '1.0.0', 'X-Platform': 'ios' },
      });
    const check = () => checkUpdate(address, key, 'a', '1.0.0');
    return { api, report, check };
  };

  it('rejects reports of an app that has used up its day, and nothing else', async () => {
    const { api, report, check } = await start({ REPORTS_PER_APP_PER_DAY: '10' });
    let stored = 0;
    let refused = await report('0');
    for (; refused.status === 200 && stored < 20; stored += 1) refused = await report(String(stored + 1));
    // Reports that arrive while the stored ones are counted may count twice.
    expect(stored).toBeGreaterThanOrEqual(8);
    expect(stored).toBeLessThanOrEqual(10);
    expect([refused.status, refused.body.error?.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // Nor is the state of the device stored.
    const device = await api.get(`/apps/com.example.shop/devices/${stored}`);
    expect(device).toMatchObject({ status: 200, body: { data: { state: null, reports: 0 } } });
    expect((await check()).status).toBe(200);
  });

  it('rejects reports while the disk is short, and continues uploads, changes and checks', async () => {
    const { api, report, check } = await start({ MIN_FREE_DISK_BYTES: String(Number.MAX_SAFE_INTEGER) });
    const refused = await report('a');
    expect([refused.status, refused.body.error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(refused.headers.get('retry-after')).toBe('60');
    const bundle = await zipOf({ 'index.html': 'x' });
    const uploaded = await api.upload('/apps/com.example.shop/builds', bundle, {
      version: '1.1.0',
      channel: 'production',
    });
    expect(uploaded.status).toBe(202);
    expect((await api.post('/apps', { name: 'Other', bundle_id: 'com.example.other' })).status).toBe(201);
    expect((await check()).status).toBe(200);
  });
});
