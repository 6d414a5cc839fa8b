import { setTimeout as delay } from 'node:timers/promises';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, management } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

interface Refusal {
  readonly error?: { readonly code: string };
}
interface App {
  readonly id: number;
  readonly name: string;
  readonly removed_at: string | null;
}
interface Entry {
  readonly type: string;
  readonly actor: string;
  readonly actor_name: string | null;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
}
interface Page<Item> extends Refusal {
  readonly data: readonly Item[];
  readonly meta: Record<string, number>;
}

onEachDeployment('removed apps, $name', (kind) => {
  let deployment: Deployment;
  let ownerKey: string;
  let otherKey: string;
  let token: { readonly id: number; readonly token: string };
  let kept: number;
  let removed: number;

  const dashboard = async <Body>(path: string, { key = ownerKey, body }: { key?: string; body?: object } = {}) =>
    call<Body>(`${deployment.gateways.at(-1)!}/api/dashboard/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const list = async (query: string, key = ownerKey) => {
    const { status, body } = await dashboard<Page<App>>(`/apps${query}`, { key });
    expect(status).toBe(200);
    return body;
  };
  const api = () => management(deployment.gateways[0]!, token.token);
  const create = async (name: string) => (await api().post<{ data: App }>('/apps', { name })).body.data.id;
  const command = async (...args: string[]) => {
    const { code, stdout } = await sluice([...args, '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      OWNER_KEY: ownerKey,
    });
    expect(code).toBe(0);
    return JSON.parse(stdout) as readonly (App & Entry)[];
  };

  beforeAll(async () => {
    deployment = await kind.deploy();
    ownerKey = await deployment.ownerKey();
    const owner = await dashboard<{ data: { owner_key: string } }>('/owners', { body: { name: 'Ann' } });
    otherKey = owner.body.data.owner_key;
    const body = { name: 'ci', all_apps: true, permissions: ['apps.delete'] };
    token = (await dashboard<{ data: typeof token }>('/tokens', { body })).body.data;
    kept = await create('Kept');
    removed = await create('Removed');
    await api().post(`/apps/${removed}/api-keys`, { name: 'installs' });
    await api().post(`/apps/${removed}/signing-key`, { name: 'release' });
    const bundle = await zipOf({ 'index.html': 'x' });
    const { data } = (await api().upload(`/apps/${removed}/builds`, bundle, { version: '1.0.0', channel: 'staging' }))
      .body;
    for (;;) {
      const { status } = (await api().get(`/jobs/${data.job_id}`)).body.data;
      if (status === 'completed') break;
      expect(status).not.toBe('failed');
      await delay(50);
    }
    await api().patch(`/apps/${removed}`, { name: 'Removed soon' });
    const answer = await call(`${deployment.gateways[0]!}/api/public/v1/apps/${removed}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${token.token}` },
    });
    expect(answer.status).toBe(200);
  }, 180_000);

  afterAll(() => deployment.destroy(), 60_000);

  it('are listed to their owner on request, immediately, page by page', async () => {
    const there = { id: kept, name: 'Kept', removed_at: null };
    const gone = { id: removed, name: 'Removed soon', removed_at: expect.any(String) };
    expect(await list('')).toMatchObject({ data: [there], meta: { total: 1 } });
    expect(await list('?removed=false')).toMatchObject({ data: [there], meta: { total: 1 } });
    expect(await list('?removed=true')).toMatchObject({ data: [gone], meta: { total: 1 } });
    expect(await list('?removed=all')).toMatchObject({ data: [there, gone], meta: { total: 2 } });
    expect(await list('?removed=all&page=2&per_page=1')).toMatchObject({ data: [gone], meta: { last_page: 2 } });
    expect((await list('?removed=all', otherKey)).data).toEqual([]);
    expect((await dashboard('/apps?removed=maybe')).status).toBe(422);
  });

  it('keep their whole history for their owner: who did what, with which token, to the removal', async () => {
    const { body } = await dashboard<Page<Entry>>(`/apps/${removed}/history?per_page=50`);
    const types = body.data.map(({ type }) => type);
    expect(types[0]).toBe('AppRemoved');
    expect(types).toEqual(expect.arrayContaining(['AppRegistered', 'AppEdited', 'BuildAccepted', 'BuildActivated']));
    expect(types).toEqual(expect.arrayContaining(['ApiKeyCreated', 'ApiKeysClosed', 'ChannelClosed']));
    expect(body.data.find(({ type }) => type === 'AppRemovalStarted')).toMatchObject({
      actor: `token:${token.id}`,
      actor_name: 'ci',
      before: { name: 'Removed soon' },
      after: null,
    });
    const narrowed = await dashboard<Page<Entry>>(`/apps/${removed}/history?type=AppEdited&actor=token:${token.id}`);
    expect(narrowed.body).toMatchObject({ data: [{ after: { name: 'Removed soon' } }], meta: { total: 1 } });
  });

  it('show their history to no token and to no other owner', async () => {
    expect(await api().get(`/apps/${removed}/history`)).toMatchObject({ status: 404 });
    for (const app of [kept, removed, 99_999, 'x']) {
      const answer = await dashboard<Page<Entry>>(`/apps/${app}/history`, { key: otherKey });
      expect([answer.status, answer.body.error?.code]).toEqual([404, 'APP_NOT_FOUND']);
    }
    expect((await dashboard<Page<Entry>>(`/apps/${kept}/history`)).body.data).toMatchObject([
      { type: 'AppRegistered' },
    ]);
  });

  it('are found by the CLI, with the owner key', async () => {
    expect(await command('app', 'list', '--removed')).toMatchObject([{ id: removed, removed_at: expect.any(String) }]);
    const entries = await command('history', '--app', String(removed), '--removed');
    expect(entries.map(({ type }) => type)).toEqual(expect.arrayContaining(['AppRegistered', 'AppRemoved']));
  });

  it('are remembered by a gateway that starts later', async () => {
    await deployment.stop();
    await deployment.start();
    expect((await dashboard<Page<Entry>>(`/apps/${removed}/history`)).status).toBe(200);
    expect((await list('?removed=true')).data.map(({ id }) => id)).toEqual([removed]);
  }, 120_000);
});
