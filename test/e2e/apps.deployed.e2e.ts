import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, checkUpdate, management } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

interface AppAnswer {
  readonly data: { readonly id: number; readonly name: string; readonly platform: string };
}
interface Refused {
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

onEachDeployment('apps, $name', (kind) => {
  const run = kind.available ? it : it.skip;
  let deployment: Deployment;
  let token: string;
  let shop: AppAnswer['data'];

  const api = (replica = 0) => management(deployment.gateways[replica % deployment.gateways.length]!, token);
  const command = (...args: string[]) =>
    sluice([...args, '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      SLUICE_TOKEN: token,
      DATA_DIR: deployment.dataDir,
    });
  const edit = <Body = AppAnswer>(body: unknown) => api().patch<Body>(`/apps/${shop.id}`, body);

  beforeAll(async () => {
    if (!kind.available) return;
    deployment = await kind.deploy();
    token = '';
    token = (JSON.parse((await command('token', 'create', '--name', 'ci', '--all-apps')).stdout) as { token: string })
      .token;
    const made = await api().post<AppAnswer>('/apps', {
      name: 'Shop',
      bundle_id: 'com.example.shop',
      description: 'Sells',
    });
    shop = made.body.data;
  }, 180_000);

  afterAll(async () => {
    if (kind.available) await deployment.destroy();
  }, 60_000);

  run('gives one bundle_id to one of twenty parallel creations, on whichever replica', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, replica) =>
        api(replica).post<AppAnswer & { error?: { code: string } }>('/apps', {
          name: `Race ${replica}`,
          bundle_id: 'com.example.race',
        }),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.error?.code])).toEqual(
      Array.from({ length: 19 }, () => [409, 'BUNDLE_ID_TAKEN']),
    );
    const { body } = await api(1).get<{ data: { bundle_id: string }[] }>('/apps');
    expect(body.data.filter(({ bundle_id }) => bundle_id === 'com.example.race')).toHaveLength(1);
  });

  run('keep their bundle_id from every other owner, who hears no more than that it is taken', async () => {
    const dashboard = (path: string, key: string, body: object) =>
      call<{ data: { owner_key: string; token: string } }>(`${deployment.gateways[0]!}/api/dashboard/v1${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    const ann = await dashboard('/owners', await deployment.ownerKey(), { name: 'Ann' });
    const made = await dashboard('/tokens', ann.body.data.owner_key, { name: 'ci', all_apps: true });
    for (const gateway of deployment.gateways) {
      const others = management(gateway, made.body.data.token);
      const refused = await others.post<{ error: object }>('/apps', { name: 'Mine', bundle_id: 'com.example.shop' });
      expect(refused).toMatchObject({ status: 409, body: { error: { code: 'BUNDLE_ID_TAKEN' } } });
      expect(refused.body.error).not.toHaveProperty('details');
      expect(await others.get('/apps/com.example.shop')).toMatchObject({ status: 404 });
      expect(await others.get('/apps')).toMatchObject({ status: 200, body: { data: [] } });
    }
  });

  run('are edited, everywhere immediately, and the history shows how', async () => {
    const edited = await edit({ name: '  Store ', description: null });
    const data = { ...shop, name: 'Store', description: null, revision: 2 };
    expect(edited).toMatchObject({ status: 200, body: { data } });
    for (const replica of [0, 1]) {
      expect((await api(replica).get<AppAnswer>('/apps/com.example.shop')).body).toEqual(edited.body);
      const { body } = await api(replica).get<{ data: { apps: { id: number; name: string }[] } }>('/token');
      expect(body.data.apps.find(({ id }) => id === shop.id)).toMatchObject({ name: 'Store' });
    }
    expect((await edit({})).body).toEqual(edited.body);
    expect((await edit({ name: 'Store' })).body).toEqual(edited.body);
    const shown = await command('app', 'edit', 'com.example.shop', '--name', 'Shop', '--description', 'Sells again');
    expect(JSON.parse(shown.stdout)).toMatchObject({ name: 'Shop', description: 'Sells again' });
    expect(JSON.parse((await command('app', 'show', String(shop.id))).stdout)).toMatchObject({ name: 'Shop' });

    const { body } = await api().get<{ data: object[] }>(`/apps/${shop.id}/history`);
    expect(body.data).toEqual([
      expect.objectContaining({
        type: 'AppEdited',
        before: { name: 'Store', description: null },
        after: { name: 'Shop', description: 'Sells again' },
      }),
      expect.objectContaining({
        ...{ type: 'AppEdited', actor: 'token:1' },
        before: { name: 'Shop', description: 'Sells' },
        after: { name: 'Store', description: null },
      }),
      expect.objectContaining({ type: 'AppRegistered', before: null }),
    ]);
  });

  run('refuse what can not be changed and what is wrong, each on its member, and change nothing', async () => {
    const before = (await api().get(`/apps/${shop.id}`)).body;
    const cases: readonly (readonly [body: object, ...members: string[]])[] = [
      [{ bundle_id: 'com.example.other', name: 'Other' }, 'bundle_id'],
      [{ bundle_id: null }, 'bundle_id'],
      [{ id: 9, app_id: 'x', platforms: ['ios'], channels: [] }, 'id', 'app_id', 'platforms', 'channels'],
      [{ name: null, platform: null }, 'name', 'platform'],
      [{ name: ' ', platform: 'web', description: 'x'.repeat(5_001) }, 'name', 'platform', 'description'],
    ];
    for (const [body, ...members] of cases) {
      const { status, body: refused } = await edit<Refused>(body);
      expect([status, Object.keys(refused.errors).sort()]).toEqual([422, members.sort()]);
    }
    expect((await api().get(`/apps/${shop.id}`)).body).toEqual(before);
  });

  run('of another platform answer devices of that platform alone, from the next check on', async () => {
    const made = await api().post<{ data: { plaintext_key: string } }>(`/apps/${shop.id}/api-keys`, { name: 'app' });
    const bundle = await zipOf({ 'index.html': 'x' });
    const uploaded = await api().upload(`/apps/${shop.id}/builds`, bundle, { version: '1.0.0', channel: 'production' });
    for (;;) {
      const { body } = await api().get(`/jobs/${uploaded.body.data.job_id}`);
      if (body.data['status'] === 'completed') break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    // The check is that of an iOS device.
    for (const [platform, available] of [
      ['android', false],
      ['ios', true],
    ] as const) {
      expect((await edit({ platform })).body.data.platform).toBe(platform);
      for (const address of deployment.devices) {
        const { body } = await checkUpdate(address, made.body.data.plaintext_key, 'device', '0.1.0');
        expect(body.available).toBe(available);
      }
    }
  });
});
