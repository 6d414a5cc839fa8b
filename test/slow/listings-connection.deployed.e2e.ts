import { openEngines } from '@sluice/engines';
import { readSettings } from '@sluice/config';
import { eventually } from '@sluice/testing';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call } from '../support/http';
import { startMerchantServer, type MerchantServer } from '../support/merchant-server';
import { createSecretSearch } from '../support/secret-search';

interface Envelope {
  readonly success: boolean;
  readonly data: Record<string, unknown>;
  readonly message: string;
}

const ROOT = '/svc/v1/listings-ads';

onEachDeployment('the connection of the listings module on $name', (kind) => {
  let remote: MerchantServer;
  let deployment: Deployment;
  let ownerKey: string;
  /** Everything that was answered, but for the answers to connect, which hold a state. */
  let answers: string[];
  let caller = 0;

  beforeAll(async () => {
    remote = await startMerchantServer();
    deployment = await kind.deploy({
      ...remote.env,
      MODULE_ENABLED_LISTINGS_ADS: 'on',
      ENTITLEMENTS: 'listings_ads',
      TRUSTED_PROXIES: '127.0.0.1,::1',
      LOG_LEVEL: 'trace',
    });
    ownerKey = await deployment.ownerKey();
  }, 180_000);

  afterAll(async () => {
    await deployment.destroy();
    await remote.close();
  }, 180_000);

  beforeEach(() => {
    answers = [];
    remote.repair();
  });

  const gateway = (number: number) => deployment.gateways[number % deployment.gateways.length]!;

  async function send(method: string, path: string, number = 0) {
    const answer = await call<Envelope>(`${gateway(number)}${ROOT}${path}`, {
      method,
      headers: { Authorization: `Bearer ${ownerKey}` },
    });
    if (path !== '/connect') answers.push(JSON.stringify(answer.body), JSON.stringify([...answer.headers]));
    return answer;
  }

  async function consent(): Promise<URL> {
    const begun = await send('POST', '/connect');
    expect(begun).toMatchObject({ status: 200, body: { success: true, message: expect.any(String) } });
    expect(Object.keys(begun.body.data)).toEqual(['authorization_url']);
    return remote.consent(String(begun.body.data['authorization_url']));
  }

  /** As the browser that comes back, from an address of its own unless one is given. */
  async function comeBack(back: URL | string, accept = 'application/json', address?: string) {
    caller += 1;
    const from = address ?? `198.51.100.${caller % 250}`;
    const query = typeof back === 'string' ? back : back.search;
    const response = await fetch(`${gateway(caller)}${ROOT}/oauth/callback${query}`, {
      redirect: 'manual',
      headers: { Accept: accept, 'X-Forwarded-For': from },
    });
    const text = await response.text();
    answers.push(text, JSON.stringify([...response.headers]));
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const body = isJson ? (JSON.parse(text) as Envelope) : undefined;
    return { status: response.status, headers: response.headers, text, body };
  }

  const refused = (status: number, code: string) => ({
    status,
    body: { success: false, data: { code }, message: expect.any(String) },
  });

  it('goes from consent to a merchant account, and back', async () => {
    expect(await send('GET', '/connection')).toMatchObject({
      status: 200,
      body: { success: true, data: { connected: false, email: null } },
    });
    expect(await send('GET', '/merchant')).toMatchObject(refused(409, 'not_connected'));
    expect(await send('POST', '/disconnect')).toMatchObject(refused(409, 'not_connected'));

    const back = await consent();
    expect(back.pathname).toBe(`${ROOT}/oauth/callback`);
    expect(await comeBack(back)).toMatchObject({
      status: 200,
      body: { success: true, data: { connected: true, email: remote.oauth.email } },
    });
    for (const number of [0, 1]) {
      const { body } = await send('GET', '/connection', number);
      expect(body.data).toEqual({ connected: true, email: remote.oauth.email });
      const account = await send('GET', '/merchant', number);
      expect(account.body.data).toEqual({ account_id: '5551234567', name: 'Shop' });
    }
    expect((await send('POST', '/disconnect')).body.data).toEqual({ revocation: 'confirmed' });
    expect((await send('GET', '/connection', 1)).body.data).toEqual({ connected: false, email: null });
    expect(remote.oauth.liveGrants).toBe(0);
  }, 60_000);

  it('sends a browser on to the console, whatever came of it', async () => {
    const back = await consent();
    const done = await comeBack(back, 'text/html,application/xhtml+xml');
    expect([done.status, done.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/\/console\/listings-ads$/),
    ]);
    expect(done.headers.get('referrer-policy')).toBe('no-referrer');
    const again = await comeBack(back, 'text/html');
    expect([again.status, again.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/\/console\/listings-ads\?error=invalid_state$/),
    ]);
    expect(await send('POST', '/disconnect')).toMatchObject({ status: 200 });
  }, 60_000);

  it('rejects a callback without a state that is good, and one without consent', async () => {
    for (const query of ['', '?code=x', '?state=x&code=y', '?state=a&state=b&code=y', `?state=${'x'.repeat(5_000)}`]) {
      expect(await comeBack(query)).toMatchObject(refused(400, 'invalid_state'));
    }
    remote.oauth.consents = 'deny';
    const denied = await consent();
    remote.oauth.consents = 'grant';
    expect(await comeBack(denied)).toMatchObject(refused(400, 'access_denied'));
    expect(await comeBack(denied)).toMatchObject(refused(400, 'invalid_state'));
    remote.fail({ on: 'token', with: 'unavailable' });
    expect(await comeBack(await consent())).toMatchObject(refused(502, 'remote_unavailable'));
    expect((await send('GET', '/connection')).body.data).toEqual({ connected: false, email: null });
  }, 60_000);

  it('lets an address come back ten times a minute', async () => {
    for (let times = 0; times < 10; times += 1) {
      expect((await comeBack('?state=x', 'application/json', '203.0.113.9')).status).toBe(400);
    }
    const eleventh = await comeBack('?state=x', 'application/json', '203.0.113.9');
    expect(eleventh).toMatchObject(refused(429, 'rate_limited'));
    expect(Number(eleventh.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await comeBack('?state=x', 'application/json', '203.0.113.10')).status).toBe(400);

    const browser = await comeBack('?state=x', 'text/html', '203.0.113.9');
    expect(browser.status).toBe(429);
    expect(Number(browser.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(browser.headers.get('content-type')).toContain('text/html');
    expect(browser.text).toMatch(
      /<meta http-equiv="refresh" content="0; url=\S+\/console\/listings-ads\?error=rate_limited">/,
    );
  }, 60_000);

  it('asks to be made again once the grant is gone', async () => {
    remote.fail({ on: 'accounts', with: 'unavailable' });
    await comeBack(await consent());
    remote.repair();
    remote.oauth.expireAccessTokens();
    remote.oauth.revokeAll();
    expect(await send('GET', '/merchant')).toMatchObject(refused(409, 'reauth_required'));
    expect(await comeBack(await consent())).toMatchObject({ status: 200 });
    expect((await send('GET', '/merchant', 1)).body.data).toEqual({ account_id: '5551234567', name: 'Shop' });
    expect(await send('POST', '/disconnect')).toMatchObject({ body: { data: { revocation: 'confirmed' } } });
  }, 60_000);

  it('reports when Google did not confirm a revocation', async () => {
    await comeBack(await consent());
    remote.fail({ on: 'revoke', with: 'unavailable' });
    expect((await send('POST', '/disconnect')).body.data).toEqual({ revocation: 'unconfirmed' });
    expect((await send('GET', '/connection')).body.data).toEqual({ connected: false, email: null });
    // It is tried again by itself.
    remote.repair();
    await eventually(() => remote.oauth.liveGrants === 0);
  }, 60_000);

  it('keeps tokens, codes, states, the client’s secret and the address out of data, log and answers', async () => {
    const states: string[] = [];
    for (const accept of ['application/json', 'text/html']) {
      const back = await consent();
      states.push(back.searchParams.get('state')!);
      await comeBack(back, accept);
      await comeBack(back, accept);
      await comeBack(`${back.search}&x=%zz`, accept);
    }
    await send('GET', '/merchant');
    await send('POST', '/disconnect');
    const handedOut = remote.oauth.handedOut.map((secret, index) => [`secret ${index}`, secret] as const);
    const search = createSecretSearch({
      ...Object.fromEntries(handedOut),
      ...Object.fromEntries(states.map((state, index) => [`state ${index}`, state])),
      client: remote.oauth.clientSecret,
    });
    const log = deployment.processes.flatMap((process) => process.log);
    expect(log.some((line) => line.includes('/oauth/callback'))).toBe(true);
    expect(log.flatMap((line) => search.inText(`the log: ${line}`, line))).toEqual([]);
    expect(log.filter((line) => line.includes(remote.oauth.email))).toEqual([]);
    expect(answers.flatMap((answer) => search.inText(`an answer: ${answer}`, answer))).toEqual([]);
    expect(await search.inFolder(deployment.dataDir)).toEqual([]);

    await deployment.stop();
    expect(await search.inFolder(deployment.dataDir)).toEqual([]);
    const engines = await openEngines(readSettings({ ...deployment.env, BUS_URL: 'inproc:' }), 'test');
    let events = '';
    for await (const event of engines.events.readAll()) events += JSON.stringify(event);
    await engines.close();
    expect(events).toContain('MerchantConnected');
    expect([...search.inText('the events', events), events.includes(remote.oauth.email)]).toEqual([false]);
    await deployment.start();
  }, 180_000);
});
