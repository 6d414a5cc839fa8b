import { setTimeout as pause } from 'node:timers/promises';
import type { Adoption, BuildStats, Explanation } from '@sluice/contracts';
import { eventually } from '@sluice/testing';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, checkUpdate, management } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

jest.setTimeout(120_000);

type Kind = 'mau' | 'download' | 'install';
interface Recorded {
  readonly success?: boolean;
  readonly recorded_at?: string;
  readonly error?: { readonly code: string };
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

onEachDeployment('reports of devices, $name', (kind) => {
  const run = kind.available ? it : it.skip;
  let deployment: Deployment;
  let token: string;
  let key: string;
  let buildId: number;
  let bundleId = '';
  let checks = 0;
  let turn = 0;

  const gateway = () => deployment.gateways[0]!;
  /** One after the other: whichever process takes a report, it counts the same. */
  const device = () => deployment.devices[(turn += 1) % deployment.devices.length]!;
  const api = () => management(gateway(), token);
  const app = '/apps/com.example.shop';

  const report = (what: Kind, id: string, body?: object, headers: Record<string, string> = {}) =>
    call<Recorded>(`${device()}/api/v1/analytics/${what}`, {
      method: 'POST',
      headers: {
        ...{ 'X-API-Key': key, 'X-Device-ID': id, 'X-Bundle-Version': '1.0.0', 'X-Platform': 'ios' },
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const ended = (status: 'complete' | 'failed' | 'rollback', more: object = {}) => ({
    bundle_id: bundleId,
    status,
    ...more,
  });
  const stats = async () => (await api().get<{ data: BuildStats }>(`${app}/builds/${buildId}/stats`)).body.data;
  const adoption = async (query = '') => (await api().get<{ data: Adoption }>(`${app}/adoption${query}`)).body.data;
  const forget = (id: string) =>
    call<{ data: { deleted: number } }>(`${gateway()}/api/public/v1${app}/devices/${encodeURIComponent(id)}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${token}` },
    });

  beforeAll(async () => {
    if (!kind.available) return;
    deployment = await kind.deploy();
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: gateway(),
      DATA_DIR: deployment.dataDir,
    });
    token = (JSON.parse(made.stdout) as { token: string }).token;
    await api().post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    key = (await api().post<{ data: { plaintext_key: string } }>(`${app}/api-keys`, { name: 'installs' })).body.data
      .plaintext_key;
    const bundle = await zipOf({ 'index.html': 'x' });
    const { body } = await api().upload(`${app}/builds`, bundle, { version: '1.1.0', channel: 'production' });
    buildId = body.data.build.id;
    while (bundleId === '') {
      await pause(50);
      checks += 1;
      const offer = (await checkUpdate(deployment.devices[0]!, key, 'first', '1.0.0')).body as { bundleId?: string };
      bundleId = offer.bundleId ?? '';
    }
  }, 180_000);

  afterAll(async () => {
    if (kind.available) await deployment.destroy();
  });

  run('count each thing of each device once, whichever process takes it', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (const id of ['a', 'b', 'c']) {
        expect(await report('download', id, ended('complete'))).toMatchObject({ status: 200, body: { success: true } });
        expect((await report('install', id, ended('complete', { previous_version: '1.0.0' }))).status).toBe(200);
        const active = await report('mau', id);
        expect(active).toMatchObject({ status: 200, body: { success: true, recorded_at: expect.any(String) } });
      }
      await report('download', 'd', ended('failed', { error: 'no space' }));
      await report('install', 'c', ended('rollback', { error: 'blank page', previous_version: '1.0.0' }));
      await report('install', 'd', ended('failed', { error: 'no space' }));
      await report('mau', 'a', undefined, { 'X-Bundle-Version': '1.1' });
    }
    const { totals, days, errors } = await stats();
    const expected = { downloads: 3, download_failures: 1, installs: 3, install_failures: 1, rollbacks: 1 };
    expect(totals).toMatchObject(expected);
    expect(days).toHaveLength(30);
    expect(days.at(-1)).toMatchObject({ day: new Date().toISOString().slice(0, 10), ...expected });
    expect(errors).toMatchObject([
      { report: 'download', error: 'no space', count: 1 },
      { report: 'install', error: 'no space', count: 1 },
      { report: 'rollback', error: 'blank page', count: 1 },
    ]);
    const { days: told, versions } = await adoption('?from=2026-01-01&to=2026-01-02');
    expect({ told, versions }).toEqual({ told: ['2026-01-01', '2026-01-02'], versions: [] });
    const { total, versions: reported, platforms, native_versions: natives } = await adoption();
    // The device a reported both versions, and counts for the last one.
    expect([total.at(-1), platforms.map(({ platform, active }) => [platform, active.at(-1)]), natives]).toEqual([
      3,
      [['ios', 3]],
      [],
    ]);
    expect(reported.map(({ version, active }) => [version, active.at(-1)])).toEqual([
      ['1.0.0', 2],
      ['1.1.0', 1],
    ]);
  });

  run('are refused as the specification says, and then count nothing', async () => {
    // Checks are counted some seconds later.
    await eventually(async () => (await stats()).totals.checks >= checks, { everyMs: 100 });
    const before = (await stats()).totals;
    const unknown = '3f3b4d76-6a5c-4b8e-9a53-1b2f3d4c5e6f';
    const refusals: [Promise<{ status: number; body: Recorded }>, number, string | string[]][] = [
      [report('mau', 'x', undefined, { 'X-API-Key': '' }), 401, 'MISSING_API_KEY'],
      [report('install', 'x', {}, { 'X-API-Key': token }), 401, 'INVALID_API_KEY_FORMAT'],
      [report('download', '', {}), 400, 'MISSING_DEVICE_ID'],
      [report('mau', 'x', undefined, { 'X-Bundle-Version': '' }), 422, ['X-Bundle-Version']],
      [report('install', 'x', {}), 422, ['bundle_id', 'status']],
      [report('install', 'x', ended('complete', { error: 'x'.repeat(501) })), 422, ['error']],
      [report('download', 'x', ended('rollback')), 422, ['status']],
      [report('download', 'x', { bundle_id: unknown, status: 'complete' }), 404, 'BUILD_NOT_FOUND'],
    ];
    for (const [refused, status, fault] of refusals) {
      const { status: answered, body } = await refused;
      expect([answered, body.error?.code ?? Object.keys(body.errors ?? {})]).toEqual([status, fault]);
    }
    expect((await stats()).totals).toEqual(before);
    expect(await api().get<Recorded>(`${app}/builds/999/stats`)).toMatchObject({
      status: 404,
      body: { error: { code: 'BUILD_NOT_FOUND' } },
    });
  });

  run('hold nothing that names a device, which can be exported and forgotten', async () => {
    const id = 'gerät-'.padEnd(255, 'ü');
    const sent = Buffer.from(id, 'utf8').toString('latin1');
    await report('mau', sent);
    await report('install', sent, ended('complete'));
    const path = `${app}/devices/${encodeURIComponent(id)}`;
    expect((await api().get(path)).body).toEqual({
      data: {
        state: {
          ...{ last_seen_at: expect.any(String), version: '1.1.0', native_version: null, platform: 'ios' },
          ...{ channel: 'production', api_key_id: expect.any(Number) },
          last_outcome: { build_id: buildId, report: 'install', status: 'complete' },
        },
        reports: 2,
        rolled_back: [],
        pins: [],
        channel_pins: [],
        groups: [],
        chosen_channel: null,
      },
    });
    expect(await api().get(`${path}/reports`)).toMatchObject({
      status: 200,
      body: {
        data: [
          { report: 'active', version: '1.0.0', platform: 'ios' },
          { report: 'install', status: 'complete', build_id: buildId },
        ],
        meta: { total: 2 },
      },
    });
    expect((await api().get(`${app}/devices/${'x'.repeat(256)}`)).status).not.toBe(200);
    const before = (await stats()).totals.installs;
    const forgotten = await forget(id);
    expect(forgotten).toMatchObject({ status: 200, body: { data: { deleted: 2 } } });
    expect((await stats()).totals.installs).toBe(before - 1);
    expect((await forget(id)).body.data).toEqual({ deleted: 0 });
    expect((await api().get(path)).body).toEqual({
      data: { state: null, reports: 0, rolled_back: [], pins: [], channel_pins: [], groups: [], chosen_channel: null },
    });
    expect((await forget('x'.repeat(256))).status).not.toBe(200);
    const log = deployment.processes.flatMap((process) => process.log).join('\n');
    expect(log.includes('ger%C3%A4t') || log.includes('gerät')).toBe(false);
  });

  run('explain which build a device gets', async () => {
    const explain = async (query: string) =>
      (await api().get<{ data: Explanation }>(`${app}/explain?device=a&platform=ios&${query}`)).body.data;
    expect(await explain('version=v1.0')).toMatchObject({
      ...{ channel: 'production', version: '1.0.0', app_version: null },
      offered: { build_id: buildId, version: '1.1.0', mandatory: false, mandatory_because_of: [] },
      newer: [{ build_id: buildId, status: 'active', offered: true, why_not: [] }],
    });
    await api().patch(`${app}/builds/${buildId}/rollout`, { rollout_percentage: 0, enabled: false });
    await api().patch(`${app}/builds/${buildId}`, { status: 'paused', min_native_version: '9' });
    expect(await explain('version=1.0.0&app_version=8')).toMatchObject({
      offered: null,
      newer: [{ offered: false, why_not: ['status', 'native_version', 'halted', 'rollout'] }],
    });
    expect((await explain('version=1.1.0')).newer).toEqual([]);
    const wrong = await api().get<Recorded>(`${app}/explain?platform=tv&version=latest&channel=beta`);
    expect([wrong.status, Object.keys(wrong.body.errors ?? {})]).toEqual([
      422,
      ['device', 'version', 'platform', 'channel'],
    ]);
  });

  run('know the build that a device is pinned to, until it is forgotten', async () => {
    const { body } = await api().upload(`${app}/builds`, await zipOf({ 'index.html': 'y' }), {
      ...{ version: '1.2.0', channel: 'production', rollout_percentage: '1' },
    });
    const { id } = body.data.build;
    const pins = `${app}/builds/${id}/pins`;
    await api().patch(`${app}/builds/${id}/rollout`, { rollout_percentage: 0 });
    const offered = async (deviceId: string) =>
      Promise.all(
        deployment.devices.map(async (address) => (await checkUpdate(address, key, deviceId, '1.1.0')).body.version),
      );
    const everywhere = (version: string | undefined) => deployment.devices.map(() => version);
    const until = (deviceId: string, version: string | undefined) =>
      eventually(async () => (await offered(deviceId)).every((each) => each === version), { everyMs: 50 });
    expect(await api().patch(pins, { add: ['phone', 'tablet'] })).toMatchObject({
      ...{ status: 200, body: { data: { build_id: id, devices: 2 } } },
    });
    await until('phone', '1.2.0');
    expect(await offered('other')).toEqual(everywhere(undefined));
    const explained = await api().get<{ data: Explanation }>(`${app}/explain?device=phone&platform=ios&version=1.1.0`);
    expect(explained.body.data.newer).toMatchObject([{ build_id: id, pinned: true, offered: true, why_not: [] }]);
    const history = await api().get<{ data: object[] }>(`${app}/history?build=${id}&type=PinsChanged`);
    expect(history.body.data).toMatchObject([{ actor: 'token:1', build_id: id, after: { pinned_devices: 2 } }]);
    expect((await forget('phone')).status).toBe(200);
    await until('phone', undefined);
    expect(await api().get(pins)).toMatchObject({ status: 200, body: { data: { devices: 1 } } });
    expect(await api().delete(pins)).toMatchObject({ status: 200, body: { data: { devices: 0 } } });
    await until('tablet', undefined);
    expect(await api().patch(pins, { add: [''], expires_at: 'soon' })).toMatchObject({ status: 422 });
    expect(await api().patch(`${app}/builds/9999/pins`, { add: ['x'] })).toMatchObject({ status: 404 });
  });

  run('survive a restart, and a kill in the middle of a stream of them', async () => {
    const before = (await stats()).totals.downloads;
    const acknowledged = new Set<string>();
    const all = Array.from({ length: 600 }, (_, n) => `stream-${n}`);
    const send = async (id: string): Promise<void> => {
      const answer = await report('download', id, ended('complete')).catch(() => undefined);
      if (answer?.status === 200) acknowledged.add(id);
    };
    const victims = deployment.processes.filter(({ name }) => name === 'standalone' || name === 'device-updates');
    const sending = (async () => {
      for (let n = 0; n < all.length; n += 20) await Promise.all(all.slice(n, n + 20).map(send));
    })();
    await eventually(() => acknowledged.size >= 100, { everyMs: 1 });
    await Promise.all(victims.map((victim) => victim.stop('SIGKILL')));
    await sending;
    expect(acknowledged.size).toBeGreaterThanOrEqual(100);
    expect(acknowledged.size).toBeLessThan(all.length);
    for (const victim of victims) await deployment.revive(victim).ready;
    const counted = (await stats()).totals.downloads - before;
    expect(counted).toBeGreaterThanOrEqual(acknowledged.size);
    expect(counted).toBeLessThanOrEqual(all.length);

    // Devices send again what was not answered, and what was.
    for (let n = 0; n < all.length; n += 50) await Promise.all(all.slice(n, n + 50).map(send));
    expect(acknowledged.size).toBe(all.length);
    expect((await stats()).totals.downloads - before).toBe(all.length);

    const totals = (await stats()).totals;
    await deployment.stop();
    await deployment.start();
    expect((await stats()).totals).toMatchObject({ downloads: totals.downloads, installs: totals.installs });
  });
});
