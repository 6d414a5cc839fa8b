import { setTimeout as delay } from 'node:timers/promises';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, management } from '../support/http';
import { zipOf } from '../support/zip';

interface Entry {
  readonly id: string;
  readonly at: string;
  readonly type: string;
  readonly actor: string;
  readonly actor_name: string | null;
  readonly build_id: number | null;
  readonly channel: string | null;
  readonly key_id: number | null;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
}
interface Page {
  readonly data: readonly Entry[];
  readonly meta: Record<string, number>;
}

const METADATA = { commit: '4f2a9c1d', author: 'Ada Lovelace' };

onEachDeployment('history on $name', (kind) => {
  let deployment: Deployment;
  let token: { id: number; token: string };
  let app: number;
  let build: number;
  let promoted: number;
  let key: { id: number; plaintext_key: string };
  let bundle: Buffer;

  const api = () => management(deployment.gateways.at(-1)!, token.token);
  const dashboard = async <Data>(path: string, body: object) => {
    const answer = await call<{ data: Data }>(`${deployment.gateways[0]!}/api/dashboard/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await deployment.ownerKey()}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return answer.body.data;
  };
  const history = async (path: string) => {
    const answer = await api().get<Page>(path);
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const makeToken = (name: string) => dashboard<{ id: number; token: string }>('/tokens', { name, all_apps: true });

  beforeAll(async () => {
    bundle = await zipOf({ 'index.html': '<h1>Hello</h1>' });
    deployment = await kind.deploy();
    token = await makeToken('release robot');
    app = (await api().post('/apps', { name: 'Shop' })).body.data['id'] as number;
    key = (await api().post(`/apps/${app}/api-keys`, { name: 'installs' })).body.data as typeof key;
    const { data } = (
      await api().upload(`/apps/${app}/builds`, bundle, {
        ...{ version: '1.0.0', channel: 'staging', release_notes: 'One' },
        metadata: JSON.stringify(METADATA),
      })
    ).body;
    build = data.build.id;
    for (;;) {
      const { status } = (await api().get(`/jobs/${data.job_id}`)).body.data;
      if (status === 'completed') break;
      expect(status).not.toBe('failed');
      await delay(50);
    }
    await api().patch(`/apps/${app}/builds/${build}/rollout`, { rollout_percentage: 10 });
    await api().patch(`/apps/${app}/builds/${build}`, { status: 'paused' });
    promoted = (await api().post(`/apps/${app}/builds/${build}/promote`, { target_channel: 'production' })).body.data[
      'id'
    ] as number;
    await api().post(`/apps/${app}/api-keys/${key.id}/revoke`);
    // Its name outlives it.
    const retired = token;
    token = await makeToken('auditor');
    await dashboard(`/tokens/${retired.id}/revoke`, {});
    token = { ...token, id: retired.id };
  }, 180_000);

  afterAll(() => deployment.destroy(), 180_000);

  it('shows who did what to a build, before and after, newest first', async () => {
    const { data, meta } = await history(`/apps/${app}/builds/${build}/history`);
    expect(meta).toEqual({ current_page: 1, last_page: 1, per_page: 20, total: 5 });
    const robot = { actor: `token:${token.id}`, actor_name: 'release robot' };
    const entry = { id: expect.any(String), at: expect.any(String), build_id: build, channel: 'staging', key_id: null };
    expect(data).toEqual([
      expect.objectContaining({ ...entry, ...robot, type: 'PromotionStarted' }),
      { ...entry, ...robot, type: 'BuildPaused', before: { status: 'active' }, after: { status: 'paused' } },
      {
        ...{ ...entry, ...robot, type: 'RolloutChanged' },
        ...{ before: { rollout_percentage: 100 }, after: { rollout_percentage: 10 } },
      },
      {
        ...{ ...entry, type: 'BuildActivated', actor: 'system:worker', actor_name: null },
        ...{ before: { status: 'processing' }, after: { status: 'active' } },
      },
      {
        ...{ ...entry, ...robot, type: 'BuildAccepted', before: null },
        after: expect.objectContaining({
          ...{ version: '1.0.0', status: 'processing', release_notes: 'One', metadata: METADATA },
        }) as unknown,
      },
    ]);
  });

  it('shows the app, its builds and its keys as one history, in pages without gaps', async () => {
    const whole = await history(`/apps/${app}/history?per_page=50`);
    expect(whole.data.map(({ type }) => type)).toEqual([
      'ApiKeyRevoked',
      'BuildPromoted',
      'PromotionStarted',
      'BuildPaused',
      'RolloutChanged',
      'BuildActivated',
      'BuildAccepted',
      'ApiKeyCreated',
      'AppRegistered',
    ]);
    const pages = [];
    for (let page = 1; page <= 3; page += 1) pages.push(await history(`/apps/${app}/history?per_page=3&page=${page}`));
    expect(pages.flatMap(({ data }) => data)).toEqual(whole.data);
    expect(pages[2]!.meta).toEqual({ current_page: 3, last_page: 3, per_page: 3, total: 9 });
    expect((await history(`/apps/${app}/history?page=9`)).data).toEqual([]);
    expect(whole.data[0]).toMatchObject({ key_id: key.id, before: { status: 'active' }, after: { status: 'revoked' } });
  });

  it('holds no secret and no hash', async () => {
    const text = JSON.stringify(await history(`/apps/${app}/history?per_page=50`));
    expect(text).not.toContain(key.plaintext_key);
    expect(text).not.toMatch(/seal|hash/i);
    const hex = [...text.matchAll(/[0-9a-f]{64}/g)].map(([found]) => found);
    const { checksum } = (await api().get(`/apps/${app}/builds/${build}`)).body.data;
    expect(new Set(hex)).toEqual(new Set([checksum]));
  });

  it('is narrowed by build, type, actor and time', async () => {
    const all = (await history(`/apps/${app}/history?per_page=50`)).data;
    const narrowed = async (query: string) =>
      (await history(`/apps/${app}/history?per_page=50&${query}`)).data.map(({ id }) => id);
    const ids = (keep: (entry: Entry) => boolean) => all.filter(keep).map(({ id }) => id);
    expect(await narrowed(`build=${promoted}`)).toEqual(ids((entry) => entry.build_id === promoted));
    expect(await narrowed('type=BuildPaused')).toEqual(ids((entry) => entry.type === 'BuildPaused'));
    expect(await narrowed('type=NeverHeardOf')).toEqual([]);
    expect(await narrowed('actor=system:worker')).toEqual(ids((entry) => entry.actor === 'system:worker'));
    const { at } = all.find(({ type }) => type === 'BuildActivated')!;
    expect(await narrowed(`from=${at}`)).toEqual(ids((entry) => entry.at >= at));
    expect(await narrowed(`to=${at}`)).toEqual(ids((entry) => entry.at <= at));
    expect(await narrowed(`from=${at}&to=${at}`)).toEqual(ids((entry) => entry.at === at));
  });

  it('answers a build and the list of builds as they once stood', async () => {
    const { data } = await history(`/apps/${app}/builds/${build}/history`);
    const at = (type: string) => encodeURIComponent(data.find((entry) => entry.type === type)!.at);
    const once = (time: string) => api().get(`/apps/${app}/builds/${build}?as_of=${time}`);
    const now = (await api().get(`/apps/${app}/builds/${build}`)).body;
    expect((await once(encodeURIComponent(new Date().toISOString()))).body).toEqual(now);
    expect((await once(at('RolloutChanged'))).body.data).toMatchObject({ status: 'active', rollout_percentage: 10 });
    expect((await once(at('BuildActivated'))).body.data).toMatchObject({ status: 'active', rollout_percentage: 100 });
    expect((await once(at('BuildAccepted'))).body.data).toMatchObject({ status: 'processing' });
    expect(await once('2026-01-01T00:00:00Z')).toMatchObject({
      status: 404,
      body: { error: { code: 'BUILD_NOT_FOUND' } },
    });

    const list = async (query: string) =>
      (await api().get<{ data: { id: number }[]; meta: { total: number } }>(`/apps/${app}/builds?${query}`)).body;
    const recently = encodeURIComponent(new Date().toISOString());
    expect((await list('')).data).toMatchObject([{ metadata: METADATA }, { metadata: METADATA }]);
    expect(await list(`as_of=${recently}`)).toEqual(await list(''));
    expect(await list(`as_of=${recently}&status=paused&channel=staging`)).toEqual(
      await list('status=paused&channel=staging'),
    );
    expect(await list(`as_of=${recently}&per_page=1&page=2`)).toEqual(await list('per_page=1&page=2'));
    expect((await list(`as_of=${at('BuildPaused')}`)).data.map(({ id }) => id)).toEqual([build]);
    expect(await list('as_of=2026-01-01T00:00:00%2B02:00')).toMatchObject({ data: [], meta: { total: 0 } });
  });

  it.each([
    ['history?type=build%20paused', 422, 'type'],
    ['history?actor=me', 422, 'actor'],
    ['history?build=x', 422, 'build'],
    ['history?from=yesterday', 422, 'from'],
    ['history?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', 422, 'from'],
    ['history?per_page=51', 422, 'per_page'],
    ['history?page=99999', 422, 'page'],
    ['builds?as_of=2026-02-30T00:00:00Z', 422, 'as_of'],
    ['builds?as_of=2999-01-01T00:00:00Z', 422, 'as_of'],
    ['builds/1?as_of=now', 422, 'as_of'],
  ])('rejects %s with %i on %s', async (path, status, field) => {
    expect(await api().get(`/apps/${app}/${path}`)).toMatchObject({
      status,
      body: { errors: { [field]: [expect.any(String)] } },
    });
  });

  it('does not know a build that never was, nor an app of somebody else', async () => {
    expect(await api().get(`/apps/${app}/builds/9999/history`)).toMatchObject({
      status: 404,
      body: { error: { code: 'BUILD_NOT_FOUND' } },
    });
    expect(await api().get('/apps/9999/history')).toMatchObject({ status: 404 });
    expect((await history(`/apps/${app}/builds/${build}/history?type=NeverHeardOf`)).data).toEqual([]);
  });
});
