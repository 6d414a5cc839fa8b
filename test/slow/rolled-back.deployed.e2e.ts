import type { Build, BuildStats, Explanation } from '@sluice/contracts';
import { eventually } from '@sluice/testing';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, checkUpdate, management } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

jest.setTimeout(300_000);

interface Refusal {
  readonly error?: { readonly code: string; readonly message: string };
}

onEachDeployment('a device that rolled a build back, $name', (kind) => {
  const run = kind.available ? it : it.skip;
  const app = '/apps/com.example.shop';
  let deployment: Deployment;
  let token: string;
  let key: string;
  let good: number;
  let bad: number;

  const api = () => management(deployment.gateways[0]!, token);
  const command = (...args: string[]) =>
    sluice([...args, '--json'], { SLUICE_SERVER: deployment.gateways[0]!, DATA_DIR: deployment.dataDir });
  /** Waits until it is live. */
  async function release(version: string): Promise<number> {
    const bundle = await zipOf({ 'index.html': version });
    return api().release(`${app}/builds`, bundle, { version, channel: 'production' });
  }
  const retry = (id: number) => api().post<{ data: Build } & Refusal>(`${app}/builds/${id}/retry`);
  const rolledBackDevices = async (id: number) =>
    (await api().get<{ data: BuildStats }>(`${app}/builds/${id}/stats`)).body.data.rolled_back_devices;
  const check = async (address: string, device: string, current: string, channel?: string) =>
    (await checkUpdate(address, key, device, current, channel)).body;
  async function rollBack(device: string, current: string): Promise<void> {
    const address = deployment.devices[0]!;
    const { status } = await call(`${address}/api/v1/analytics/install`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'X-Device-ID': device, 'Content-Type': 'application/json' },
      body: JSON.stringify({ bundle_id: (await check(address, device, current)).bundleId, status: 'rollback' }),
    });
    expect(status).toBe(200);
  }
  /** The version that each process of the device API offers; null: none. */
  const offered = (device: string, current: string, channel?: string) =>
    Promise.all(
      deployment.devices.map(async (address) => {
        const { available, version } = await check(address, device, current, channel);
        return available ? version : null;
      }),
    );
  const everywhere = (version: string | null) => deployment.devices.map(() => version);
  /** Processes that did not take the report read it within about a second. */
  async function untilOffered(device: string, current: string, version: string | null): Promise<void> {
    await eventually(async () => (await offered(device, current)).every((each) => each === version), { everyMs: 50 });
  }
  const explained = async (device: string, version: string) => {
    const path = `${app}/explain?device=${device}&channel=production&platform=ios&version=${version}`;
    return (await api().get<{ data: Explanation }>(path)).body.data;
  };

  beforeAll(async () => {
    if (!kind.available) return;
    deployment = await kind.deploy();
    const made = await command('token', 'create', '--name', 'ci', '--all-apps');
    token = (JSON.parse(made.stdout) as { token: string }).token;
    await api().post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    key = (await api().post<{ data: { plaintext_key: string } }>(`${app}/api-keys`, { name: 'installs' })).body.data
      .plaintext_key;
    good = await release('1.0.0');
    bad = await release('1.1.0');
  }, 180_000);

  afterAll(async () => {
    if (kind.available) await deployment.destroy();
  }, 60_000);

  run('is not offered it again: by no process, after a restart, a rebuild and a rotation', async () => {
    expect(await offered('phone', '0.9.0')).toEqual(everywhere('1.1.0'));
    await rollBack('phone', '0.9.0');
    expect((await check(deployment.devices[0]!, 'phone', '0.9.0')).version).toBe('1.0.0');
    await untilOffered('phone', '0.9.0', '1.0.0');
    expect(await offered('phone', '1.0.0')).toEqual(everywhere(null));
    expect(await offered('tablet', '0.9.0')).toEqual(everywhere('1.1.0'));
    const { offered: explainedOffer, newer } = await explained('phone', '0.9.0');
    expect(explainedOffer).toMatchObject({ build_id: good });
    expect(newer).toMatchObject([
      { build_id: bad, offered: false, why_not: ['rolled_back'] },
      { build_id: good, offered: true, why_not: [] },
    ]);
    expect(await rolledBackDevices(bad)).toBe(1);

    expect((await command('secrets', 'rotate-data-keys', '--name', 'device-id')).code).toBe(0);
    await deployment.stop();
    await deployment.dropReadStore();
    await deployment.start();
    expect(await offered('phone', '0.9.0')).toEqual(everywhere('1.0.0'));
    expect(await offered('tablet', '0.9.0')).toEqual(everywhere('1.1.0'));
  });

  run('is offered a promoted copy, which is another build', async () => {
    const promoted = await api().post(`${app}/builds/${bad}/promote`, { target_channel: 'staging' });
    expect(promoted.status).toBe(201);
    expect(await offered('phone', '0.9.0', 'staging')).toEqual(everywhere('1.1.0'));
  });

  run('is offered it again from the response to a retry on, until it rolls it back again', async () => {
    const withToken = { SLUICE_SERVER: deployment.gateways[0]!, SLUICE_TOKEN: token };
    const retried = ['build', 'retry', String(bad), '--app', 'com.example.shop', '--json'];
    const { stdout, code } = await sluice(retried, withToken);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { id: bad, version: '1.1.0', status: 'active' }]);
    expect(await offered('phone', '0.9.0')).toEqual(everywhere('1.1.0'));
    expect(await rolledBackDevices(bad)).toBe(0);
    const history = await api().get<{ data: { type: string; build_id: number; actor: string }[] }>(
      `${app}/history?build=${bad}`,
    );
    expect(history.body.data[0]).toMatchObject({ type: 'BuildRetried', build_id: bad, actor: 'token:1' });
    await rollBack('phone', '0.9.0');
    await untilOffered('phone', '0.9.0', '1.0.0');
    expect((await retry(bad)).status).toBe(200);
    expect(await offered('phone', '0.9.0')).toEqual(everywhere('1.1.0'));
  });

  run('is not sent to a replacement by a recall in a loop, and a retry needs a build that is offered', async () => {
    const recalled = await api().post<{ data: { republished: Build } }>(`${app}/builds/${bad}/recall`, {
      reason: 'White screen.',
    });
    const { id: replacement, version } = recalled.body.data.republished;
    expect(await offered('phone', '1.1.0')).toEqual(everywhere(version));
    await rollBack('phone', '1.1.0');
    await untilOffered('phone', '1.1.0', null);
    expect((await explained('phone', '1.1.0')).newer).toMatchObject([
      { build_id: replacement, why_not: ['rolled_back'] },
    ]);
    expect(await offered('tablet', '1.1.0')).toEqual(everywhere(version));
    expect((await retry(replacement)).status).toBe(200);
    expect(await offered('phone', '1.1.0')).toEqual(everywhere(version));

    expect(await retry(bad)).toMatchObject({ status: 409, body: { error: { code: 'BUILD_RECALLED' } } });
    expect(await retry(9_999)).toMatchObject({ status: 404, body: { error: { code: 'BUILD_NOT_FOUND' } } });
  });
});
