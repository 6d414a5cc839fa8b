import { randomBytes } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings } from '@sluice/config';
import {
  completeConnect,
  connectMerchant,
  deleteOAuthClient,
  disconnectMerchant,
  getMerchantAccount,
  getMerchantConnection,
  getOAuthClient,
  LISTING_SECRETS,
  saveOAuthClient,
  setListingsModule,
  type Caller,
  type RequestOf,
} from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import type { Engines } from '@sluice/engines';
import type { RunningService } from '@sluice/service-host';
import { startService } from '@sluice/service-host/start-service';
import { createCommandHandling, type EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newCommandId, systemClock, type Clock } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { openInProcessMessaging } from '@sluice/messaging/in-process';
import { createLogger } from '@sluice/telemetry';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import { createVault, type Vault } from '@sluice/vault';
import { merchantSyncSettings } from '../config/merchant-sync.settings';
import { startMerchantServer, type MerchantServer } from '../../../test/support/merchant-server';
import { ConnectionChecks } from '../diagnostics/connection-checks';
import { SealedTokens } from './connection-tokens';
import { Connections } from './connections';
import { OAuthClient } from '../oauth-client/oauth-client';
import { OAuthStates } from './oauth-states';
import { Revocations } from './revocations';
import { SavedOAuthClient } from '../oauth-client/saved-oauth-client';
import { merchant, merchantStream, STORE_ID } from '../settings/domain/merchant';
import { merchantSync } from '../merchant-sync.service';
import { openRemoteCatalog } from '../remotes/open-remote-catalog';

const REDIRECT = 'https://updates.example.com/svc/v1/listings-ads/oauth/callback';
const DAY_MS = 86_400_000;

describe('the connection to the merchant account, over the bus and on the embedded stores', () => {
  const masterKey = randomBytes(32);
  let remote: MerchantServer;
  let dataDir: string;
  let events: EventStore;
  let documents: DocumentStore;
  let messaging: Messaging;
  let service: RunningService;
  let vault: Vault;
  let aheadMs: number;
  const clock: Clock = {
    now: () => new Date(Date.now() + aheadMs),
    monotonic: () => systemClock.monotonic(),
  };

  const caller = (): Caller => ({ actor: 'owner:1', commandId: newCommandId() });
  const refusal = (code: string) => expect.objectContaining({ code }) as Error;

  async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    events = await openSqliteEventStore({ path: join(dataDir, 'events.db') });
    documents = await openSqliteDocumentStore({ path: join(dataDir, 'state.db') });
    messaging = openInProcessMessaging();
    vault = createVault({ state: documents, masterKeys: { current: masterKey }, changing: LISTING_SECRETS });
    const engines = {
      // Only the tests retry an unconfirmed revocation.
      settings: settings({ REMOTE_RETRY_BASE_MS: '1000', ...env }),
      ...{ clock, events, readStore: documents, stateStore: documents, messaging, vault },
    } as unknown as Engines;
    service = await startService(merchantSync, engines, () => 'http://localhost', createLogger('silent'));
  }

  async function stop(): Promise<void> {
    await service.stop();
    await messaging.close();
    await documents.close();
    await events.close();
  }

  const settings = (env: Readonly<Record<string, string>> = {}) =>
    readSettings(
      {
        DATA_DIR: dataDir,
        MODULE_ENABLED_LISTINGS_ADS: 'on',
        ENTITLEMENTS: 'listings_ads',
        ...remote.env,
        ...env,
      },
      merchantSyncSettings,
    );

  /** The parts of another process on the same stores. */
  function process(env: Readonly<Record<string, string>> = {}, used = vault) {
    const own = settings(env);
    const commands = createCommandHandling({ store: events, clock });
    const tokens = new SealedTokens(used);
    const client = new OAuthClient(own, clock, new SavedOAuthClient(own, used));
    const states = new OAuthStates(documents, used, clock);
    const connections = new Connections(own, commands, openRemoteCatalog(own), clock, tokens, client);
    const logger = recordingLogger();
    const revocations = new Revocations(own, commands, events, documents, clock, logger, tokens, states, client);
    const checks = new ConnectionChecks(tokens, client, connections, revocations);
    const state = async () => (await commands.load(merchant, merchantStream(STORE_ID))).state;
    return { client, tokens, connections, revocations, states, state, checks };
  }

  const begin = () => messaging.request(connectMerchant, { redirect_uri: REDIRECT }, caller());
  const complete = (url: URL | Readonly<Record<string, string>>) => {
    const { state, code, error } = url instanceof URL ? Object.fromEntries(url.searchParams) : url;
    return messaging.request(completeConnect, { state, code, error }, caller());
  };
  const consent = async () => remote.consent((await begin()).authorization_url);
  const connect = async () => complete(await consent());
  const connection = () => messaging.request(getMerchantConnection, {}, caller());
  const account = () => messaging.request(getMerchantAccount, {}, caller());
  const disconnect = () => messaging.request(disconnectMerchant, {}, caller());
  const recorded = async () => {
    const types: string[] = [];
    for await (const { type } of events.readStream(merchantStream(STORE_ID))) types.push(type);
    return types;
  };
  const wrong = async (env: Readonly<Record<string, string>> = {}, used = vault) => {
    const { checks, state } = process(env, used);
    const found = await checks.run(await state());
    return found.filter(({ status }) => status !== 'ok').map(({ id, status, count }) => [id, status, count]);
  };

  beforeEach(async () => {
    aheadMs = 0;
    remote = await startMerchantServer();
    dataDir = temporaryDirectory();
    await start();
  });

  afterEach(async () => {
    await stop();
    await remote.close();
  });

  it('is made by a person’s consent, and returns its user and the account that it reaches', async () => {
    expect(await connection()).toEqual({ connected: false, email: null });
    await expect(account()).rejects.toThrow(refusal('not_connected'));
    await expect(disconnect()).rejects.toThrow(refusal('not_connected'));

    const { authorization_url: address } = await begin();
    const query = Object.fromEntries(new URL(address).searchParams);
    expect(query).toEqual({
      client_id: remote.oauth.clientId,
      response_type: 'code',
      redirect_uri: REDIRECT,
      scope: 'https://www.googleapis.com/auth/content https://www.googleapis.com/auth/userinfo.email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      access_type: 'offline',
      prompt: 'consent',
    });
    const connected = { connected: true, email: 'owner@shop.example' };
    expect(await complete(await remote.consent(address))).toEqual(connected);
    expect(await connection()).toEqual(connected);
    expect(await account()).toEqual({ account_id: '5551234567', name: 'Shop' });
    expect(await recorded()).toEqual(['MerchantConnected', 'MerchantAccountChosen']);

    await stop();
    await start();
    expect(await connection()).toEqual(connected);
    expect(await disconnect()).toEqual({ revocation: 'confirmed' });
    expect(await connection()).toEqual({ connected: false, email: null });
    expect([remote.oauth.liveGrants, await process().tokens.ids()]).toEqual([0, []]);
  });

  it('takes each state once, for ten minutes, whatever comes of it', async () => {
    const back = await consent();
    const state = back.searchParams.get('state')!;
    expect(state).not.toBe((await consent()).searchParams.get('state'));
    await expect(complete({})).rejects.toThrow(refusal('invalid_state'));
    await expect(complete({ state: 'x'.repeat(43), code: 'x' })).rejects.toThrow(refusal('invalid_state'));
    await expect(complete({ state })).rejects.toThrow(refusal('invalid_state'));
    await expect(complete(back)).rejects.toThrow(refusal('invalid_state'));

    const { states } = process();
    const begun = await states.begin(REDIRECT, 'owner:1');
    const takes = await Promise.all([states.take(begun.state), states.take(begun.state), states.take(begun.state)]);
    expect(takes.filter((taken) => taken !== undefined)).toEqual([
      { redirectUri: REDIRECT, actor: 'owner:1', verifier: begun.verifier },
    ]);

    const late = await consent();
    aheadMs = 600_001;
    await expect(complete(late)).rejects.toThrow(refusal('invalid_state'));
    expect(await process().states.sweep()).toBeGreaterThanOrEqual(1);
  });

  it('takes a state that was begun before a rotation of the data key, and on another process', async () => {
    const other = createVault({ state: documents, masterKeys: { current: masterKey }, changing: LISTING_SECRETS });
    const { states } = process({}, other);
    const before = await process().states.begin(REDIRECT, 'owner:1');
    await vault.rotateDataKeys(['oauth-verifiers']);
    const after = await process().states.begin(REDIRECT, 'owner:1');
    for (const { state, verifier } of [before, after]) expect(await states.take(state)).toMatchObject({ verifier });

    const ended = await process().states.begin(REDIRECT, 'owner:1');
    await vault.rotateDataKeys(['oauth-verifiers']);
    await vault.dropDataKeys('oauth-verifiers', Date.now());
    expect(await process().states.take(ended.state)).toBeUndefined();
  });

  it('is made by an address of this side in whatever form it is written', async () => {
    const redirect_uri = 'https://Updates.example.com:443/svc/v1/listings-ads/oauth/callback';
    const { authorization_url } = await messaging.request(connectMerchant, { redirect_uri }, caller());
    expect(await complete(await remote.consent(authorization_url))).toMatchObject({ connected: true });
  });

  it('rejects a code that was issued to another person, by PKCE', async () => {
    const [mine, theirs] = [await consent(), await consent()];
    const mixed = { state: mine.searchParams.get('state')!, code: theirs.searchParams.get('code')! };
    await expect(complete(mixed)).rejects.toThrow(refusal('access_denied'));
    expect(await connection()).toMatchObject({ connected: false });
  });

  it('says what hindered it', async () => {
    remote.oauth.consents = 'deny';
    await expect(connect()).rejects.toThrow(refusal('access_denied'));
    remote.oauth.consents = 'grant';
    const { searchParams } = await consent();
    await expect(complete({ state: searchParams.get('state')!, error: 'server_error' })).rejects.toThrow(
      refusal('remote_unavailable'),
    );
    remote.fail({ on: 'token', with: 'unavailable' });
    await expect(connect()).rejects.toThrow(refusal('remote_unavailable'));
    remote.repair();
    const back = await consent();
    await messaging.request(setListingsModule, { enabled: false }, caller());
    await expect(complete(back)).rejects.toThrow(refusal('module_disabled'));
    await expect(complete(back)).rejects.toThrow(refusal('module_disabled'));
    await expect(complete({})).rejects.toThrow(refusal('module_disabled'));
    await expect(complete({ state: 'x'.repeat(43) })).rejects.toThrow(refusal('module_disabled'));
    await expect(begin()).rejects.toThrow(refusal('module_disabled'));
    await messaging.request(setListingsModule, { enabled: true }, caller());
    await stop();
    await start({ OAUTH_CLIENT_SECRET: '' });
    await expect(begin()).rejects.toThrow(refusal('oauth_client_missing'));
    await stop();
    await start({ OAUTH_CLIENT_SECRET: 'another' });
    await expect(connect()).rejects.toThrow(refusal('oauth_client_missing'));
    expect(await recorded()).not.toContain('MerchantConnected');
  });

  it('is requested with the saved client, else with the environment’s, and returns no secret of it', async () => {
    const { clientId: client_id, clientSecret: client_secret } = remote.oauth;
    const held = () => messaging.request(getOAuthClient, {}, caller());
    const save = (request: RequestOf<typeof saveOAuthClient>) => messaging.request(saveOAuthClient, request, caller());
    const forget = () => messaging.request(deleteOAuthClient, {}, caller());
    expect(await held()).toEqual({ client_id, source: 'environment' });
    await stop();
    await start({ OAUTH_CLIENT_ID: 'of-the-environment', OAUTH_CLIENT_SECRET: '' });
    expect(await held()).toEqual({ client_id: null, source: null });
    await expect(begin()).rejects.toThrow(refusal('oauth_client_missing'));
    await expect(save({ client_id, client_secret: 'two words' })).rejects.toMatchObject({
      details: { errors: { client_secret: [expect.any(String)] } },
    });
    expect(await save({ client_id: 'another', client_secret })).toEqual({ client_id: 'another', source: 'saved' });
    expect(await save({ client_id, client_secret })).toEqual({ client_id, source: 'saved' });
    expect(await connect()).toMatchObject({ connected: true });
    expect(await wrong({ OAUTH_CLIENT_ID: '' })).toEqual([]);
    await stop();
    const files = await Promise.all((await readdir(dataDir)).map((file) => readFile(join(dataDir, file))));
    expect(files.some((file) => file.includes(client_secret))).toBe(false);
    await start();
    // What is saved wins, also over an environment that names one.
    expect(await save({ client_id: 'another', client_secret })).toEqual({ client_id: 'another', source: 'saved' });
    await expect(consent()).rejects.toThrow('Consent failed');
    expect(await forget()).toEqual({ client_id, source: 'environment' });
    expect(await forget()).toEqual({ client_id, source: 'environment' });
    expect(await connect()).toMatchObject({ connected: true });
  });

  it('is made although Google returns neither address nor account, and finds the account later', async () => {
    remote.fail({ on: 'accounts', with: 'unavailable' });
    remote.fail({ on: 'userinfo', with: 'unavailable' });
    expect(await connect()).toEqual({ connected: true, email: null });
    await expect(account()).rejects.toThrow(refusal('remote_unavailable'));
    remote.repair();
    remote.fail({ on: 'accounts', with: 'daily_quota', times: 1 });
    await expect(account()).rejects.toThrow(refusal('remote_quota_exceeded'));
    remote.fail({ on: 'accounts', with: 'sunset', times: 1 });
    await expect(account()).rejects.toThrow(refusal('remote_api_sunset'));
    expect(await account()).toEqual({ account_id: '5551234567', name: 'Shop' });
  });

  it('wants one of several accounts named, and one that the grant reaches', async () => {
    remote.catalogue.accounts = [
      { id: '1', name: 'One' },
      { id: '2', name: 'Two' },
    ];
    await connect();
    await expect(account()).rejects.toThrow(refusal('account_not_chosen'));
    expect(await wrong()).toEqual([['account_inaccessible', 'error', 1]]);
    await expect(process({ MERCHANT_ACCOUNT_ID: '3' }).connections.open()).rejects.toThrow(
      refusal('account_inaccessible'),
    );
    const { connections } = process({ MERCHANT_ACCOUNT_ID: '2' });
    expect(await connections.open()).toMatchObject({
      connection: { account: { id: '2', name: 'Two' } },
      access: { accountId: '2' },
      email: 'owner@shop.example',
    });
    expect(await account()).toEqual({ account_id: '2', name: 'Two' });
    remote.catalogue.accounts = [];
    expect(await wrong()).toEqual([['account_inaccessible', 'error', 1]]);
  });

  it('reports in its checks when less was granted than requested', async () => {
    remote.oauth.withheld = ['https://www.googleapis.com/auth/content'];
    expect(await connect()).toMatchObject({ connected: true });
    expect(await wrong()).toEqual([
      ['scope_missing', 'error', 1],
      ['account_inaccessible', 'error', 1],
    ]);
  });

  it('reports in its checks what is missing, and nothing if all is well', async () => {
    expect(await wrong()).toEqual([['not_connected', 'error', 1]]);
    expect(await wrong({ OAUTH_CLIENT_ID: '' })).toEqual([
      ['oauth_client_missing', 'error', 1],
      ['not_connected', 'error', 1],
    ]);
    const { checks, state } = process();
    const untried = async () => (await checks.run(await state())).filter(({ tried }) => !tried).map(({ id }) => id);
    expect(await untried()).toEqual([
      ...['scope_missing', 'token_undecryptable', 'refresh_failed', 'account_inaccessible', 'remote_sunset'],
    ]);
    await connect();
    expect(await wrong()).toEqual([]);
    expect(await untried()).toEqual([]);
    expect((await checks.run(await state())).map(({ id }) => id)).toEqual([
      'oauth_client_missing',
      'not_connected',
      'scope_missing',
      'token_undecryptable',
      'refresh_failed',
      'account_inaccessible',
      'remote_sunset',
      'unconfirmed_revocations',
    ]);
    remote.fail({ on: 'accounts', with: 'sunset', times: 1 });
    expect(await wrong()).toEqual([['remote_sunset', 'error', 1]]);
    remote.fail({ on: 'accounts', with: 'unavailable' });
    expect(await wrong()).toEqual([['account_inaccessible', 'warning', 1]]);
    expect(await untried()).toEqual(['remote_sunset']);
    remote.repair();
    const stranger = createVault({
      state: documents,
      masterKeys: { current: randomBytes(32) },
      changing: LISTING_SECRETS,
    });
    expect(await wrong({}, stranger)).toEqual([
      ['token_undecryptable', 'error', 1],
      ['refresh_failed', 'error', 1],
    ]);
  });

  describe('its access tokens', () => {
    it('are fetched again before they expire, with one request for any number of callers', async () => {
      await connect();
      const { connections } = process();
      const { access } = await connections.open();
      const first = await access.accessToken();
      expect(await access.accessToken()).toBe(first);
      aheadMs = 3_590_000;
      const before = remote.received.token;
      const all = await Promise.all(Array.from({ length: 20 }, () => access.accessToken()));
      expect([new Set(all).size, remote.received.token - before]).toEqual([1, 1]);
      expect(all[0]).not.toBe(first);
      remote.oauth.tokenLifetimeSeconds = 1;
      expect(await access.accessToken(all[0])).not.toBe(all[0]);
    });

    it('are replaced where the remote rejects them, once for all who met the same one', async () => {
      await connect();
      const { access } = await process().connections.open();
      const first = await access.accessToken();
      const before = remote.received.token;
      const all = await Promise.all(Array.from({ length: 5 }, () => access.accessToken(first)));
      expect([new Set(all).size, remote.received.token - before]).toEqual([1, 1]);
      expect(await access.accessToken(first)).toBe(all[0]);
      expect(remote.received.token - before).toBe(1);
    });

    it('outlive refresh tokens that change with every use, on several processes and during a reseal', async () => {
      remote.oauth.rotates = true;
      await connect();
      const newKey = randomBytes(32);
      const resealing = createVault({
        state: documents,
        masterKeys: { current: newKey, previous: masterKey },
        changing: LISTING_SECRETS,
      });
      const processes = [process(), process({}, resealing), process({}, resealing)];
      for (let round = 0; round < 5; round += 1) {
        const opened = await Promise.all(processes.slice(1).map(({ connections }) => connections.open()));
        const rejected = await opened[0]!.access.accessToken();
        const [tokens] = await Promise.all([
          Promise.all(opened.map(({ access }) => access.accessToken(rejected))),
          resealing.reseal(),
        ]);
        for (const token of tokens) expect(remote.oauth.scopesOf(`Bearer ${token}`)).toBeDefined();
      }
      expect((await processes[1]!.state()).connection?.needsReauthorization).toBe(false);
    });

    it('end with the grant: the shop needs to be connected again, and then works', async () => {
      await connect();
      const { access } = await process().connections.open();
      const rejected = await access.accessToken();
      remote.fail({ on: 'token', with: 'unavailable', times: 1 });
      await expect(access.accessToken(rejected)).rejects.toMatchObject({ fault: 'unavailable' });
      remote.oauth.revokeAll();
      const gone = { fault: 'reauth_required' };
      await expect(Promise.all([access.accessToken(rejected), access.accessToken(rejected)])).rejects.toMatchObject(
        gone,
      );
      await expect(access.accessToken(rejected)).rejects.toMatchObject(gone);
      expect((await recorded()).filter((type) => type === 'ConnectionNeedsReauthorization')).toHaveLength(1);
      await expect(account()).rejects.toThrow(refusal('reauth_required'));
      expect(await wrong()).toEqual([['refresh_failed', 'error', 1]]);

      expect(await connect()).toMatchObject({ connected: true });
      expect(await account()).toMatchObject({ account_id: '5551234567' });
      expect(await process().tokens.ids()).toHaveLength(1);
    });

    it.each([
      ['temporarily_unavailable', 'unavailable'],
      ['rate_limit_exceeded', 'unavailable'],
      ['slow_down', 'unavailable'],
      ['invalid_client', 'forbidden'],
      ['unauthorized_client', 'forbidden'],
    ] as const)('do not end with a refusal that says %s', async (refused, fault) => {
      await connect();
      const { access } = await process().connections.open();
      const rejected = await access.accessToken();
      remote.fail({ on: 'token', with: refused, times: 1 });
      await expect(access.accessToken(rejected)).rejects.toMatchObject({ fault });
      expect(await recorded()).not.toContain('ConnectionNeedsReauthorization');
      expect(await access.accessToken(rejected)).not.toBe(rejected);
    });

    it('end with the grant as well when the remote rejects what it has just given', async () => {
      await connect();
      const { access } = await process().connections.open();
      await expect(access.refused()).rejects.toMatchObject({ fault: 'reauth_required' });
      await expect(account()).rejects.toThrow(refusal('reauth_required'));
    });
  });

  describe('its end', () => {
    it('drops it immediately, whatever Google returns, and tries to revoke its token for seven days', async () => {
      await connect();
      remote.fail({ on: 'revoke', with: 'unavailable' });
      expect(await disconnect()).toEqual({ revocation: 'unconfirmed' });
      expect(await connection()).toEqual({ connected: false, email: null });
      const { revocations } = process();
      expect((await wrong()).at(-1)).toEqual(['unconfirmed_revocations', 'warning', 1]);

      await revocations.settle();
      expect([remote.received.revoke, remote.oauth.liveGrants]).toEqual([2, 1]);
      aheadMs = 7 * DAY_MS + 1_000;
      await revocations.settle();
      expect(remote.received.revoke).toBe(2);
      expect((await wrong()).at(-1)).toEqual(['unconfirmed_revocations', 'error', 1]);
      aheadMs = DAY_MS;
      remote.repair();
      await revocations.settle();
      expect([remote.oauth.liveGrants, await revocations.unconfirmed()]).toEqual([0, { count: 0, givenUp: 0 }]);
    });

    it('is confirmed where the token was no good any more', async () => {
      await connect();
      remote.oauth.revokeAll();
      expect(await disconnect()).toEqual({ revocation: 'confirmed' });
    });

    it('sends the token in the body, never in an address', async () => {
      await connect();
      await disconnect();
      expect(remote.received.revoke).toBe(1);
      for (const secret of remote.oauth.handedOut) expect(remote.lines.join()).not.toContain(secret);
    });

    it('revokes nothing that would take a new connection of the same person with it', async () => {
      await connect();
      remote.fail({ on: 'revoke', with: 'unavailable', times: 1 });
      expect(await disconnect()).toEqual({ revocation: 'unconfirmed' });
      await connect();
      await connect();
      await process().revocations.settle();
      expect([remote.received.revoke, (await process().tokens.ids()).length]).toEqual([1, 1]);
    });

    it('nor a token that was fetched while it was replaced', async () => {
      remote.oauth.rotates = true;
      await connect();
      const { connections, tokens, revocations, state } = process();
      const { access } = await connections.open();
      const rejected = await access.accessToken();
      const former = (await state()).connection!.id;
      const put = tokens.put.bind(tokens);
      jest.spyOn(tokens, 'put').mockImplementationOnce(async (...given) => {
        const written = await put(...given);
        await connect();
        return written;
      });
      await expect(access.accessToken(rejected)).rejects.toMatchObject({ fault: 'reauth_required' });
      expect(await tokens.ids()).toContain(former);
      await revocations.settle();
      expect([remote.received.revoke, (await tokens.ids()).length]).toEqual([0, 1]);
      expect(await account()).toMatchObject({ account_id: '5551234567' });
    });

    it('revokes the grant of a former person once another one is connected', async () => {
      await connect();
      remote.oauth.email = 'other@shop.example';
      expect(await connect()).toEqual({ connected: true, email: 'other@shop.example' });
      expect([remote.oauth.liveGrants, (await process().tokens.ids()).length]).toEqual([1, 1]);
    });

    it('is found where a process died between tokens and their event, once no process can still be working on it', async () => {
      const { client, tokens, revocations } = process();
      const url = await consent();
      const begun = (await process().states.take(url.searchParams.get('state')!))!;
      const grant = await client.exchange({
        ...begun,
        code: url.searchParams.get('code')!,
      });
      const sealed = { ...grant, refreshToken: grant.refreshToken!, email: null };
      await tokens.put('01JABCDEFGHJKMNPQRSTVWXYZ0', sealed, 'absent');
      aheadMs = Date.parse('2024-10-01T00:00:00Z') - Date.now();
      await revocations.settle();
      expect(remote.oauth.liveGrants).toBe(1);
      aheadMs = 0;
      await revocations.settle();
      expect([remote.oauth.liveGrants, await tokens.ids()]).toEqual([0, []]);
    });

    it('revokes nothing when the event store is not its own', async () => {
      await connect();
      await process().revocations.settle();
      await events.close();
      events = await openSqliteEventStore({ path: join(dataDir, 'elsewhere.db') });
      await expect(process().revocations.settle()).rejects.toThrow(/oauth-tokens/);
      expect(remote.oauth.liveGrants).toBe(1);
    });
  });

  it('leaves no secret, code or address in its stores', async () => {
    await connect();
    await disconnect();
    await connect();
    await stop();
    const files = await readdir(dataDir);
    const bytes = Buffer.concat(await Promise.all(files.map((file) => readFile(join(dataDir, file)))));
    expect(bytes.includes('MerchantConnected')).toBe(true);
    for (const secret of [...remote.oauth.handedOut, remote.oauth.clientSecret, remote.oauth.email]) {
      expect(bytes.includes(secret)).toBe(false);
    }
    await start();
  });
});
