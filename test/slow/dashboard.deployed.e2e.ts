import { newCredential } from '@sluice/contracts';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, management, type Answer } from '../support/http';

interface Token {
  readonly id: number;
  readonly name: string;
  readonly token: string;
  readonly status: string;
  readonly apps: readonly number[];
  readonly permissions: readonly string[];
}

interface Owner {
  readonly id: number;
  readonly owner_key: string;
}

interface Session {
  readonly owner: { readonly id: number };
  readonly expires_at: string | null;
}

interface Refusal {
  readonly error?: { readonly code: string; readonly message: string };
}

/** Replaced by the address of the gateway that serves the request. */
const ITSELF = 'itself';

type Found<Data> = { readonly data: Data } & Refusal;

onEachDeployment('the dashboard plane, $name', (kind) => {
  let deployment: Deployment;
  let ownerKey: string;
  let turn = 0;
  /** Each call goes to the next gateway: a change through one is visible on the other immediately. */
  const gateway = (): string => deployment.gateways[turn++ % deployment.gateways.length]!;

  const ask = <Data = Record<string, unknown>>(
    method: string,
    path: string,
    { key = ownerKey, body, headers = {} }: { key?: string; body?: unknown; headers?: Record<string, string> } = {},
  ) =>
    call<Found<Data>>(`${gateway()}/api/dashboard/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const codeOf = ({ status, body }: Answer<Refusal>) => [status, body.error?.code];
  const newToken = async (body: object = { all_apps: true }) => {
    const made = await ask<Token>('POST', '/tokens', { body: { name: 'ci', ...body } });
    expect(made.status).toBe(201);
    return made.body.data;
  };
  const newApp = async (token: string): Promise<number> =>
    (await management(gateway(), token).post('/apps', { name: 'Shop' })).body.data['id'] as number;
  /** By every gateway. */
  const seenBy = (token: string, path: string) =>
    Promise.all(deployment.gateways.map((address) => management(address, token).get<Refusal>(path)));
  const statusesOf = async (answers: Promise<Answer[]>) => [...new Set((await answers).map(({ status }) => status))];

  beforeAll(async () => {
    deployment = await kind.deploy();
    ownerKey = await deployment.ownerKey();
  }, 180_000);

  afterAll(() => deployment.destroy(), 60_000);

  describe('a session', () => {
    const PATH = '/api/dashboard/v1/session';
    const own = { Origin: ITSELF, 'X-Sluice-CSRF': '1' };
    const send = (path: string, method: string, headers: Record<string, string>, body?: unknown) => {
      const address = gateway();
      return call<Found<Session>>(address + path, {
        method,
        headers: {
          ...headers,
          ...(headers['Origin'] === ITSELF && { Origin: address }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    };
    const login = (key = ownerKey, headers: Record<string, string> = {}) =>
      send(PATH, 'POST', headers, { owner_key: key });
    const cookieOf = ({ headers }: Answer) => String(headers.getSetCookie()[0]?.split(';')[0]);
    const by = (cookie: string, method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
      send(path, method, { Cookie: cookie, ...headers }, body);
    const onAll = async (cookie: string) => {
      const codes = new Set<number>();
      for (let each = 0; each < deployment.gateways.length; each += 1) {
        codes.add((await by(cookie, 'GET', PATH)).status);
      }
      return [...codes];
    };

    it('begins with the owner key, in a cookie that only the server’s own pages send', async () => {
      const answer = await login();
      expect(answer.status).toBe(201);
      expect(answer.body.data).toEqual({
        owner: { id: 1, name: 'operator', operator: true },
        expires_at: expect.any(String),
      });
      const cookies = answer.headers.getSetCookie();
      expect(cookies.map((each) => each.replace(/=svc_ses_[0-9a-f]{64};/, '=SECRET;'))).toEqual(
        ['/api/dashboard/v1', '/svc/v1'].map(
          (path) => `sluice_session=SECRET; Path=${path}; Max-Age=604800; HttpOnly; SameSite=Strict`,
        ),
      );
      const cookie = cookieOf(answer);
      expect(await onAll(cookie)).toEqual([200]);
      expect((await by(`other=1; ${cookie}`, 'GET', '/api/dashboard/v1/tokens')).status).toBe(200);
      expect((await by(cookie, 'GET', '/svc/v1/listings-ads/feed/settings')).status).toBe(403);
      expect(codeOf(await by(cookie, 'GET', '/api/public/v1/token'))).toEqual([401, 'MISSING_ACCESS_TOKEN']);
      expect((await ask<Session>('GET', '/session')).body.data.expires_at).toBeNull();
    });

    it('ends at logout, everywhere immediately', async () => {
      const [one, other] = [cookieOf(await login()), cookieOf(await login())];
      const answer = await by(one, 'DELETE', PATH, own);
      expect([answer.status, answer.body.data]).toEqual([200, { ended: true }]);
      expect(answer.headers.getSetCookie()[0]).toContain('Max-Age=0');
      expect([await onAll(one), await onAll(other)]).toEqual([[401], [200]]);
      expect((await ask('DELETE', '/session')).body.data).toEqual({ ended: false });
    });

    it('ends when the key of its owner is rotated, and no other does', async () => {
      const made = await ask<Owner>('POST', '/owners', { body: { name: 'Ann' } });
      const { id, owner_key: key } = made.body.data;
      const [theirs, ours] = [cookieOf(await login(key)), cookieOf(await login())];
      expect(await onAll(theirs)).toEqual([200]);
      expect((await ask('POST', `/owners/${id}/rotate-key`)).status).toBe(200);
      expect([await onAll(theirs), await onAll(ours)]).toEqual([[401], [200]]);
    });

    it.each([
      ['another key', newCredential('svc_own_'), [401, 'INVALID_OWNER_KEY']],
      ['an access token', newCredential('svc_pat_'), [401, 'INVALID_OWNER_KEY']],
      ['text', 'hunter2', [401, 'INVALID_OWNER_KEY']],
    ])('does not begin with %s', async (_, key, expected) => {
      const answer = await login(key);
      expect(codeOf(answer)).toEqual(expected);
      expect(answer.headers.getSetCookie()).toEqual([]);
    });

    it('does not begin on a page of another site', async () => {
      for (const headers of [
        { Origin: 'https://evil.example' },
        { Origin: 'null' },
        { 'Sec-Fetch-Site': 'cross-site' },
      ]) {
        expect(codeOf(await login(ownerKey, headers))).toEqual([403, 'CSRF_REFUSED']);
      }
      expect((await login(ownerKey, { Origin: ITSELF })).status).toBe(201);
    });

    it.each<[string, Record<string, string>]>([
      ['from nowhere', {}],
      ['without the header', { Origin: ITSELF }],
      ['from another site', { Origin: 'https://evil.example', 'X-Sluice-CSRF': '1' }],
      ['from an opaque origin', { Origin: 'null', 'X-Sluice-CSRF': '1', 'Sec-Fetch-Site': 'same-origin' }],
      ['from another site of the same domain', { 'Sec-Fetch-Site': 'same-site', 'X-Sluice-CSRF': '1' }],
    ])('changes nothing for a request %s', async (_, headers) => {
      const cookie = cookieOf(await login());
      const create = by(cookie, 'POST', '/api/dashboard/v1/tokens', headers, { name: 'forged' });
      expect(codeOf(await create)).toEqual([403, 'CSRF_REFUSED']);
      const settings = await by(cookie, 'POST', '/svc/v1/listings-ads/feed/settings', headers, {});
      expect([settings.status, settings.body.data]).toEqual([403, { code: 'csrf_refused' }]);
      const { body } = await ask<Token[]>('GET', '/tokens?per_page=50');
      expect(body.data.filter(({ name }) => name === 'forged')).toEqual([]);
    });

    it('changes what its owner changes on the server’s own page', async () => {
      const cookie = cookieOf(await login());
      for (const headers of [own, { 'Sec-Fetch-Site': 'same-origin', 'X-Sluice-CSRF': '1' }]) {
        const made = await by(cookie, 'POST', '/api/dashboard/v1/tokens', headers, { name: 'console' });
        expect(made.status).toBe(201);
      }
    });
  });

  describe('an owner', () => {
    const newOwner = async (name = 'Ann') => {
      const made = await ask<Owner>('POST', '/owners', { body: { name } });
      expect(made.status).toBe(201);
      return made.body.data;
    };

    it('sees itself; the operator sees all', async () => {
      const { owner_key: key, ...made } = await newOwner();
      expect((await ask('GET', '/owner', { key })).body.data).toEqual(made);
      expect((await ask('GET', '/owner')).body.data).toMatchObject({ id: 1, name: 'operator', operator: true });
      const { body } = await ask<Owner[]>('GET', '/owners?per_page=50');
      expect(body.data).toContainEqual(made);
      expect(body.data[0]).toMatchObject({ id: 1, operator: true });
    });

    it('is kept apart from others, and from what the operator does', async () => {
      const { owner_key: key } = await newOwner();
      const theirs = await newToken();
      for (const [method, path, body] of [
        ['GET', `/tokens/${theirs.id}`],
        ['PATCH', `/tokens/${theirs.id}`, { name: 'mine' }],
        ['POST', `/tokens/${theirs.id}/rotate`],
        ['POST', `/tokens/${theirs.id}/revoke`],
      ] as const) {
        expect(codeOf(await ask(method, path, { key, body }))).toEqual([404, 'TOKEN_NOT_FOUND']);
      }
      expect((await ask('GET', '/tokens', { key })).body.data).toEqual([]);
      const app = await newApp(theirs.token);
      expect((await ask('POST', '/tokens', { key, body: { name: 'x', apps: [app] } })).status).toBe(422);
      const own = (await ask<Token>('POST', '/tokens', { key, body: { name: 'x', all_apps: true } })).body.data;
      expect(await statusesOf(seenBy(own.token, `/apps/${app}`))).toEqual([404]);
      for (const [method, path] of [
        ['GET', '/owners'],
        ['POST', '/owners'],
        ['POST', '/owners/1/rotate-key'],
        ['GET', '/projections'],
      ] as const) {
        expect(codeOf(await ask(method, path, { key }))).toEqual([403, 'OPERATOR_ONLY']);
      }
    });

    it('is made once by a POST and its repeats', async () => {
      const headers = { 'Idempotency-Key': 'ann' };
      const create = () => ask<Owner>('POST', '/owners', { headers, body: { name: 'Once' } });
      const [first, again] = [await create(), await create()];
      expect([again.status, again.body]).toEqual([201, first.body]);
    });

    it('gets another key, from itself or from the operator, and the former key ends immediately', async () => {
      const { id, owner_key: first } = await newOwner();
      const works = async (key: string) => {
        const answers = deployment.gateways.map((address) =>
          call(`${address}/api/dashboard/v1/owner`, { headers: { Authorization: `Bearer ${key}` } }),
        );
        return statusesOf(Promise.all(answers));
      };
      const second = (await ask<Owner>('POST', '/owner/rotate-key', { key: first })).body.data;
      expect(second).toMatchObject({ id, name: 'Ann', key_rotated_at: expect.any(String) });
      expect([await works(first), await works(second.owner_key)]).toEqual([[401], [200]]);
      const third = (await ask<Owner>('POST', `/owners/${id}/rotate-key`)).body.data.owner_key;
      expect([await works(second.owner_key), await works(third)]).toEqual([[401], [200]]);
      expect(codeOf(await ask('POST', '/owners/999/rotate-key'))).toEqual([404, 'OWNER_NOT_FOUND']);
    });

    it('who is the operator keeps the new key after a restart, and finds it in the file that there is without OWNER_KEY', async () => {
      const former = ownerKey;
      const file = deployment.env['OWNER_KEY'] === undefined;
      ownerKey = (await ask<Owner>('POST', '/owner/rotate-key')).body.data.owner_key;
      if (file) expect(await deployment.ownerKey()).toBe(ownerKey);
      await deployment.stop();
      await deployment.start();
      if (file) expect(await deployment.ownerKey()).toBe(ownerKey);
      expect((await ask('GET', '/owner')).status).toBe(200);
      expect((await ask('GET', '/owner', { key: former })).status).toBe(401);
    }, 120_000);
  });

  describe('an access token', () => {
    it('is shown to its owner, without its secret', async () => {
      const made = await newToken();
      const { status, body } = await ask('GET', `/tokens/${made.id}`);
      expect([status, { ...body.data, token: made.token }]).toEqual([200, made]);
      expect(body.data).not.toHaveProperty('token');
      expect(codeOf(await ask('GET', '/tokens/99999'))).toEqual([404, 'TOKEN_NOT_FOUND']);
      expect(codeOf(await ask('GET', '/tokens/x'))).toEqual([404, 'TOKEN_NOT_FOUND']);
    });

    it('reaches other apps the moment that its edit is answered, those that it registered lost', async () => {
      const wide = await newToken();
      const narrow = await newToken({});
      const own = await newApp(narrow.token);
      const other = await newApp(wide.token);
      expect(await statusesOf(seenBy(narrow.token, `/apps/${own}`))).toEqual([200]);
      expect(await statusesOf(seenBy(narrow.token, `/apps/${other}`))).toEqual([404]);

      const edited = await ask<Token>('PATCH', `/tokens/${narrow.id}`, { body: { apps: [other] } });
      expect([edited.status, edited.body.data.apps]).toEqual([200, [other]]);
      expect(await statusesOf(seenBy(narrow.token, `/apps/${own}`))).toEqual([404]);
      expect(await statusesOf(seenBy(narrow.token, `/apps/${other}`))).toEqual([200]);

      const later = await newApp(narrow.token);
      expect(await statusesOf(seenBy(narrow.token, `/apps/${later}`))).toEqual([200]);
      expect((await ask('PATCH', `/tokens/${narrow.id}`, { body: { all_apps: true } })).status).toBe(200);
      expect(await statusesOf(seenBy(narrow.token, `/apps/${own}`))).toEqual([200]);
    });

    it('has the permissions, name and expiry of its edit, immediately', async () => {
      const { id, token } = await newToken();
      const app = await newApp(token);
      const remove = () =>
        Promise.all(
          deployment.gateways.map((address) =>
            call<Refusal>(`${address}/api/public/v1/apps/${app}/builds/1`, {
              method: 'DELETE',
              headers: { Authorization: `Bearer ${token}` },
            }),
          ),
        );
      expect(await statusesOf(remove())).toEqual([403]);
      await ask('PATCH', `/tokens/${id}`, { body: { name: 'robot', permissions: ['builds.delete'] } });
      expect(await statusesOf(remove())).toEqual([404]);
      for (const { body } of await seenBy(token, '/token')) {
        expect(body).toMatchObject({ data: { name: 'robot', permissions: ['manage', 'builds.delete'] } });
      }
      await ask('PATCH', `/tokens/${id}`, { body: { expires_at: '2020-01-01T00:00:00Z' } });
      expect(await statusesOf(seenBy(token, '/token'))).toEqual([401]);
      await ask('PATCH', `/tokens/${id}`, { body: { expires_at: null } });
      expect(await statusesOf(seenBy(token, '/token'))).toEqual([200]);
    });

    it('is rotated: the new secret is valid and the old one is not, immediately', async () => {
      const { token: former, ...before } = await newToken();
      const { token: rotated, ...after } = (await ask<Token>('POST', `/tokens/${before.id}/rotate`)).body.data;
      expect(after).toEqual(before);
      expect(await statusesOf(seenBy(rotated, '/token'))).toEqual([200]);
      expect(await statusesOf(seenBy(former, '/token'))).toEqual([401]);
    });

    it('that is revoked rejects every change', async () => {
      const { id } = await newToken();
      expect((await ask('POST', `/tokens/${id}/revoke`)).status).toBe(200);
      expect(codeOf(await ask('PATCH', `/tokens/${id}`, { body: { name: 'x' } }))).toEqual([409, 'TOKEN_REVOKED']);
      expect(codeOf(await ask('POST', `/tokens/${id}/rotate`))).toEqual([409, 'TOKEN_REVOKED']);
      expect((await ask('POST', `/tokens/${id}/revoke`)).status).toBe(200);
    });

    it.each([
      [{ name: '' }],
      [{ name: null }],
      [{ permissions: ['everything'] }],
      [{ permissions: null }],
      [{ apps: [99999] }],
      [{ apps: 'all' }],
      [{ all_apps: true, apps: [1] }],
      [{ all_apps: false }],
      [{ expires_at: 'tomorrow' }],
      [{ id: 7 }],
      [{ status: 'active' }],
    ])('is not edited to %j', async (body) => {
      const { id } = await newToken();
      expect((await ask('PATCH', `/tokens/${id}`, { body })).status).toBe(422);
      expect((await ask<Token>('GET', `/tokens/${id}`)).body.data.name).toBe('ci');
    });

    it('is made and rotated once by a POST and its repeats, which show the same secret', async () => {
      const headers = { 'Idempotency-Key': 'token' };
      const create = (name: string) => ask<Token>('POST', '/tokens', { headers, body: { name } });
      const [first, again] = [await create('once'), await create('once')];
      expect([again.status, again.body]).toEqual([201, first.body]);
      expect(codeOf(await create('twice'))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);

      const rotate = () => ask<Token>('POST', `/tokens/${first.body.data.id}/rotate`, { headers });
      const [rotated, same] = [await rotate(), await rotate()];
      expect([same.status, same.body]).toEqual([200, rotated.body]);
      expect(await statusesOf(seenBy(rotated.body.data.token, '/token'))).toEqual([200]);
      const { body } = await ask<Token[]>('GET', '/tokens?per_page=50');
      expect(body.data.filter(({ name }) => name === 'once' || name === 'twice')).toHaveLength(1);
    });

    it('is answered to the repeat of its creation although the app that it was made for is gone', async () => {
      const { token } = await newToken({ all_apps: true, permissions: ['apps.delete'] });
      const app = await newApp(token);
      const create = (key: string) =>
        ask<Token>('POST', '/tokens', { headers: { 'Idempotency-Key': key }, body: { name: 'narrow', apps: [app] } });
      const first = await create('narrow');
      expect(first.body.data.apps).toEqual([app]);
      const headers = { Authorization: `Bearer ${token}` };
      const gone = await call(`${gateway()}/api/public/v1/apps/${app}`, { method: 'DELETE', headers });
      expect(gone.status).toBe(200);
      const again = await create('narrow');
      expect([again.status, again.body.data]).toEqual([201, { ...first.body.data, apps: [] }]);
      expect((await create('another')).status).toBe(422);
    });
  });
});
