import { setTimeout as delay } from 'node:timers/promises';
import { newCredential } from '@sluice/contracts';
import { eventually } from '@sluice/testing';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, management, type Answer } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

// Most tests start the command line twice.
jest.setTimeout(60_000);

interface Refusal {
  readonly error?: { readonly code: string };
}

const codesOf = (answers: readonly Answer<Refusal>[]) => answers.map(({ body }) => body.error?.code);

/** Every 429 says for how long, and every answer what is left. */
function expectHeaders({ status, headers }: Answer<Refusal>, limit: number) {
  for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) {
    expect(headers.get(name)).toMatch(/^\d+$/);
  }
  expect(headers.get('ratelimit-limit')).toBe(String(limit));
  if (status !== 429) return;
  expect(headers.get('ratelimit-remaining')).toBe('0');
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

onEachDeployment('limits on $name', (kind) => {
  let deployment: Deployment;
  let zip: Buffer;

  const makeToken = async (): Promise<string> => {
    const { stdout } = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      DATA_DIR: deployment.dataDir,
    });
    return (JSON.parse(stdout) as { token: string }).token;
  };
  /** The n-th call goes to the n-th gateway in turn: they share one budget. */
  const gateway = (turn: number): string => deployment.gateways[turn % deployment.gateways.length]!;
  const inTurn = async (count: number, ask: (address: string) => Promise<Answer<Refusal>>) => {
    const answers: Answer<Refusal>[] = [];
    for (let turn = 0; turn < count; turn += 1) answers.push(await ask(gateway(turn)));
    return answers;
  };

  beforeAll(async () => {
    zip = await zipOf({ 'index.html': '<h1>Shop</h1>' });
    deployment = await kind.deploy({
      LIMIT_REQUESTS_PER_MINUTE: '12',
      LIMIT_UPLOADS_PER_HOUR: '3',
      LIMIT_KEY_ACTIONS_PER_HOUR: '2',
      TRUSTED_PROXIES: '127.0.0.0/8',
      SESSION_IDLE_SECONDS: '3',
      SESSION_MAX_SECONDS: '5',
    });
    const made = await management(gateway(0), await makeToken()).post('/apps', { name: 'Shop', bundle_id: 'a.b' });
    expect(made.status).toBe(201);
  }, 180_000);

  afterAll(() => deployment.destroy(), 60_000);

  it('rejects the requests of a token beyond its budget, wherever they arrive, before scope and permission', async () => {
    const token = await makeToken();
    const allowed = await inTurn(12, (address) => management(address, token).get<Refusal>('/token'));
    expect(allowed.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(allowed.map(({ headers }) => Number(headers.get('ratelimit-remaining')))).toEqual(
      Array.from({ length: 12 }, (_, use) => 11 - use),
    );
    const refused = await inTurn(4, (address) => management(address, token).get<Refusal>('/apps/no.such.app'));
    expect(codesOf(refused)).toEqual(Array(4).fill('RATE_LIMITED'));
    for (const answer of [...allowed, ...refused]) expectHeaders(answer, 12);

    const other = await management(gateway(0), await makeToken()).get('/token');
    expect(other.status).toBe(200);
  });

  it('rejects uploads beyond their budget, refused ones counted, before the scope', async () => {
    const token = await makeToken();
    const upload = (path: string) => (address: string) =>
      management(address, token).upload<Refusal>(path, zip, { version: 'x', channel: 'production' });
    const answers = await inTurn(3, upload('/apps/a.b/builds'));
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422]);
    for (const answer of answers) expectHeaders(answer, 12);
    const refused = await inTurn(2, upload('/apps/no.such.app/builds'));
    expect(codesOf(refused)).toEqual(['UPLOAD_RATE_LIMITED', 'UPLOAD_RATE_LIMITED']);
    for (const answer of refused) expectHeaders(answer, 3);
  });

  it('rejects key actions on an app beyond their budget, whichever token asks, after the scope', async () => {
    const tokens = [await makeToken(), await makeToken()];
    const create = (token: string, app: string) => (address: string) =>
      management(address, token).post<Refusal>(`/apps/${app}/api-keys`, {});
    const answers = await inTurn(2, create(tokens[0]!, 'a.b'));
    expect(answers.map(({ status }) => status)).toEqual([422, 422]);
    const refused = await inTurn(2, create(tokens[1]!, 'a.b'));
    expect(codesOf(refused)).toEqual(['KEY_ACTION_RATE_LIMITED', 'KEY_ACTION_RATE_LIMITED']);
    for (const answer of refused) expectHeaders(answer, 2);
    // Before the type and the size of the body are looked at.
    for (const [type, body] of [
      ['text/plain', 'x'],
      ['application/json', `"${'x'.repeat(1_100_000)}"`],
    ]) {
      const answer = await call<Refusal>(`${gateway(0)}/api/public/v1/apps/a.b/api-keys`, {
        ...{ method: 'POST', body: body! },
        headers: { Authorization: `Bearer ${tokens[0]!}`, 'Content-Type': type! },
      });
      expect(codesOf([answer])).toEqual(['KEY_ACTION_RATE_LIMITED']);
    }
    const elsewhere = await inTurn(2, create(tokens[1]!, 'no.such.app'));
    expect(codesOf(elsewhere)).toEqual(['APP_NOT_FOUND', 'APP_NOT_FOUND']);
  });

  it('rejects creations and rotations of signing keys beyond their budget, whether tokens or the owner ask', async () => {
    const path = 'apps/a.b/signing-key';
    const token = await makeToken();
    const byToken = (action: string) => (address: string) =>
      management(address, token).post<Refusal>(`/${path}${action}`, { size: 2048 });
    const [made, rotated, refused] = [...(await inTurn(1, byToken(''))), ...(await inTurn(2, byToken('/rotate')))];
    expect([made!.status, rotated!.status]).toEqual([201, 200]);
    expect(codesOf([refused!])).toEqual(['KEY_ACTION_RATE_LIMITED']);
    expectHeaders(refused!, 2);
    const ownerKey = await deployment.ownerKey();
    for (const action of ['', '/rotate']) {
      const byOwner = await inTurn(1, (address) =>
        call<Refusal>(`${address}/api/dashboard/v1/${path}${action}`, {
          ...{ method: 'POST', headers: { Authorization: `Bearer ${ownerKey}` } },
        }),
      );
      expect(codesOf(byOwner)).toEqual(['KEY_ACTION_RATE_LIMITED']);
    }
    // Nothing was changed, and requests outside the budget still succeed.
    const { body } = await management(gateway(1), token).get<{ data: { id: number }[] }>(`/apps/a.b/signing-keys`);
    expect(body.data).toHaveLength(2);
    const retired = await management(gateway(0), token).post(`/apps/a.b/signing-keys/${body.data[1]!.id}/retire`);
    expect(retired.status).toBe(200);
  });

  it('rejects an address that sends no valid token, and never a valid token for its sake', async () => {
    const stranger = (from: string, token?: string) => (address: string) =>
      call<Refusal>(`${address}/api/public/v1/token`, {
        headers: { 'X-Forwarded-For': from, ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
      });
    const answers = await inTurn(14, stranger('203.0.113.9, 198.51.100.7'));
    expect(codesOf(answers.slice(0, 12))).toEqual(Array(12).fill('MISSING_ACCESS_TOKEN'));
    expect(codesOf(answers.slice(12))).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
    for (const answer of answers) expectHeaders(answer, 12);
    // What the client wrote itself, in front of what the proxy added, does not give it another budget.
    expect(codesOf(await inTurn(2, stranger('203.0.113.10, 198.51.100.7', 'svc_pat_x')))).toEqual(
      Array(2).fill('RATE_LIMITED'),
    );
    expect(codesOf(await inTurn(2, stranger('198.51.100.8', 'svc_pat_x')))).toEqual(
      Array(2).fill('INVALID_ACCESS_TOKEN_CHECKSUM'),
    );
    // A host has all the addresses of its IPv6 network.
    let host = 0;
    const ofNetwork = (address: string) => stranger(`2001:db8:9:1::${(host += 1).toString(16)}`)(address);
    expect(codesOf(await inTurn(13, ofNetwork)).slice(11)).toEqual(['MISSING_ACCESS_TOKEN', 'RATE_LIMITED']);
    expect(codesOf(await inTurn(1, stranger('2001:db8:9:2::1')))).toEqual(['MISSING_ACCESS_TOKEN']);
    const token = await makeToken();
    expect((await inTurn(2, stranger('198.51.100.7', token))).map(({ status }) => status)).toEqual([200, 200]);
  });

  const SESSION = '/api/dashboard/v1/session';
  const login = (key: string, from: string) => (address: string) =>
    call<Refusal & { data: { expires_at: string } }>(address + SESSION, {
      method: 'POST',
      headers: { 'X-Forwarded-For': from, 'Content-Type': 'application/json' },
      body: JSON.stringify({ owner_key: key }),
    });

  it('rejects the logins of an address that sends wrong keys, and never the right key for its sake', async () => {
    const wrong = newCredential('svc_own_');
    const answers = await inTurn(14, login(wrong, '198.51.100.9'));
    expect(codesOf(answers)).toEqual([...Array<string>(12).fill('INVALID_OWNER_KEY'), 'RATE_LIMITED', 'RATE_LIMITED']);
    for (const answer of answers) expectHeaders(answer, 12);
    expect(codesOf(await inTurn(2, login(wrong, '198.51.100.10')))).toEqual(Array(2).fill('INVALID_OWNER_KEY'));
    const right = await inTurn(2, login(await deployment.ownerKey(), '198.51.100.9'));
    expect(right.map(({ status }) => status)).toEqual([201, 201]);
  });

  it('counts each malformed login against its address before it looks at the body, and no successful one', async () => {
    const from = '198.51.100.12';
    const send =
      (body: string, type = 'application/json') =>
      (address: string) =>
        call<Refusal>(address + SESSION, {
          method: 'POST',
          headers: { 'X-Forwarded-For': from, 'Content-Type': type },
          body,
        });
    const right = login(await deployment.ownerKey(), from);
    expect((await inTurn(14, right)).map(({ status }) => status)).toEqual(Array(14).fill(201));
    const attempts = [send('{'), send('[]'), send('{}'), send('x', 'text/plain'), send(`"${'x'.repeat(4_096)}"`)];
    const answers: Answer<Refusal>[] = [];
    for (let turn = 0; turn < 15; turn += 1) answers.push(await attempts[turn % 5]!(gateway(turn)));
    expect(answers.map(({ status }) => status)).toEqual([
      ...[400, 422, 422, 415, 413, 400, 422, 422, 415, 413, 400, 422],
      ...[429, 429, 429],
    ]);
    for (const answer of answers) expectHeaders(answer, 12);
    expect((await inTurn(2, right)).map(({ status }) => status)).toEqual([201, 201]);
  });

  it('ends a session that is used all the time at its age, and one that is not when it said', async () => {
    const key = await deployment.ownerKey();
    const begun = async () => {
      const answer = await login(key, '198.51.100.11')(gateway(0));
      expect(answer.headers.getSetCookie()[0]).toContain('Max-Age=5;');
      return {
        cookie: answer.headers.getSetCookie()[0]!.split(';')[0]!,
        endsAt: Date.parse(answer.body.data.expires_at),
      };
    };
    const use = (cookie: string, turn: number) =>
      call<Refusal & { data: { expires_at: string } }>(gateway(turn) + SESSION, { headers: { Cookie: cookie } });

    const [idle, used] = [await begun(), await begun()];
    let last = used.endsAt;
    for (let turn = 0; ; turn += 1) {
      const { status, body } = await use(used.cookie, turn);
      if (status === 401) {
        expect(body.error?.code).toBe('SESSION_ENDED');
        break;
      }
      last = Date.parse(body.data.expires_at);
      await delay(100);
    }
    expect(last).toBeGreaterThan(used.endsAt);
    expect(last).toBeLessThanOrEqual(used.endsAt + 2_000);
    await eventually(() => Date.now() > idle.endsAt);
    for (const turn of [0, 1]) {
      const ended = await use(idle.cookie, turn);
      expect([ended.status, ended.body.error?.code]).toEqual([401, 'SESSION_ENDED']);
    }
  });
});
