import { setTimeout as pause } from 'node:timers/promises';
import type { AppHealth, AppOverview } from '@sluice/contracts';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, checkUpdate, management } from '../support/http';
import { zipOf } from '../support/zip';

interface Page {
  readonly data: readonly AppOverview[];
  readonly meta: object;
}

onEachDeployment('the overview of apps, $name', (kind) => {
  let deployment: Deployment;
  let ownerKey: string;
  let api: ReturnType<typeof management>;
  const dashboard = <Body>(method: string, path: string, body?: unknown, key = ownerKey) =>
    call<Body>(`${deployment.gateways[0]!}/api/dashboard/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const overview = async (query = '', key = ownerKey) =>
    (await dashboard<Page>('GET', `/overview${query}`, undefined, key)).body;
  const upload = async (file: Uint8Array, fields: Record<string, string>, wanted: string): Promise<number> => {
    const { body } = await api.upload('/apps/1/builds', file, fields);
    const { id } = body.data.build;
    for (let status: unknown; status !== wanted;) {
      await pause(20);
      status = (await api.get(`/apps/1/builds/${id}`)).body.data['status'];
    }
    return id;
  };

  beforeAll(async () => {
    deployment = await kind.deploy({ JOB_CONTENT_RETRY_DELAYS_MS: '1,1,1' });
    ownerKey = await deployment.ownerKey();
    const token = await dashboard<{ data: { token: string } }>('POST', '/tokens', { name: 'ci', all_apps: true });
    api = management(deployment.gateways[0]!, token.body.data.token);
    for (const name of ['Shop', 'Till']) await api.post('/apps', { name, bundle_id: `com.example.${name}` });
  }, 120_000);

  afterAll(() => deployment.destroy(), 60_000);

  it('shows of each app what its channels serve and how it fares', async () => {
    const bundle = await zipOf({ 'index.html': 'x' });
    await upload(bundle, { version: '1.0.0', channel: 'production' }, 'active');
    const served = await upload(
      bundle,
      { version: '1.10.0', channel: 'production', rollout_percentage: '25', mandatory: 'true' },
      'active',
    );
    const paused = await upload(bundle, { version: '1.0.0', channel: 'staging' }, 'active');
    await api.patch(`/apps/1/builds/${paused}`, { status: 'paused' });
    await upload(bundle.subarray(0, -30), { version: '2.0.0', channel: 'staging' }, 'failed');
    await api.patch(`/apps/1/builds/${served}/rollout`, { enabled: false });
    const steps = [{ percentage: 50, hold_minutes: 0, min_devices: 0 }];
    const set = await api.put(`/apps/1/builds/${served}/plan`, { steps, start_at: '2100-01-01T00:00:00Z' });
    expect(set.status).toBe(200);

    const made = await api.post<{ data: { id: number; plaintext_key: string } }>('/apps/1/api-keys', { name: 'web' });
    const { id: keyId, plaintext_key: key } = made.body.data;
    const device = deployment.devices[0]!;
    const offer = await checkUpdate(device, key, 'first', '0.9.0');
    const { bundleId } = offer.body as unknown as { readonly bundleId: string };
    const report = (what: string, id: string, body?: object, version = '1.0.0') =>
      call(`${device}/api/v1/analytics/${what}`, {
        method: 'POST',
        headers: {
          ...{ 'X-API-Key': key, 'X-Device-ID': id, 'X-Bundle-Version': version, 'X-Platform': 'ios' },
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    for (const id of ['first', 'second', 'third', 'first']) expect((await report('mau', id)).status).toBe(200);
    // A device that updates counts once.
    expect((await report('mau', 'first', undefined, '1.10.0')).status).toBe(200);
    for (const [id, status] of [
      ['first', 'failed'],
      ['second', 'failed'],
      ['third', 'rollback'],
    ] as const) {
      expect((await report('install', id, { bundle_id: bundleId, status })).status).toBe(200);
    }
    await api.patch(`/apps/1/api-keys/${keyId}/restrictions`, { origins: ['https://shop.example.com'] });
    for (const each of deployment.devices) expect((await checkUpdate(each, key, 'first', '1.0.0')).status).toBe(403);

    let page = await overview();
    while (page.data[0]?.blocked?.count !== deployment.devices.length) {
      await pause(100);
      page = await overview();
    }
    const plan = {
      ...{ build_id: served, version: '1.10.0', channel: 'production' },
      ...{ status: 'running', because: null, percentage: null, reasons: [] },
    };
    const failing = {
      ...{ build_id: 1, version: '1.0.0', channel: 'production', state: 'live', recalled: false },
      // The second device runs 1.0.0, which is a build of two channels, and has installed neither.
      ...{ rollout_percentage: 100, running: 0, installed: 0, failed: 2, rolled_back: 1, channel_devices: 3 },
      ...{ attempts: 3, failed_attempts: 3, failed_percent: 100, limit_percent: 2 },
      ...{ health: 'failing', judged_by: 'default', baseline_build_id: null },
    };
    const halted = {
      ...{ build_id: served, version: '1.10.0', channel: 'production', state: 'stopped', recalled: false },
      ...{ rollout_percentage: 25, running: 1, installed: 0, failed: 0, rolled_back: 0, channel_devices: 3 },
      ...{ attempts: 0, failed_attempts: 0, failed_percent: null, limit_percent: 2 },
      ...{ health: 'unknown', judged_by: 'plan', baseline_build_id: null },
    };
    const [{ devices, ...shop }, till] = page.data as [AppOverview, AppOverview];
    expect(shop).toEqual({
      ...{ id: 1, app_id: 'com.example.Shop', name: 'Shop', platform: 'both' },
      builds: { processing: 0, failed: 1, recalled: [] },
      blocked: { count: deployment.devices.length, last_at: expect.any(String) },
      plans: [plan],
      health: [failing, halted],
    });
    const health = await api.get<{ data: AppHealth }>('/apps/1/health');
    expect(health.body.data).toMatchObject({ devices: 3, builds: [halted, failing] });
    expect(health.body.data.builds[0]!.days).toHaveLength(7);
    expect((await dashboard<{ data: unknown }>('GET', '/apps/1/plans')).body.data).toEqual([plan]);
    const build = {
      ...{ id: served, version: '1.10.0', state: 'stopped' },
      ...{ rollout_percentage: 25, rollout_enabled: false, mandatory: true },
    };
    expect(devices).toMatchObject({
      channels: [
        { channel: 'production', build },
        { channel: 'staging', build: null },
        { channel: 'development', build: null },
      ],
      ...{ install_failures: 2, rollbacks: 1 },
    });
    // The day may have ended meanwhile.
    expect(devices!.active_today + devices!.active_yesterday).toBe(3);
    expect(till).toMatchObject({
      devices: { active_today: 0, active_yesterday: 0, install_failures: 0, rollbacks: 0 },
      ...{ builds: { processing: 0, failed: 0, recalled: [] }, blocked: { count: 0, last_at: null } },
      ...{ plans: [], health: [] },
    });
  }, 60_000);

  it('comes in pages, and holds no apps of other owners', async () => {
    const second = await overview('?page=2&per_page=1');
    expect(second.data.map(({ name }) => name)).toEqual(['Till']);
    expect(second.meta).toEqual({ current_page: 2, last_page: 2, per_page: 1, total: 2 });
    const made = await dashboard<{ data: { owner_key: string } }>('POST', '/owners', { name: 'Ann' });
    const { owner_key: other } = made.body.data;
    expect((await overview('', other)).data).toEqual([]);
    expect((await dashboard('GET', '/apps/1/plans', undefined, other)).status).toBe(404);
    expect((await dashboard('GET', '/overview?per_page=51')).status).toBe(422);
  });

  it('lists the activity of all apps of an owner, newest first, and of no other owner', async () => {
    interface Activity {
      readonly data: {
        readonly entries: readonly { readonly type: string; readonly app: number; readonly app_name: string }[];
        readonly older: string | null;
        readonly apps_left_out: number;
      };
    }
    const activity = async (query = '', key = ownerKey) =>
      (await dashboard<Activity>('GET', `/activity${query}`, undefined, key)).body.data;
    await api.patch('/apps/2', { description: 'The till.' });
    let page = await activity();
    while (page.entries[0]?.type !== 'AppEdited') {
      await pause(20);
      page = await activity();
    }
    expect(page.entries[0]).toMatchObject({ app: 2, app_name: 'Till', actor_name: 'ci' });
    expect(page.entries.at(-1)).toMatchObject({ app: 1, type: 'AppRegistered' });
    expect(page).toMatchObject({ older: null, apps_left_out: 0 });
    const registered = await activity('?type=AppRegistered&actor=token:1');
    expect(registered.entries.map(({ app }) => app)).toEqual([2, 1]);
    expect((await activity('?type=AppRegistered&actor=token:9')).entries).toEqual([]);

    const made = await dashboard<{ data: { owner_key: string } }>('POST', '/owners', { name: 'Bob' });
    expect(await activity('', made.body.data.owner_key)).toEqual({ entries: [], older: null, apps_left_out: 0 });
    expect((await dashboard('GET', '/activity?before=%2F')).status).toBe(422);
  });
});
