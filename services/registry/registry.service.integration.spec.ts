import { join } from 'node:path';
import { readSettings } from '@sluice/config';
import {
  addChannel,
  type Call,
  type Caller,
  createApp,
  createToken,
  credentialFault,
  credentialHash,
  editApp,
  editChannel,
  editToken,
  getApp,
  getToken,
  listApps,
  listBuildRetention,
  listChannels,
  listTokens,
  removeChannel,
  type ReplyOf,
  type RequestOf,
  revokeToken,
  rotateToken,
} from '@sluice/contracts';
import { type Engines, openEngines } from '@sluice/engines';
import { type RunningService } from '@sluice/service-host';
import { startService } from '@sluice/service-host/start-service';
import { createCommandHandling } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newCommandId, STANDARD_CHANNELS, systemClock } from '@sluice/kernel';
import { createLogger } from '@sluice/telemetry';
import { temporaryDirectory } from '@sluice/testing';
import { registrySettings } from './config/registry.settings';
import { apps, APPS_STREAM, type RegisterApp } from './apps/domain/apps';
import { registry } from './registry.service';

let dataDir: string;
let engines: Engines;
let service: RunningService;

beforeEach(async () => {
  dataDir = temporaryDirectory();
  engines = await openEngines(readSettings({ DATA_DIR: dataDir, APP_LIMIT: '4' }, registrySettings), 'test');
  service = await startService(registry, engines, () => 'http://localhost', createLogger('silent'));
});

afterEach(async () => {
  await service.stop();
  await engines.close();
});

const caller = (commandId = newCommandId()): Caller => ({ actor: 'owner:1', commandId });
const refusal = (code: string) => expect.objectContaining({ code }) as Error;

const ask = <C extends Call>(call: C, body: RequestOf<C>, by = caller()) =>
  engines.messaging.request(call, body, by) as Promise<ReplyOf<C>>;

const newApp = (wish: Partial<RequestOf<typeof createApp>> = {}, by = caller()) =>
  ask(
    createApp,
    { ownerId: 1, tokenId: null, name: 'Shop', bundleId: null, platform: 'both', description: null, ...wish },
    by,
  );

const newToken = (wish: Partial<RequestOf<typeof createToken>> = {}, by = caller()) =>
  ask(createToken, { ownerId: 1, name: 'ci', permissions: [], allApps: false, apps: [], expiresAt: null, ...wish }, by);
const seals = () => engines.vault.ids({ prefix: 'shown-', after: '', limit: 10 });

const firstPage = { page: 1, perPage: 20 };

describe('apps', () => {
  it('returns a created app from the decision, and the read model has the same immediately', async () => {
    const app = await newApp({ name: 'Shop', bundleId: 'com.example.shop', platform: 'ios', description: 'Sells' });
    expect(app).toEqual({
      id: 1,
      app_id: 'com.example.shop',
      bundle_id: 'com.example.shop',
      name: 'Shop',
      description: 'Sells',
      platform: 'ios',
      platforms: ['ios'],
      channels: ['production', 'staging', 'development'],
      signing_key_rotation: 'any_token',
      unique_signatures: false,
      keep_builds: null,
      default_rollout: {},
      attributes: {},
      default_channels: {},
      channel_aliases: {},
      revision: 1,
      created_at: expect.any(String),
    });
    expect(await ask(getApp, { id: 1 })).toEqual(app);
    expect(await ask(listApps, { ownerId: 1, ids: null, ...firstPage })).toEqual({ items: [app], total: 1 });
  });

  it('answers a repeated command with the app of the first, and makes no second', async () => {
    const by = caller();
    const first = await newApp({}, by);
    expect(await newApp({}, by)).toEqual(first);
    expect((await ask(listApps, { ownerId: 1, ids: null, ...firstPage })).total).toBe(1);
  });

  it('shows the audience of a standard channel, and lists the channel once', async () => {
    const { id } = await newApp();
    const audience = { pinned_only: true } as const;
    await ask(editChannel, { appId: id, name: 'staging', audience });
    await ask(addChannel, { appId: id, name: 'beta', audience });
    expect((await ask(getApp, { id })).channels).toEqual([...STANDARD_CHANNELS, 'beta']);
    const { items } = await ask(listChannels, { appId: id, page: 1, perPage: 10 });
    expect(items.map((channel) => channel.audience)).toEqual([null, audience, null, audience]);
  });

  it('shows aliases of channels for as long as the channel is there', async () => {
    const { id } = await newApp();
    await ask(addChannel, { appId: id, name: 'beta' });
    const channelAliases = { Live: 'production', 'Beta testers': 'beta' };
    expect((await ask(editApp, { id, channelAliases })).channel_aliases).toEqual(channelAliases);
    expect((await ask(getApp, { id })).channel_aliases).toEqual(channelAliases);
    await expect(ask(editApp, { id, channelAliases: { x: 'none', beta: 'staging', staging: 'beta' } })).rejects.toThrow(
      expect.objectContaining({
        errors: {
          'channel_aliases.x': [expect.stringContaining('another channel of the app') as string],
          'channel_aliases.beta': [expect.stringContaining('the name of a channel') as string],
          'channel_aliases.staging': [expect.stringContaining('the name of a channel') as string],
        },
      }) as Error,
    );
    await ask(removeChannel, { appId: id, name: 'beta' });
    await ask(addChannel, { appId: id, name: 'beta' });
    expect((await ask(getApp, { id })).channel_aliases).toEqual({ Live: 'production' });
    expect((await ask(listApps, { ownerId: 1, ids: [id], ...firstPage })).items[0]?.channel_aliases).toEqual({
      Live: 'production',
    });
  });

  it('lists the channels that expire, or those that stay', async () => {
    const { id } = await newApp();
    await ask(addChannel, { appId: id, name: 'beta' });
    await ask(addChannel, { appId: id, name: 'pr-1', expiresAt: '2999-01-01T00:00:00.000Z' });
    const names = async (expires: boolean, page = 1) => {
      const { items, total } = await ask(listChannels, { appId: id, page, perPage: 3, expires });
      return [total, ...items.map(({ name }) => name)];
    };
    expect(await names(true)).toEqual([1, 'pr-1']);
    expect(await names(false)).toEqual([4, ...STANDARD_CHANNELS]);
    expect(await names(false, 2)).toEqual([4, 'beta']);
  });

  it('answers an edited app from the decision, the same from the read model, and to the repeat of its creation', async () => {
    const by = caller();
    const first = await newApp({ name: 'Shop', description: 'Sells' }, by);
    const edited = await ask(editApp, { id: first.id, name: 'Store', platform: 'ios', description: null });
    const changed = { name: 'Store', platform: 'ios', platforms: ['ios'], description: null, revision: 2 };
    expect(edited).toEqual({ ...first, ...changed });
    expect(await ask(getApp, { id: first.id })).toEqual(edited);
    expect(await newApp({ name: 'Shop', description: 'Sells' }, by)).toEqual(edited);
    const head = await engines.events.head();
    expect(await ask(editApp, { id: first.id, name: 'Store' })).toEqual(edited);
    expect(await engines.events.head()).toBe(head);
    const guarded = await ask(editApp, { id: first.id, signingKeyRotation: 'owner_only', uniqueSignatures: true });
    expect(guarded).toEqual({ ...edited, signing_key_rotation: 'owner_only', unique_signatures: true, revision: 3 });
    expect(await ask(getApp, { id: first.id })).toEqual(guarded);
    const keeping = await ask(editApp, { id: first.id, keepBuilds: 5 });
    expect(keeping).toEqual({ ...guarded, keep_builds: 5, revision: 4 });
    const other = await newApp({ name: 'Till', bundleId: null });
    const page = { after: 0, limit: 10 };
    expect(await ask(listBuildRetention, page)).toEqual([
      { appId: first.id, keepBuilds: 5 },
      { appId: other.id, keepBuilds: null },
    ]);
    expect(await ask(listBuildRetention, { ...page, after: first.id })).toMatchObject([{ appId: other.id }]);
    expect(await ask(listBuildRetention, { ...page, limit: 1 })).toMatchObject([{ appId: first.id }]);
    await expect(ask(editApp, { id: 99, name: 'Store' })).rejects.toEqual(refusal('APP_NOT_FOUND'));
  });

  it('rejects a taken bundle id and a full quota with their codes', async () => {
    await newApp({ bundleId: 'com.example.shop' });
    await expect(newApp({ ownerId: 2, bundleId: 'com.example.shop' })).rejects.toEqual(refusal('BUNDLE_ID_TAKEN'));
    for (let count = 2; count <= 4; count += 1) await newApp();
    await expect(newApp()).rejects.toEqual(refusal('APP_LIMIT_REACHED'));
  });

  it('rejects an unknown app with APP_NOT_FOUND', async () => {
    await expect(ask(getApp, { id: 7 })).rejects.toEqual(refusal('APP_NOT_FOUND'));
  });

  it('lists by owner and by ids, in numeric order, page by page', async () => {
    for (let owner = 1; owner <= 3; owner += 1) {
      for (let count = 0; count < 4; count += 1) await newApp({ ownerId: owner });
    }
    const ids = async (wish: Partial<RequestOf<typeof listApps>>) => {
      const { items, total } = await ask(listApps, { ownerId: 3, ids: null, ...firstPage, ...wish });
      return { ids: items.map((app) => app.id), total };
    };
    expect(await ids({})).toEqual({ ids: [9, 10, 11, 12], total: 4 });
    expect(await ids({ page: 2, perPage: 3 })).toEqual({ ids: [12], total: 4 });
    expect(await ids({ ids: [12, 10, 1] })).toEqual({ ids: [10, 12], total: 2 });
    expect(await ids({ ids: [] })).toEqual({ ids: [], total: 0 });
  });

  it('of parallel creates of one bundle id through two command handlings on one file, exactly one succeeds', async () => {
    const path = join(dataDir, 'events.db');
    const stores = await Promise.all([openSqliteEventStore({ path }), openSqliteEventStore({ path })]);
    const command: RegisterApp = {
      type: 'RegisterApp',
      ownerId: 1,
      tokenId: null,
      name: 'Shop',
      bundleId: 'com.example.shop',
      description: null,
      platform: 'both',
      appLimit: 100,
    };
    const handlings = stores.map((store) => createCommandHandling({ store, clock: systemClock }));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        handlings[index % 2]!.handle(apps, APPS_STREAM, command, caller()).then(({ events }) => events),
      ),
    );
    await Promise.all(stores.map((store) => store.close()));
    const refused = outcomes
      .filter((outcome) => outcome.status === 'rejected')
      .map((outcome) => outcome.reason as unknown);
    expect(refused).toEqual(Array.from({ length: 19 }, () => refusal('BUNDLE_ID_TAKEN')));
    const recorded: unknown[] = [];
    for await (const event of engines.events.readStream(APPS_STREAM)) recorded.push(event.data);
    expect(recorded).toEqual([expect.objectContaining({ id: 1, bundleId: 'com.example.shop' })]);
  });
});

describe('access tokens', () => {
  it('shows the secret once and keeps only its hash', async () => {
    const { token, ...created } = await newToken({ permissions: ['builds.delete', 'builds.delete'] });
    expect(credentialFault('svc_pat_', token)).toBeUndefined();
    expect(created).toEqual({
      id: 1,
      name: 'ci',
      permissions: ['manage', 'builds.delete'],
      all_apps: false,
      apps: [],
      status: 'active',
      last_used_at: null,
      expires_at: null,
      created_at: expect.any(String),
    });
    expect(await ask(listTokens, { ownerId: 1, ...firstPage })).toEqual({ items: [created], total: 1 });

    const stored: string[] = [];
    for await (const event of engines.events.readAll()) stored.push(JSON.stringify(event));
    expect(stored.join('')).toContain(credentialHash(token));
    expect(stored.join('')).not.toContain(token);
  });

  it("rejects apps that are unknown or another owner's, as a fault of the field", async () => {
    await newApp({ ownerId: 2 });
    await expect(newToken({ apps: [1, 99] })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { errors: { apps: ['There is no app 1.', 'There is no app 99.'] } },
    });
    expect((await ask(listTokens, { ownerId: 1, ...firstPage })).total).toBe(0);
  });

  it('reaches the apps selected for it and those that it registers; all_apps reaches later ones too', async () => {
    const selected = await newApp();
    const narrow = await newToken({ apps: [selected.id] });
    const wide = await newToken({ allApps: true });
    expect([narrow.apps, wide.apps]).toEqual([[selected.id], [selected.id]]);

    await newApp({ ownerId: 2 });
    const own = await newApp({ tokenId: narrow.id });
    const later = await newApp();
    const { items } = await ask(listTokens, { ownerId: 1, ...firstPage });
    expect(items.map((token) => token.apps)).toEqual([
      [selected.id, own.id],
      [selected.id, own.id, later.id],
    ]);
    expect((await ask(revokeToken, { ownerId: 1, id: narrow.id })).apps).toEqual([selected.id, own.id]);
  });

  it('is expired once its time has come', async () => {
    const { status } = await newToken({ expiresAt: '2020-01-01T00:00:00.000Z' });
    expect(status).toBe('expired');
    expect((await newToken({ expiresAt: '2999-01-01T00:00:00.000Z' })).status).toBe('active');
  });

  it('is revoked permanently, however often that is requested', async () => {
    const created = await newToken();
    const revoked = { ...created, token: undefined, status: 'revoked' };
    expect(await ask(revokeToken, { ownerId: 1, id: created.id })).toEqual(revoked);
    expect(await ask(revokeToken, { ownerId: 1, id: created.id })).toEqual(revoked);
    expect((await ask(listTokens, { ownerId: 1, ...firstPage })).items).toEqual([revoked]);
  });

  it('is one token for a repeated command, its secret shown again while it is kept', async () => {
    const named = { ...caller(), bodyHash: 'a' };
    const first = await newToken({}, named);
    expect(await newToken({}, named)).toEqual(first);
    expect((await ask(listTokens, { ownerId: 1, ...firstPage })).total).toBe(1);
    expect(await seals()).toHaveLength(1);
    await expect(newToken({}, { ...named, bodyHash: 'b' })).rejects.toEqual(refusal('IDEMPOTENCY_KEY_REUSED'));

    // A secret that is no longer valid is not kept.
    await ask(rotateToken, { ownerId: 1, id: first.id });
    expect(await seals()).toEqual([]);
    await expect(newToken({}, named)).rejects.toEqual(refusal('PLAINTEXT_UNAVAILABLE'));
  });

  it('keeps no secret of a command that no client can repeat', async () => {
    const { id } = await newToken();
    await ask(rotateToken, { ownerId: 1, id });
    expect(await seals()).toEqual([]);
  });

  it('is rotated: a new secret, and all else as it was; a repeat shows the same', async () => {
    const { token, ...created } = await newToken({ permissions: ['keys.delete'] });
    const named = { ...caller(), bodyHash: 'a' };
    const { token: rotated, ...after } = await ask(rotateToken, { ownerId: 1, id: created.id }, named);
    expect(after).toEqual(created);
    expect(credentialFault('svc_pat_', rotated)).toBeUndefined();
    expect(rotated).not.toBe(token);
    expect((await ask(rotateToken, { ownerId: 1, id: created.id }, named)).token).toBe(rotated);
    await ask(revokeToken, { ownerId: 1, id: created.id });
    expect(await seals()).toEqual([]);
    await expect(ask(rotateToken, { ownerId: 1, id: created.id })).rejects.toEqual(refusal('TOKEN_REVOKED'));
    expect(await seals()).toEqual([]);
  });

  it('is edited: the apps named replace all, those that it registered too, and later ones come on top', async () => {
    const created = await newToken();
    const own = await newApp({ tokenId: created.id });
    const other = await newApp();
    const edit = { ownerId: 1, id: created.id };
    const edited = await ask(editToken, {
      ...edit,
      name: 'new',
      expiresAt: '2999-01-01T00:00:00.000Z',
      permissions: ['builds.delete'],
      reach: { allApps: false, apps: [other.id] },
    });
    expect(edited).toEqual({
      ...{ ...created, token: undefined },
      ...{ name: 'new', permissions: ['manage', 'builds.delete'], apps: [other.id] },
      expires_at: '2999-01-01T00:00:00.000Z',
    });
    const later = await newApp({ tokenId: created.id });
    const now = { ...edited, apps: [other.id, later.id] };
    expect(await ask(getToken, edit)).toEqual(now);
    expect((await ask(listTokens, { ownerId: 1, ...firstPage })).items).toEqual([now]);
    expect((await ask(editToken, { ...edit, reach: { allApps: true, apps: [] } })).apps).toEqual([
      own.id,
      other.id,
      later.id,
    ]);
    await newApp({ ownerId: 2 });
    await expect(ask(editToken, { ...edit, reach: { allApps: false, apps: [4] } })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    await ask(revokeToken, edit);
    await expect(ask(editToken, { ...edit, name: 'x' })).rejects.toEqual(refusal('TOKEN_REVOKED'));
  });

  it("hides a token from another owner's lists and revocations", async () => {
    const { id } = await newToken();
    await expect(ask(revokeToken, { ownerId: 2, id })).rejects.toEqual(refusal('TOKEN_NOT_FOUND'));
    for (const call of [getToken, editToken, rotateToken]) {
      await expect(ask(call, { ownerId: 2, id })).rejects.toEqual(refusal('TOKEN_NOT_FOUND'));
    }
    await expect(ask(revokeToken, { ownerId: 1, id: 99 })).rejects.toEqual(refusal('TOKEN_NOT_FOUND'));
    expect(await ask(listTokens, { ownerId: 2, ...firstPage })).toEqual({ items: [], total: 0 });
    expect((await ask(listTokens, { ownerId: 1, ...firstPage })).items[0]?.status).toBe('active');
  });
});
