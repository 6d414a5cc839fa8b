import { newCredential } from '@sluice/contracts';
import type { AccessPolicy } from '../../services/gateway/access/access-policy';
import { guardedRoutes } from '../../services/gateway/openapi/planes';
import { standalone, type Deployment } from '../support/deployment';
import { call, management } from '../support/http';
import { zipOf } from '../support/zip';

interface Refusal {
  readonly error?: { readonly code: string; readonly details?: object };
  /** Of the listings-ads plane. */
  readonly data?: { readonly code: string };
}

interface Token {
  readonly id: number;
  readonly token: string;
}

const POLICIES = guardedRoutes();
const ROUTES = [...POLICIES].map(([route, policy]) => {
  const [method = '', path = ''] = route.split(' ');
  return { route, method, path, policy };
});
const onPlane = (...planes: AccessPolicy['plane'][]) => ROUTES.filter(({ policy }) => planes.includes(policy.plane));

/** Every declared route is walked. */
describe('who is refused where', () => {
  let deployment: Deployment;
  let address: string;
  let ownerKey: string;
  let appId: number;
  let removedAppId: number;
  let jobId: string;
  let mighty: Token;
  let plain: Token;
  let narrow: Token;
  let expired: Token;
  let revoked: Token;
  let secondOwner: string;
  let others: Token;
  let session: string;
  let loggedOut: string;

  const dashboard = <Body>(method: string, path: string, body?: unknown) =>
    call<Body>(`${address}/api/dashboard/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${ownerKey}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const makeToken = async (body: object): Promise<Token> => {
    const made = await dashboard<{ data: Token }>('POST', '/tokens', { name: 'walker', ...body });
    expect(made.status).toBe(201);
    return made.body.data;
  };
  /** Creates a token, or changes one, in the name of another owner. */
  const give = (key: string, body: object, method = 'POST', path = '/tokens') =>
    call<Refusal & { data: Token }>(`${address}/api/dashboard/v1${path}`, {
      method,
      headers: { ...bearer(key), 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const ask = (method: string, path: string, headers: Record<string, string>, named: Record<string, string> = {}) => {
    const parameters: Record<string, string> = {
      template: 'careful',
      group: 'beta',
      channel: 'beta',
      app: String(appId),
      build: '1',
      key: '1',
      job: jobId,
      device: 'phone',
      token: '1',
      owner: '1',
      log: '01HZZZZZZZZZZZZZZZZZZZZZZZ',
      name: 'apps',
      ...named,
    };
    const filled = path.replace(/:(\w+)/g, (_, name: string) => {
      const value = parameters[name];
      if (value === undefined) throw new Error(`The walk has no value for :${name} in ${path}. Add one.`);
      return value;
    });
    return call<Refusal>(`${address}${filled}`, { method, headers });
  };
  const bearer = (credential: string) => ({ Authorization: `Bearer ${credential}` });
  const cookie = (secret: string) => ({ Cookie: `sluice_session=${secret}` });
  const login = async (): Promise<string> => {
    const answer = await dashboard('POST', '/session', { owner_key: ownerKey });
    return /sluice_session=([^;]+)/.exec(answer.headers.getSetCookie()[0]!)![1]!;
  };
  const codeOf = ({ status, body }: { status: number; body: Refusal }) => [status, body.error?.code ?? body.data?.code];

  beforeAll(async () => {
    deployment = await standalone.deploy({ ENTITLEMENTS: 'listings_ads' });
    address = deployment.gateways[0]!;
    ownerKey = await deployment.ownerKey();
    mighty = await makeToken({
      all_apps: true,
      permissions: ['builds.delete', 'apps.delete', 'keys.delete', 'manage_store'],
    });
    plain = await makeToken({ all_apps: true });
    narrow = await makeToken({ permissions: ['builds.delete', 'apps.delete', 'keys.delete'] });
    expired = await makeToken({ all_apps: true, expires_at: '2020-01-01T00:00:00Z' });
    revoked = await makeToken({ all_apps: true });
    expect((await dashboard('POST', `/tokens/${revoked.id}/revoke`)).status).toBe(200);
    secondOwner = (await dashboard<{ data: { owner_key: string } }>('POST', '/owners', { name: 'Ann' })).body.data
      .owner_key;
    others = (await give(secondOwner, { name: 'Ann’s', all_apps: true })).body.data;
    [session, loggedOut] = [await login(), await login()];
    const out = await call(`${address}/api/dashboard/v1/session`, {
      method: 'DELETE',
      headers: { ...cookie(loggedOut), Origin: address, 'X-Sluice-CSRF': '1' },
    });
    expect(out.status).toBe(200);
    const api = management(address, mighty.token);
    const app = await api.post<{ data: { id: number } }>('/apps', { name: 'Walked', bundle_id: 'com.example.walked' });
    appId = app.body.data.id;
    removedAppId = (await api.post<{ data: { id: number } }>('/apps', { name: 'Removed' })).body.data.id;
    expect((await dashboard('DELETE', `/apps/${removedAppId}`)).status).toBe(200);
    const bundle = await zipOf({ 'index.html': 'x' });
    const uploaded = await api.upload(`/apps/${appId}/builds`, bundle, { version: '1.0.0', channel: 'staging' });
    jobId = uploaded.body.data.job_id;
  }, 60_000);

  afterAll(() => deployment.destroy(), 30_000);

  describe.each(onPlane('management', 'listings'))('$route', ({ method, path, policy }) => {
    const expected = (code: string) => [401, policy.plane === 'listings' ? 'unauthenticated' : code];

    it.each([
      ['no token', () => ({}), 'MISSING_ACCESS_TOKEN'],
      ['another scheme', () => ({ Authorization: 'Basic dXNlcjpwYXNz' }), 'MISSING_ACCESS_TOKEN'],
      ['an app API key', () => bearer(newCredential('svc_app_')), 'INVALID_ACCESS_TOKEN_FORMAT'],
      ['an unknown owner key', () => bearer(newCredential('svc_own_')), 'INVALID_ACCESS_TOKEN_FORMAT'],
      ['a truncated token', () => bearer(mighty.token.slice(0, -1)), 'INVALID_ACCESS_TOKEN_CHECKSUM'],
      ['a token no owner made', () => bearer(newCredential('svc_pat_')), 'ACCESS_TOKEN_NOT_FOUND'],
      ['a revoked token', () => bearer(revoked.token), 'ACCESS_TOKEN_NOT_FOUND'],
      ['an expired token', () => bearer(expired.token), 'ACCESS_TOKEN_INVALID'],
    ])('rejects %s', async (_, headers, code) => {
      expect(codeOf(await ask(method, path, headers()))).toEqual(expected(code));
    });

    if (policy.plane === 'management' && policy.scope === 'app') {
      it('knows no app outside the scope, whatever the permissions', async () => {
        expect(codeOf(await ask(method, path, bearer(narrow.token)))).toEqual([404, 'APP_NOT_FOUND']);
      });
    }
    if (policy.plane === 'management' && policy.permission !== undefined) {
      it(`wants ${policy.permission}`, async () => {
        expect(await ask(method, path, bearer(plain.token))).toMatchObject({
          status: 403,
          body: { error: { code: 'TOKEN_PERMISSION_DENIED', details: { required_permission: policy.permission } } },
        });
      });
    }
    if (policy.plane === 'listings') {
      it(`wants ${policy.permission}`, async () => {
        expect(codeOf(await ask(method, path, bearer(plain.token)))).toEqual([403, 'forbidden']);
      });

      it.each([
        ['the operator', () => ownerKey, 'module_disabled'],
        ['a token that the operator gave it', () => mighty.token, 'module_disabled'],
        ['another owner', () => secondOwner, 'forbidden'],
        ['a token of another owner', () => others.token, 'forbidden'],
      ])('answers %s by whose store it is', async (_, credential, code) => {
        expect(codeOf(await ask(method, path, bearer(credential())))).toEqual([403, code]);
      });
    }
  });

  describe.each(onPlane('dashboard'))('$route', ({ method, path, policy }) => {
    it.each([
      ['no key', () => ({}), 'MISSING_OWNER_KEY'],
      ['an access token', () => bearer(mighty.token), 'INVALID_OWNER_KEY'],
      ['an access token in X-Access-Token', () => ({ 'X-Access-Token': mighty.token }), 'MISSING_OWNER_KEY'],
      ['an app API key', () => bearer(newCredential('svc_app_')), 'INVALID_OWNER_KEY'],
      ['a session that never was', () => cookie('x'.repeat(43)), 'SESSION_ENDED'],
      ['a session that was logged out', () => cookie(loggedOut), 'SESSION_ENDED'],
      ['a session together with an invalid key', () => ({ ...cookie(session), ...bearer('x') }), 'INVALID_OWNER_KEY'],
      ['an owner key of another installation', () => bearer(newCredential('svc_own_')), 'INVALID_OWNER_KEY'],
    ])('rejects %s', async (_, headers, code) => {
      expect(codeOf(await ask(method, path, headers()))).toEqual([401, code]);
    });

    if (method !== 'GET') {
      it('rejects a change by cookie that another site may have made', async () => {
        expect(codeOf(await ask(method, path, cookie(session)))).toEqual([403, 'CSRF_REFUSED']);
      });
    }
    if (policy.plane === 'dashboard' && policy.operator === true) {
      it('is for the operator', async () => {
        expect(codeOf(await ask(method, path, bearer(secondOwner)))).toEqual([403, 'OPERATOR_ONLY']);
      });
    } else if (path.includes('/:')) {
      it('shows another owner nothing', async () => {
        const answer = await ask(method, path, bearer(secondOwner));
        expect(answer.status).toBe(404);
        if (path.includes('/:app')) expect(codeOf(answer)).toEqual([404, 'APP_NOT_FOUND']);
      });
    }
    if (policy.plane === 'dashboard' && policy.scope !== undefined) {
      it(`${policy.scope === 'app' ? 'knows no app' : 'still knows an app'} that its owner removed`, async () => {
        const answer = await ask(method, path, bearer(ownerKey), { app: String(removedAppId) });
        expect(codeOf(answer)).toEqual(policy.scope === 'app' ? [404, 'APP_NOT_FOUND'] : [200, undefined]);
      });
    }
  });

  it('lets only the operator give a token manage_store, when it is made and later', async () => {
    const wish = { name: 'store', permissions: ['keys.delete', 'manage_store'] };
    expect(codeOf(await give(secondOwner, wish))).toEqual([403, 'OPERATOR_ONLY']);
    expect(codeOf(await give(secondOwner, wish, 'PATCH', `/tokens/${others.id}`))).toEqual([403, 'OPERATOR_ONLY']);
    const { body } = await call<{ data: object[] }>(`${address}/api/dashboard/v1/tokens`, {
      headers: bearer(secondOwner),
    });
    expect(body.data).toMatchObject([{ id: others.id, permissions: ['manage'] }]);
  });

  it('serves the owner whatever it serves a token in an app', () => {
    const absent = onPlane('management')
      .filter(({ path }) => path.includes('/:'))
      .map(({ route }) => route.replace('/api/public/v1/', '/api/dashboard/v1/'))
      .filter((route) => POLICIES.get(route)?.plane !== 'dashboard');
    expect(absent).toEqual([]);
  });

  it('shows a job to the tokens of its app alone', async () => {
    const job = `/api/public/v1/jobs/${jobId}`;
    const foreign = await ask('GET', job, bearer(narrow.token));
    expect(codeOf(foreign)).toEqual([404, 'JOB_NOT_FOUND']);
    const absent = await ask('GET', '/api/public/v1/jobs/01ARZ3NDEKTSV4RRFFQ69G5FAV', bearer(narrow.token));
    expect(absent.body).toEqual(foreign.body);
    expect((await ask('GET', job, bearer(plain.token))).status).toBe(200);
  });

  it('shows a job to the owner of its app alone', async () => {
    const job = `/api/dashboard/v1/jobs/${jobId}`;
    const foreign = await ask('GET', job, bearer(secondOwner));
    expect(codeOf(foreign)).toEqual([404, 'JOB_NOT_FOUND']);
    const absent = await ask('GET', '/api/dashboard/v1/jobs/01ARZ3NDEKTSV4RRFFQ69G5FAV', bearer(secondOwner));
    expect(absent.body).toEqual(foreign.body);
    expect((await ask('GET', job, bearer(ownerKey))).status).toBe(200);
  });

  it('change nothing', async () => {
    const api = management(address, mighty.token);
    expect((await api.get<{ meta: { total: number } }>('/apps')).body.meta.total).toBe(1);
    expect((await api.get<{ meta: { total: number } }>(`/apps/${appId}/builds`)).body.meta.total).toBe(1);
    expect((await api.get<{ meta: { total: number } }>(`/apps/${appId}/api-keys`)).body.meta.total).toBe(0);
    const { body } = await dashboard<{ data: { id: number; status: string }[] }>('GET', '/tokens');
    expect(body.data.filter(({ status }) => status === 'active').map(({ id }) => id)).toEqual([
      mighty.id,
      plain.id,
      narrow.id,
    ]);
  });
});
