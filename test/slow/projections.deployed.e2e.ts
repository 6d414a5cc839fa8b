import { readSettings } from '@sluice/config';
import { openEngines } from '@sluice/engines';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, management } from '../support/http';
import { sluice } from '../support/process';

const NAMES = ['apiKeys', 'apps', 'builds', 'jobs', 'merchantSettings', 'serving', 'tokens'];

onEachDeployment('projections on $name', (kind) => {
  let deployment: Deployment;
  let token: string;
  let app: number;

  const operator = async (...args: string[]) =>
    sluice(['projections', ...args, '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      OWNER_KEY: await deployment.ownerKey(),
    });
  const dashboard = async <Body>(method: string, path: string, body?: object) =>
    call<Body>(`${deployment.gateways.at(-1)!}/api/dashboard/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${await deployment.ownerKey()}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const appName = async () =>
    (await management(deployment.gateways[0]!, token).get(`/apps/${app}`)).body.data['name'] as string;

  /** Writes over the app's row as no event would. */
  async function tamper(): Promise<void> {
    const engines = await openEngines(readSettings({ ...deployment.env, BUS_URL: 'inproc:' }), 'test');
    try {
      const target = await engines.readStore.liveTarget({
        name: 'apps',
        version: 1,
        collections: [{ name: 'apps', indexes: [] }],
      });
      for (;;) {
        const checkpoint = (await target.checkpoint())!;
        const { row } = (await target.read('apps', [String(app)])).get(String(app))!;
        const { position } = checkpoint;
        const damaged = { ...row!, name: 'Somebody else' };
        const write = { collection: 'apps', id: String(app), row: damaged, position };
        if (await target.commit(checkpoint, checkpoint, [write])) return;
      }
    } finally {
      await engines.close();
    }
  }

  beforeAll(async () => {
    deployment = await kind.deploy();
    const made = await dashboard<{ data: { token: string } }>('POST', '/tokens', { name: 'ci', all_apps: true });
    token = made.body.data.token;
    const api = management(deployment.gateways[0]!, token);
    app = (await api.post('/apps', { name: 'Shop' })).body.data['id'] as number;
    await api.post(`/apps/${app}/api-keys`, { name: 'installs' });
    await api.post('/apps', { name: 'Another' });
  }, 180_000);

  afterAll(() => deployment.destroy(), 180_000);

  it('are listed, and equal what the events make', async () => {
    const { body } = await dashboard<{ data: { name: string }[] }>('GET', '/projections');
    expect(body.data.map(({ name }) => name)).toEqual(expect.arrayContaining(NAMES));
    expect(body.data).toContainEqual(
      expect.objectContaining({ name: 'apps', service: 'registry', caught_up: true, stopped: null, task: null }),
    );
    const { code, stdout } = await operator('verify');
    expect(code).toBe(0);
    const verified = JSON.parse(stdout) as { name: string; task: { verification: object } }[];
    expect(verified.map(({ name }) => name)).toEqual(body.data.map(({ name }) => name));
    for (const { task } of verified) expect(task.verification).toMatchObject({ different: 0, differences: [] });
    expect(verified.find(({ name }) => name === 'apps')!.task.verification).toMatchObject({ rows: 2 });
  }, 120_000);

  it('that are damaged are detected, and rebuilt while they serve', async () => {
    await tamper();
    expect(await appName()).toBe('Somebody else');
    const found = await operator('verify', 'apps');
    expect(found.code).toBe(1);
    expect(JSON.parse(found.stdout)).toMatchObject([
      {
        task: {
          verification: {
            different: 1,
            differences: [{ collection: 'apps', id: String(app), kind: 'different', members: ['name'] }],
          },
        },
      },
    ]);
    expect(JSON.parse(found.stderr)).toMatchObject({ error: { code: 'PROJECTIONS_DIFFER' } });

    expect((await operator('rebuild', 'apps')).code).toBe(0);
    expect(await appName()).toBe('Shop');
    expect((await operator('verify', 'apps')).code).toBe(0);
    expect((await operator('rebuild', 'serving')).code).toBe(0);
  }, 120_000);

  it('are the operator’s alone, and known by name', async () => {
    expect(await dashboard('POST', '/projections/nothing/rebuild')).toMatchObject({
      status: 404,
      body: { error: { code: 'PROJECTION_NOT_FOUND' } },
    });
    const stranger = await call(`${deployment.gateways[0]!}/api/dashboard/v1/projections`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(stranger.status).toBe(401);
  });
});
