import { eventually } from '@sluice/testing';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, checkUpdate, management, sha256, type Answer } from '../support/http';
import { zipOf } from '../support/zip';

type Json = Record<string, unknown>;

interface Body {
  readonly data: Json & { readonly build?: { readonly id: number } };
  readonly meta?: { readonly total: number };
  readonly error?: { readonly code: string };
}

interface Entry {
  readonly type: string;
  readonly actor: string;
  readonly actor_name: string | null;
}

jest.setTimeout(60_000);

const UPLOADS = 7;
const KEY_ACTIONS = 3;

/** In a browser: by session cookie, from a page of the server itself. */
onEachDeployment('an owner releases, $name', (kind) => {
  let deployment: Deployment;
  let ownerKey: string;
  let cookie: string;
  let foreignCookie: string;
  /** A token for all apps. */
  let wide: string;
  let app: number;
  let job: string;
  let staged: number;
  let live: number;
  let apiKey: { id: number; plaintext_key: string };
  let turn = 0;
  /** Each call goes to the next gateway: a change through one is visible on the other immediately. */
  const gateway = (): string => deployment.gateways[turn++ % deployment.gateways.length]!;

  interface Sent {
    readonly body?: unknown;
    readonly by?: string;
    readonly headers?: Record<string, string>;
  }
  const send = <Answered = Body>(method: string, path: string, { body, by = cookie, headers = {} }: Sent = {}) => {
    const address = gateway();
    const isJson = body !== undefined && !(body instanceof FormData);
    return call<Answered>(`${address}/api/dashboard/v1${path}`, {
      method,
      headers: {
        Cookie: by,
        ...(method !== 'GET' && { Origin: address, 'X-Sluice-CSRF': '1' }),
        ...(isJson && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    });
  };
  const formOf = (file: Buffer, fields: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('file', new Blob([Uint8Array.from(file)]), 'release.zip');
    return form;
  };
  const bundleOf = (version: string) => zipOf({ 'index.html': `<h1>${version}</h1>` });
  const upload = async (version: string, { body, ...sent }: Sent = {}) => {
    const file = (body as Buffer | undefined) ?? (await bundleOf(version));
    return send('POST', `/apps/${app}/builds`, {
      ...sent,
      body: formOf(file, { version, channel: 'staging', metadata: '{"commit":"4f2a9c1"}' }),
    });
  };
  const codeOf = ({ status, body }: Answer<Body>) => [status, body.error?.code];
  const login = async (key: string): Promise<string> => {
    const answer = await call(`${gateway()}/api/dashboard/v1/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ owner_key: key }),
    });
    return answer.headers.getSetCookie()[0]!.split(';')[0]!;
  };
  const finished = async (id: string): Promise<Json> => {
    return eventually(async () => {
      const { body } = await send('GET', `/jobs/${id}`);
      return ['completed', 'failed'].includes(body.data['status'] as string) && body.data;
    });
  };
  const history = async () =>
    (await send<{ data: Entry[] }>('GET', `/apps/${app}/history?per_page=50`)).body.data.map(({ type, actor }) => [
      type,
      actor,
    ]);

  beforeAll(async () => {
    deployment = await kind.deploy({
      LIMIT_UPLOADS_PER_HOUR: String(UPLOADS),
      LIMIT_KEY_ACTIONS_PER_HOUR: String(KEY_ACTIONS),
    });
    ownerKey = await deployment.ownerKey();
    cookie = await login(ownerKey);
    const ann = await send('POST', '/owners', { body: { name: 'Ann' } });
    foreignCookie = await login(ann.body.data['owner_key'] as string);
  }, 180_000);

  afterAll(() => deployment.destroy(), 60_000);

  it('registers an app of its own, that no token is attached to', async () => {
    const narrow = await send('POST', '/tokens', { body: { name: 'narrow' } });
    const forAll = await send('POST', '/tokens', { body: { name: 'wide', all_apps: true } });
    wide = forAll.body.data['token'] as string;
    const made = await send('POST', '/apps', { body: { name: 'Shop', bundle_id: 'com.example.shop' } });
    expect(made).toMatchObject({ status: 201, body: { data: { app_id: 'com.example.shop', platform: 'both' } } });
    app = made.body.data['id'] as number;
    expect((await send('GET', '/apps/com.example.shop')).body).toEqual(made.body);

    const reached = async ({ body }: Answer<Body>) =>
      (await management(gateway(), body.data['token'] as string).get('/token')).body.data['apps'];
    expect(await reached(narrow)).toEqual([]);
    expect(await reached(forAll)).toMatchObject([{ id: app }]);

    const taken = { name: 'Other', bundle_id: 'com.example.shop' };
    expect(codeOf(await send('POST', '/apps', { body: taken, by: foreignCookie }))).toEqual([409, 'BUNDLE_ID_TAKEN']);
    const edited = await send('PATCH', `/apps/${app}`, { body: { description: 'The shop' } });
    expect(edited).toMatchObject({ status: 200, body: { data: { description: 'The shop' } } });
    expect((await send('PATCH', `/apps/${app}`, { body: { bundle_id: 'a.b' } })).status).toBe(422);
  });

  it('uploads a bundle, and polls the job where the answer says', async () => {
    const answer = await upload('1.0.0');
    expect(answer).toMatchObject({ status: 202, body: { data: { build: { status: 'processing' } } } });
    const { status_url: url, build } = answer.body.data;
    [job, staged] = [answer.body.data['job_id'] as string, build!.id];
    expect(new URL(url as string).pathname).toBe(`/api/dashboard/v1/jobs/${job}`);
    expect(await finished(job)).toMatchObject({ status: 'completed', attempts: 1, error: null });
    const told = await call<Body>(url as string, { headers: { Cookie: cookie } });
    expect(told.body.data).toMatchObject({ id: job, status: 'completed', status_url: url });
    expect((await send('GET', `/apps/${app}/builds/${staged}`)).body.data).toMatchObject({
      ...{ status: 'active', metadata: { commit: '4f2a9c1' } },
    });
    expect(codeOf(await upload('1.0.0'))).toEqual([409, 'VERSION_ALREADY_EXISTS']);
  });

  it('pauses and resumes a build, promotes it and changes its rollout, and devices are offered it', async () => {
    const path = `/apps/${app}/builds/${staged}`;
    expect((await send('PATCH', path, { body: { status: 'paused' } })).body.data['status']).toBe('paused');
    expect((await send('PATCH', path, { body: { status: 'active' } })).body.data['status']).toBe('active');
    const promoted = await send('POST', `${path}/promote`, { body: { target_channel: 'production' } });
    expect(promoted).toMatchObject({ status: 201, body: { data: { status: 'active', promoted_from_id: staged } } });
    live = promoted.body.data['id'] as number;
    const rollout = await send('PATCH', `/apps/${app}/builds/${live}/rollout`, { body: { rollout_percentage: 50 } });
    expect(rollout.body.data['rollout_percentage']).toBe(50);
    expect((await send('GET', `/apps/${app}/builds?channel=production`)).body).toMatchObject({
      data: [{ id: live, rollout_percentage: 50 }],
      meta: { total: 1 },
    });

    const key = await send('POST', `/apps/${app}/api-keys`, { body: { name: 'installs' } });
    expect(key.status).toBe(201);
    apiKey = key.body.data as unknown as typeof apiKey;
    await send('PATCH', `/apps/${app}/builds/${live}/rollout`, { body: { rollout_percentage: 100 } });
    const offered = await checkUpdate(deployment.devices[0]!, apiKey.plaintext_key, 'phone', '0.9.0');
    expect(offered.body).toMatchObject({ available: true, version: '1.0.0' });
    const why = await send('GET', `/apps/${app}/explain?device=phone&version=0.9.0&platform=ios`);
    expect(why).toMatchObject({ status: 200, body: { data: { offered: { build_id: live } } } });
    expect((await send('GET', `/apps/${app}/adoption`)).status).toBe(200);
    expect((await send('GET', `/apps/${app}/builds/${live}/stats`)).status).toBe(200);
    expect((await send('GET', `/apps/${app}/devices/phone`)).body.data).toEqual({
      state: null,
      reports: 0,
      rolled_back: [],
      pins: [],
      channel_pins: [],
      groups: [],
      chosen_channel: null,
    });
    expect((await send('GET', `/apps/${app}/devices/phone/reports`)).body.data).toEqual([]);
    expect((await send('DELETE', `/apps/${app}/devices/phone`)).status).toBe(200);
  });

  it('shows the secret of a key once and when it is revealed, and restricts, rotates and ends keys', async () => {
    const path = `/apps/${app}/api-keys/${apiKey.id}`;
    expect(apiKey.plaintext_key).toMatch(/^svc_app_[0-9a-f]{48}_[0-9a-f]{8}$/);
    for (const shown of [await send('GET', path), await send('GET', `/apps/${app}/api-keys`)]) {
      expect(shown.status).toBe(200);
      expect(JSON.stringify(shown.body)).not.toContain(apiKey.plaintext_key);
    }
    const revealed = await send('POST', `${path}/reveal`);
    expect(revealed.body.data).toEqual({ id: apiKey.id, plaintext_key: apiKey.plaintext_key });
    const restrictions = { origins: ['https://shop.example.com'] };
    expect((await send('PATCH', `${path}/restrictions`, { body: restrictions })).body.data).toMatchObject({
      restrictions,
      unrestricted: false,
    });
    const rotated = await send('POST', `${path}/rotate`);
    expect(rotated.body.data['plaintext_key']).not.toBe(apiKey.plaintext_key);
    expect((await send('POST', `${path}/deprecate`)).body.data['status']).toBe('deprecated');
    expect((await send('POST', `${path}/revoke`)).body.data['status']).toBe('revoked');
    expect(codeOf(await send('POST', `${path}/reveal`))).toEqual([409, 'KEY_REVOKED']);
    expect(codeOf(await send('POST', `${path}/reveal`))).toEqual([429, 'KEY_ACTION_RATE_LIMITED']);
    // One budget for all callers.
    const byToken = await management(gateway(), wide).post<Body>(`${path}/reveal`);
    expect(codeOf(byToken)).toEqual([429, 'KEY_ACTION_RATE_LIMITED']);
    expect((await send('DELETE', path)).body.data).toEqual({ deleted: true, id: apiKey.id });
  });

  it('makes, rotates and retires a signing key', async () => {
    const path = `/apps/${app}/signing-key`;
    expect((await send('GET', path)).body.data).toEqual({ configured: false });
    const made = await send('POST', path, { body: { name: 'release', size: 2048 } });
    expect(made).toMatchObject({ status: 201, body: { data: { name: 'release', status: 'active' } } });
    expect((await send('GET', path)).body).toEqual(made.body);
    expect(codeOf(await send('POST', path, { body: {} }))).toEqual([409, 'SIGNING_KEY_EXISTS']);
    const rotated = await send('POST', `${path}/rotate`, { body: { size: 2048 } });
    expect(rotated.status).toBe(200);
    expect(rotated.body.data['fingerprint']).not.toBe(made.body.data['fingerprint']);
    const former = made.body.data['id'] as number;
    const retired = await send('POST', `/apps/${app}/signing-keys/${former}/retire`);
    expect(retired).toMatchObject({ status: 200, body: { data: { id: former, status: 'retired' } } });
    const { body } = await send<{ data: { status: string }[] }>('GET', `/apps/${app}/signing-keys`);
    expect(body.data.map(({ status }) => status)).toEqual(['active', 'retired']);
  });

  it('keeps a keystore, and downloads it byte for byte', async () => {
    const path = `/apps/${app}/keystore`;
    const file = await zipOf({ 'release.jks': 'secret' });
    const kept = await send('POST', path, { body: formOf(file) });
    expect(kept).toMatchObject({ status: 201, body: { data: { original_name: 'release.zip', sha256: sha256(file) } } });
    expect((await send('GET', path)).body).toEqual(kept.body);
    const download = await fetch(`${gateway()}/api/dashboard/v1${path}/download`, { headers: { Cookie: cookie } });
    expect([download.status, download.headers.get('content-type')]).toEqual([200, 'application/zip']);
    expect(Buffer.from(await download.arrayBuffer()).equals(file)).toBe(true);
    expect(codeOf(await send('POST', path, { body: formOf(Buffer.from('no zip')) }))).toEqual([
      422,
      'KEYSTORE_MUST_BE_ZIP',
    ]);
    expect((await send('DELETE', path)).body.data).toEqual({ deleted: true });
  });

  it('repeats a request under one Idempotency-Key without a second effect', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const made = await send('POST', '/apps', { body: { name: 'Once' }, headers });
    const again = await send('POST', '/apps', { body: { name: 'Once' }, headers });
    expect([made.status, again.status, again.body]).toEqual([201, 201, made.body]);
    expect(codeOf(await send('POST', '/apps', { body: { name: 'Twice' }, headers }))).toEqual([
      422,
      'IDEMPOTENCY_KEY_REUSED',
    ]);
    // The key of one owner is not that of another.
    const other = await send('POST', '/apps', { body: { name: 'Once' }, headers, by: foreignCookie });
    expect([other.status, other.body.data['id'] === made.body.data['id']]).toEqual([201, false]);

    const body = await bundleOf('2.0.0');
    const first = await upload('2.0.0', { headers, body });
    const repeat = await upload('2.0.0', { headers, body });
    expect([first.status, repeat.status]).toEqual([202, 202]);
    expect(repeat.body.data['job_id']).toBe(first.body.data['job_id']);
    expect(repeat.body.data.build!.id).toBe(first.body.data.build!.id);
    expect(await finished(first.body.data['job_id'] as string)).toMatchObject({ status: 'completed' });
    const builds = await send('GET', `/apps/${app}/builds?channel=staging`);
    expect(builds.body.meta?.total).toBe(2);
  });

  it('counts uploads of the owner, those by a page of another site not, and no token’s', async () => {
    const forged = await upload('3.0.0', { headers: { Origin: 'https://evil.example' } });
    expect(codeOf(forged)).toEqual([403, 'CSRF_REFUSED']);
    // Four were sent before.
    for (let more = 4; more < UPLOADS; more += 1) {
      expect(codeOf(await upload('1.0.0'))).toEqual([409, 'VERSION_ALREADY_EXISTS']);
    }
    const refused = await upload('4.0.0');
    expect(codeOf(refused)).toEqual([429, 'UPLOAD_RATE_LIMITED']);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);

    // Token 1 and owner 1 have a budget each.
    const { body } = await send<{ data: { id: number }[] }>('GET', '/tokens');
    expect(body.data[0]!.id).toBe(1);
    const rotated = await send('POST', '/tokens/1/rotate');
    await send('PATCH', '/tokens/1', { body: { all_apps: true } });
    const fields = { version: '5.0.0', channel: 'development' };
    const token = rotated.body.data['token'] as string;
    const taken = await management(gateway(), token).upload(`/apps/${app}/builds`, await bundleOf('5.0.0'), fields);
    expect(taken.status).toBe(202);
    await finished(taken.body.data.job_id);
  });

  it('shows another owner nothing of it', async () => {
    expect(codeOf(await send('GET', `/jobs/${job}`, { by: foreignCookie }))).toEqual([404, 'JOB_NOT_FOUND']);
    expect((await send('GET', `/jobs/${job}`)).status).toBe(200);
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', ''],
      ['GET', '/builds'],
      ['GET', `/builds/${staged}`],
      ['PATCH', `/builds/${staged}`, { status: 'paused' }],
      ['POST', `/builds/${staged}/promote`, { target_channel: 'development' }],
      ['DELETE', `/builds/${staged}`],
      ['GET', `/builds/${staged}/history`],
      ['GET', '/history'],
      ['POST', '/api-keys', { name: 'mine' }],
      ['GET', '/signing-key'],
      ['GET', '/signing-keys'],
      ['POST', '/signing-keys/1/retire'],
      ['GET', '/keystore/download'],
      ['GET', '/devices/phone'],
      ['GET', '/devices/phone/reports'],
    ] as const) {
      const answer = await send(method, `/apps/${app}${path}`, { by: foreignCookie, body });
      expect([method, path, ...codeOf(answer)]).toEqual([method, path, 404, 'APP_NOT_FOUND']);
    }
  });

  it('is named in the history of all that it did', async () => {
    const told = await history();
    const byOwner = told.filter(([, actor]) => actor === 'owner:1').map(([type]) => type);
    for (const type of ['AppRegistered', 'BuildAccepted', 'BuildPaused', 'BuildPromoted', 'RolloutChanged']) {
      expect(byOwner).toContain(type);
    }
    for (const type of [
      'ApiKeyCreated',
      'ApiKeyDeleted',
      'SigningKeyRolledOver',
      'KeystoreStored',
      'KeystoreDeleted',
    ]) {
      expect(byOwner).toContain(type);
    }
    const { body } = await send<{ data: Entry[] }>('GET', `/apps/${app}/builds/${live}/history`);
    expect(body.data.at(-1)).toMatchObject({ type: 'BuildPromoted', actor: 'owner:1', actor_name: 'operator' });
  });

  it('deletes builds and the app, whose history alone it still sees', async () => {
    expect((await send('DELETE', `/apps/${app}/builds/${staged}`)).body.data).toEqual({ deleted: true, id: staged });
    expect((await send('DELETE', `/apps/${app}`)).body.data).toEqual({ deleted: true, id: app });
    expect(codeOf(await send('GET', `/apps/${app}`))).toEqual([404, 'APP_NOT_FOUND']);
    expect(codeOf(await send('GET', `/apps/${app}/builds`))).toEqual([404, 'APP_NOT_FOUND']);
    expect(codeOf(await send('GET', `/apps/${app}/builds/${live}/history`))).toEqual([404, 'APP_NOT_FOUND']);
    expect(await history()).toContainEqual(['AppRemovalStarted', 'owner:1']);
  });
});
