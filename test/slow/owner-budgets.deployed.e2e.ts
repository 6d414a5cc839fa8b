import { request as httpRequest } from 'node:http';
import { onEachDeployment, standalone, type Deployment } from '../support/deployment';
import { call, checkUpdate, management } from '../support/http';
import { zipOf } from '../support/zip';

jest.setTimeout(120_000);

interface Reply<Data = unknown> {
  readonly data: Data;
  readonly error?: { readonly code: string };
}

onEachDeployment('budgets and suspension of owners, $name', (kind) => {
  const run = kind.available ? it : it.skip;
  let deployment: Deployment;
  let operator: string;

  const gateway = () => deployment.gateways.at(-1)!;
  const ask = <Data = unknown>(key: string, method: string, path: string, body?: object) =>
    call<Reply<Data>>(`${gateway()}/api/dashboard/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const codeOf = ({ status, body }: { status: number; body: Reply }) => [status, body.error?.code];

  /** A second owner with a token, an app, a key and an active build. */
  const tenant = async (name: string) => {
    const owner = (await ask<{ id: number; owner_key: string }>(operator, 'POST', '/owners', { name })).body.data;
    const made = await ask<{ id: number; token: string }>(owner.owner_key, 'POST', '/tokens', { name, all_apps: true });
    const api = management(gateway(), made.body.data.token);
    const app = `com.example.${name}`;
    await api.post('/apps', { name, bundle_id: app });
    const key = await api.post<{ data: { plaintext_key: string } }>(`/apps/${app}/api-keys`, { name });
    const apiKey = key.body.data.plaintext_key;
    const check = () => checkUpdate(deployment.devices.at(-1)!, apiKey, 'device', '0.9.0');
    /** Answers the path of the build, once devices are offered it. */
    const release = async (version: string) => {
      const bundle = await zipOf({ 'index.html': name });
      const uploaded = await api.upload(`/apps/${app}/builds`, bundle, { version, channel: 'production' });
      while ((await check()).body.version !== version);
      return `/apps/${app}/builds/${uploaded.body.data.build.id}`;
    };
    return { ...owner, api, app, builds: await release('1.0.0'), release, check };
  };

  const start = async (env: Readonly<Record<string, string>>) => {
    deployment = await kind.deploy(env);
    operator = await deployment.ownerKey();
  };
  afterEach(() => (kind.available ? deployment.destroy() : undefined));

  run('a suspended owner is rejected everywhere, its devices only where the operator says so', async () => {
    await start({});
    const { id, owner_key: key, api, app, check } = await tenant('tenant');
    const suspend = (body: object) => ask(operator, 'POST', `/owners/${id}/suspend`, body);

    expect(codeOf(await suspend({}))).toEqual([422, undefined]);
    expect(codeOf(await ask(key, 'POST', `/owners/${id}/suspend`, { reason: 'x' }))).toEqual([403, 'OPERATOR_ONLY']);
    expect(codeOf(await ask(operator, 'POST', '/owners/1/suspend', { reason: 'x' }))).toEqual([
      409,
      'OPERATOR_NOT_SUSPENDABLE',
    ]);
    expect(codeOf(await ask(operator, 'POST', '/owners/99/suspend', { reason: 'x' }))).toEqual([
      404,
      'OWNER_NOT_FOUND',
    ]);

    const suspended = await suspend({ reason: 'Terms violated' });
    expect(suspended.body.data).toMatchObject({ suspended: { reason: 'Terms violated', stop_devices: false } });
    expect(codeOf(await api.get<Reply>(`/apps/${app}`))).toEqual([403, 'OWNER_SUSPENDED']);
    expect(codeOf(await ask(key, 'GET', '/tokens'))).toEqual([403, 'OWNER_SUSPENDED']);
    expect(codeOf(await ask(key, 'POST', '/session', { owner_key: key }))).toEqual([403, 'OWNER_SUSPENDED']);
    expect((await check()).body.available).toBe(true);

    await suspend({ reason: 'Terms violated', stop_devices: true });
    const stopped = await check();
    expect([stopped.status, (stopped.body as { error?: { code: string } }).error?.code]).toEqual([
      403,
      'OWNER_SUSPENDED',
    ]);

    expect((await ask(operator, 'POST', `/owners/${id}/resume`)).body.data).toMatchObject({ suspended: null });
    expect((await check()).body.available).toBe(true);
    expect((await api.get(`/apps/${app}`)).status).toBe(200);
  });

  run('a rotation of the owner key revokes all tokens where that is asked for', async () => {
    await start({});
    const { owner_key: key, api, app } = await tenant('tenant');
    const rotated = await ask<{ owner_key: string }>(key, 'POST', '/owner/rotate-key', {});
    const second = rotated.body.data.owner_key;
    expect((await api.get(`/apps/${app}`)).status).toBe(200);
    expect((await ask(second, 'POST', '/owner/rotate-key', { revoke_tokens: true })).status).toBe(200);
    expect((await api.get(`/apps/${app}`)).status).toBe(401);
  });

  run('an owner has at most TOKEN_LIMIT active tokens', async () => {
    await start({ TOKEN_LIMIT: '3' });
    const make = () => ask<{ id: number }>(operator, 'POST', '/tokens', { name: 'ci', all_apps: true });
    const made = await Promise.all([make(), make(), make(), make(), make()]);
    const created = made.filter(({ status }) => status === 201);
    // Two replicas may both see room for the last one.
    expect(created.length).toBeGreaterThanOrEqual(3);
    expect(created.length).toBeLessThanOrEqual(kind === standalone ? 3 : 4);
    expect(codeOf(await make())).toEqual([422, 'TOKEN_LIMIT_REACHED']);
    for (const { body } of created.slice(0, 2)) await ask(operator, 'POST', `/tokens/${body.data.id}/revoke`);
    expect((await make()).status).toBe(201);
  });

  run('an owner and its tokens share a budget of changes, beyond which builds can still be stopped', async () => {
    // Nine of them make the tenant.
    await start({ LIMIT_CHANGES_PER_HOUR: '6' });
    const { owner_key: key, api, app, builds } = await tenant('tenant');
    const rename = () => api.patch<Reply>(`/apps/${app}`, { name: 'Other' });
    let refused = await rename();
    for (let more = 0; refused.status === 200 && more < 10; more += 1) refused = await rename();
    expect(codeOf(refused)).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60);
    expect(codeOf(await ask(key, 'POST', '/tokens', { name: 'more' }))).toEqual([429, 'RATE_LIMITED']);
    expect((await api.get(`/apps/${app}`)).status).toBe(200);

    expect((await api.patch(`${builds}/rollout`, { rollout_percentage: 40 })).status).toBe(200);
    expect(codeOf(await api.patch<Reply>(`${builds}/rollout`, { rollout_percentage: 41 }))).toEqual([
      429,
      'RATE_LIMITED',
    ]);
    expect((await api.patch(`${builds}/rollout`, { enabled: false })).status).toBe(200);
    expect(codeOf(await api.patch<Reply>(`${builds}/rollout`, { enabled: true }))).toEqual([429, 'RATE_LIMITED']);
    expect((await api.patch(builds, { status: 'paused' })).status).toBe(200);
    expect(codeOf(await api.patch<Reply>(builds, { status: 'active' }))).toEqual([429, 'RATE_LIMITED']);
    expect(codeOf(await api.patch<Reply>(builds, { status: 'archived', mandatory: true }))).toEqual([
      429,
      'RATE_LIMITED',
    ]);
  });

  run('recalls have a reserve beyond the budget of changes, and their end has none', async () => {
    await start({ LIMIT_CHANGES_PER_HOUR: '6' });
    const { owner_key: key, api, app, builds } = await tenant('tenant');
    const change = () => api.patch<Reply>(`/apps/${app}`, { name: 'Other' });
    while ((await change()).status !== 429);
    const recall = (body: object) => api.post<Reply>(`${builds}/recall`, { reason: 'White screen.', ...body });
    const unrecall = () => api.post<Reply>(`${builds}/unrecall`);

    expect((await recall({ to: 'none' })).status).toBe(200);
    expect((await recall({ to: 'embedded' })).status).toBe(200);
    // What is wrong with a recall is not that it is one too many.
    expect(codeOf(await recall({ to: 9_999 }))).toEqual([404, 'BUILD_NOT_FOUND']);
    expect(codeOf(await recall({ reason: '' }))).toEqual([422, undefined]);
    expect(codeOf(await unrecall())).toEqual([429, 'RATE_LIMITED']);
    const byOwner = (action: string) => ask(key, 'POST', `${builds}/${action}`, { reason: 'x', to: 'none' });
    expect((await byOwner('recall')).status).toBe(200);
    expect(codeOf(await byOwner('unrecall'))).toEqual([429, 'RATE_LIMITED']);
    expect((await api.get<Reply<{ recall_target: string }>>(builds)).body.data).toMatchObject({
      recall_target: 'none',
    });
  });

  run('recalls have a reserve beyond the limits of requests, of a token and of an owner, with an end', async () => {
    await start({ LIMIT_REQUESTS_PER_MINUTE: '20', LIMIT_OWNER_REQUESTS_PER_MINUTE: '20' });
    const { owner_key: key, api, builds: good, release } = await tenant('tenant');
    const bad = await release('1.1.0');
    const to = Number(good.split('/').at(-1));
    const planes = [
      { get: () => api.get<Reply>(good), post: (path: string, body: object) => api.post<Reply>(path, body) },
      { get: () => ask(key, 'GET', good), post: (path: string, body: object) => ask(key, 'POST', path, body) },
    ];
    for (const [at, { get, post }] of planes.entries()) {
      // The budget may be full again a moment later, so it is spent before each.
      const beyondLimit = async (path: string, body: object) => {
        while ((await get()).status !== 429);
        return post(path, body);
      };
      for (const body of [{}, { to: 'none' }, { to, version: `5.0.${at}` }]) {
        expect((await beyondLimit(`${bad}/recall`, { reason: 'White screen.', ...body })).status).toBe(200);
      }
      for (const [path, body] of [
        [`${bad}/unrecall`, {}],
        [`${good}/promote`, { target_channel: 'staging' }],
      ] as const) {
        expect(codeOf(await beyondLimit(path, body))).toEqual([429, 'RATE_LIMITED']);
      }
    }
    // 60 a minute, after the 20 of the limit. Both may be full again once meanwhile.
    let granted = 0;
    while (granted < 200 && (await planes[0]!.post(`${bad}/recall`, { reason: 'White screen.' })).status === 200) {
      granted += 1;
    }
    expect(granted).toBeLessThanOrEqual(2 * (20 + 60));
  });

  run('access can still be ended when a token has used up the budget of changes', async () => {
    await start({ LIMIT_CHANGES_PER_HOUR: '6' });
    const { id, owner_key: key } = await ask<{ id: number; owner_key: string }>(operator, 'POST', '/owners', {
      name: 'tenant',
    }).then(({ body }) => body.data);
    const made = await ask<{ id: number; token: string }>(key, 'POST', '/tokens', { name: 'leaked', all_apps: false });
    const spent = await Promise.all(
      Array.from({ length: 8 }, () => management(gateway(), made.body.data.token).post('/apps/1/api-keys', {})),
    );
    expect(spent.map(({ status }) => status)).toContain(429);
    expect((await ask(key, 'POST', `/tokens/${made.body.data.id}/revoke`)).status).toBe(200);
    expect((await ask(key, 'POST', '/owner/rotate-key', { revoke_tokens: true })).status).toBe(200);

    const own = await ask<{ token: string }>(operator, 'POST', '/tokens', { name: 'leaked', all_apps: false });
    for (let turn = 0; turn < 8; turn += 1)
      await management(gateway(), own.body.data.token).post('/apps/1/api-keys', {});
    expect(codeOf(await ask(operator, 'POST', '/owners', { name: 'other' }))).toEqual([429, 'RATE_LIMITED']);
    expect((await ask(operator, 'POST', `/owners/${id}/suspend`, { reason: 'Leaked' })).status).toBe(200);
  });

  run('a request whose token is revoked while its body arrives is rejected', async () => {
    await start({});
    const { app, owner_key: key } = await tenant('tenant');
    const form = ['version', 'channel'].map(
      (name) =>
        `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${name === 'version' ? '2.0.0' : 'production'}\r\n`,
    );
    const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="b.zip"\r\n\r\n';
    const upload = Buffer.concat([
      Buffer.from(form.join('') + file),
      await zipOf({ 'index.html': 'late' }),
      Buffer.from('\r\n--x--\r\n'),
    ]);
    for (const [path, type, body] of [
      ['api-keys', 'application/json', Buffer.from('{"name":"late"}')],
      ['builds', 'multipart/form-data; boundary=x', upload],
    ] as const) {
      const made = await ask<{ id: number; token: string }>(key, 'POST', '/tokens', { name: path, all_apps: true });
      const { id, token } = made.body.data;
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': type, 'Content-Length': body.length };
      const url = `${gateway()}/api/public/v1/apps/${app}/${path}`;
      const request = httpRequest(url, { method: 'POST', headers: { ...headers, Expect: '100-continue' } });
      const status = new Promise((resolve, reject) => {
        request.on('error', reject).on('response', (response) => resolve(response.resume().statusCode));
      });
      request.flushHeaders();
      await new Promise((resolve) => request.once('continue', resolve));
      request.write(body.subarray(0, 5));
      await ask(key, 'POST', `/tokens/${id}/revoke`);
      while ((await management(gateway(), token).get('/apps')).status !== 401);
      request.end(body.subarray(5));
      expect([path, await status]).toEqual([path, 401]);
    }
  });

  run('requests of an owner are counted', async () => {
    await start({ LIMIT_OWNER_REQUESTS_PER_MINUTE: '5' });
    const statuses: number[] = [];
    for (let turn = 0; turn < 7; turn += 1) statuses.push((await ask(operator, 'GET', '/owner')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });
});
