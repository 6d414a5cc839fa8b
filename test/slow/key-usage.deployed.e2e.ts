import { setTimeout as delay } from 'node:timers/promises';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { checkUpdate, management } from '../support/http';
import { sluice } from '../support/process';

interface Key {
  readonly id: number;
  readonly plaintext_key: string;
  readonly blocked_count: number;
  readonly last_blocked_at: string | null;
  readonly last_blocked_reason: string | null;
  readonly last_used_at: string | null;
  readonly last_check: { readonly at: string; readonly platform: string; readonly version: string | null } | null;
}

jest.setTimeout(60_000);

onEachDeployment('the use of API keys, $name', (kind) => {
  let deployment: Deployment;
  let token: string;
  const api = () => management(deployment.gateways.at(-1)!, token);
  const newApp = async () => (await api().post('/apps', { name: 'Shop' })).body.data['id'] as number;
  const newKey = async (app: number) =>
    (await api().post<{ data: Key }>(`/apps/${app}/api-keys`, { name: 'installs' })).body.data;

  beforeAll(async () => {
    deployment = await kind.deploy();
    const { stdout } = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      DATA_DIR: deployment.dataDir,
    });
    ({ token } = JSON.parse(stdout) as { token: string });
  }, 180_000);

  afterAll(() => deployment.destroy(), 60_000);

  it('reports the last use, and every rejection by every device process, also by one that stopped immediately', async () => {
    const app = await newApp();
    const { id, plaintext_key: key } = await newKey(app);
    const path = `/apps/${app}/api-keys/${id}`;
    const shown = async () => (await api().get<{ data: Key }>(path)).body.data;
    const until = async (holds: (key: Key) => boolean): Promise<Key> => {
      let found = await shown();
      for (let wait = 0; wait < 300 && !holds(found); wait += 1) {
        await delay(100);
        found = await shown();
      }
      return found;
    };
    expect(await shown()).toMatchObject({ blocked_count: 0, last_blocked_at: null, last_used_at: null });

    for (const device of deployment.devices) expect((await checkUpdate(device, key, 'd', '1.0.0')).status).toBe(200);
    const before = new Date().toISOString();
    expect((await checkUpdate(deployment.devices[0]!, key, 'd', '1.0.0')).status).toBe(200);
    const after = new Date().toISOString();
    const used = await until(({ last_used_at: at }) => at !== null && at >= before);
    expect(used.last_used_at! <= after).toBe(true);
    expect(used).toMatchObject({ blocked_count: 0, last_blocked_reason: null });
    expect(used.last_check).toMatchObject({ at: used.last_used_at, version: null });

    await api().patch(`${path}/restrictions`, { origins: ['https://shop.example'] });
    const refuse = async (device: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${device}/api/v1/updates/check`, {
        headers: { 'X-API-Key': key, 'X-Device-ID': 'd', ...headers },
      });
      expect(answer.status).toBe(403);
    };
    await Promise.all(deployment.devices.flatMap((device) => Array.from({ length: 7 }, () => refuse(device))));
    await refuse(deployment.devices[0]!, { Origin: 'https://thief.example' });
    const count = 7 * deployment.devices.length + 1;
    // What a process noted last is written when it stops.
    await deployment.stop();
    await deployment.start();
    const blocked = await until(({ blocked_count: blockedCount }) => blockedCount >= count);
    expect(blocked).toMatchObject({ blocked_count: count, last_blocked_reason: 'origin_not_allowed' });
    expect(blocked.last_blocked_at! >= after).toBe(true);
    expect(blocked.last_used_at).toBe(used.last_used_at);
  }, 120_000);

  it('never has more than three active keys, however many are created concurrently', async () => {
    const app = await newApp();
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        management(deployment.gateways[n % deployment.gateways.length]!, token).post<{ error?: { code: string } }>(
          `/apps/${app}/api-keys`,
          { name: `key ${n}` },
        ),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(answers.length - refused.length).toBe(3);
    for (const { status, body } of refused) expect([status, body.error?.code]).toEqual([422, 'MAX_KEYS_REACHED']);
    const listed = await api().get<{ data: { status: string }[] }>(`/apps/${app}/api-keys`);
    expect(listed.body.data.map(({ status }) => status)).toEqual(['active', 'active', 'active']);
  });
});
