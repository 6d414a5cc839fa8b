import type { Change } from '@sluice/contracts';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { openEvents, type EventStream } from '../support/event-stream';
import { call, management } from '../support/http';
import { zipOf } from '../support/zip';

interface Made {
  readonly id: number;
  readonly token: string;
  readonly owner_key: string;
}

onEachDeployment('the stream of changes, $name', (kind) => {
  let deployment: Deployment;
  let ownerKey: string;
  let turn = 0;
  let api: ReturnType<typeof management>;
  const open: EventStream[] = [];
  /** Each call goes to the next gateway, whichever sent the change. */
  const gateway = (): string => deployment.gateways[turn++ % deployment.gateways.length]!;
  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
  const ask = (method: string, path: string, body?: unknown, key = ownerKey) =>
    call<{ data: Made }>(`${gateway()}/api/dashboard/v1${path}`, {
      method,
      headers: { ...bearer(key), 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const stream = async (headers: Record<string, string> = bearer(ownerKey), at = gateway()): Promise<EventStream> => {
    const opened = await openEvents(at, headers);
    open.push(opened);
    return opened;
  };
  const newOwner = async () => (await ask('POST', '/owners', { name: 'Ann' })).body.data;
  const newApp = async () => (await api.post('/apps', { name: 'Shop' })).body.data['id'] as number;
  const login = async (key: string): Promise<string> => {
    const answer = await ask('POST', '/session', { owner_key: key });
    return String(answer.headers.getSetCookie()[0]?.split(';')[0]);
  };
  /** Reads on until the change comes. */
  const hear = async (events: EventStream, wanted: Partial<Change>): Promise<Change> => {
    for (;;) {
      const change = await events.next();
      if (Object.entries(wanted).every(([member, value]) => change[member as keyof Change] === value)) return change;
    }
  };

  beforeAll(async () => {
    deployment = await kind.deploy({ ENTITLEMENTS: 'listings_ads' });
    ownerKey = await deployment.ownerKey();
    const permissions = ['apps.delete', 'builds.delete', 'keys.delete'];
    const { token } = (await ask('POST', '/tokens', { name: 'ci', all_apps: true, permissions })).body.data;
    api = management(deployment.gateways[0]!, token);
  }, 180_000);

  afterEach(() => {
    for (const each of open.splice(0)) each.close();
  });

  afterAll(() => deployment.destroy(), 60_000);

  it('announces a change once it is visible, so that a client that reads then need not read again', async () => {
    const app = await newApp();
    const events = await stream();
    const bundle = await zipOf({ 'index.html': 'x' });
    const { body } = await api.upload(`/apps/${app}/builds`, bundle, { version: '1.0.0', channel: 'staging' });
    const { build, job_id: job } = body.data;
    for (let status: unknown; status !== 'active';) {
      await hear(events, { topic: 'builds', app });
      status = (await api.get(`/apps/${app}/builds/${build.id}`)).body.data['status'];
    }
    for (let status: unknown; status !== 'completed';) {
      await hear(events, { topic: 'jobs', app, id: job });
      status = (await api.get(`/jobs/${job}`)).body.data['status'];
    }
    await api.patch(`/apps/${app}/builds/${build.id}`, { status: 'paused' });
    expect(await hear(events, { topic: 'builds' })).toEqual({ topic: 'builds', app, id: build.id });
  }, 60_000);

  it('names what changed by its resource, its app and its id', async () => {
    const events = await stream();
    const app = await newApp();
    expect(await hear(events, { topic: 'apps' })).toEqual({ topic: 'apps', app });
    const key = (await api.post(`/apps/${app}/api-keys`, { name: 'phones' })).body.data['id'];
    expect(await hear(events, { topic: 'keys' })).toEqual({ topic: 'keys', app, id: key });
    await api.post(`/apps/${app}/signing-key`, { name: 'release' });
    expect(await hear(events, { topic: 'signing-key' })).toMatchObject({ topic: 'signing-key', app });
    await api.upload(`/apps/${app}/keystore`, await zipOf({ 'a.jks': 'x' }), {});
    expect(await hear(events, { topic: 'keystore' })).toEqual({ topic: 'keystore', app });
    const token = (await ask('POST', '/tokens', { name: 'agent' })).body.data.id;
    expect(await hear(events, { topic: 'tokens' })).toEqual({ topic: 'tokens', app: null, id: token });
    await ask('POST', `/tokens/${token}/revoke`);
    expect(await hear(events, { topic: 'tokens' })).toEqual({ topic: 'tokens', app: null, id: token });
    const { id } = await newOwner();
    expect(await hear(events, { topic: 'owner' })).toEqual({ topic: 'owner', app: null, id });
    await ask('PUT', '/listings', { enabled: true });
    expect(await hear(events, { topic: 'listings' })).toEqual({ topic: 'listings', app: null });
  }, 60_000);

  it('announces nothing of another owner', async () => {
    const { owner_key: key } = await newOwner();
    const [ours, theirs] = [await stream(), await stream(bearer(key))];
    const app = await newApp();
    await api.post(`/apps/${app}/api-keys`, { name: 'phones' });
    await ask('POST', '/tokens', { name: 'ours' });
    await hear(ours, { topic: 'tokens' });
    await ask('PUT', '/listings', { entitled: false });
    await hear(ours, { topic: 'listings' });
    const { id } = (await ask('POST', '/tokens', { name: 'theirs' }, key)).body.data;
    expect(await theirs.next()).toEqual({ topic: 'tokens', app: null, id });
  }, 60_000);

  it('ends at logout, whichever gateway took it, and no other session with it', async () => {
    const [one, other] = [await login(ownerKey), await login(ownerKey)];
    const all = [];
    for (const at of deployment.gateways) all.push(await stream({ Cookie: one }, at));
    const staying = await stream({ Cookie: other });
    const address = gateway();
    const out = await call(`${address}/api/dashboard/v1/session`, {
      method: 'DELETE',
      headers: { Cookie: one, Origin: address, 'X-Sluice-CSRF': '1' },
    });
    expect(out.status).toBe(200);
    await Promise.all(all.map(({ ended }) => ended));
    const { id } = (await ask('POST', '/tokens', { name: 'later' })).body.data;
    expect(await staying.next()).toMatchObject({ topic: 'tokens', id });
  }, 60_000);

  it('ends with the owner key that it was begun with', async () => {
    const { owner_key: key } = await newOwner();
    const [byKey, bySession] = [await stream(bearer(key)), await stream({ Cookie: await login(key) })];
    expect((await ask('POST', '/owner/rotate-key', {}, key)).status).toBe(200);
    await Promise.all([byKey.ended, bySession.ended]);
    await expect(openEvents(gateway(), bearer(key))).rejects.toThrow('INVALID_OWNER_KEY');
  }, 60_000);

  it('is refused to who has a hundred open on one process, until one is closed', async () => {
    const { owner_key: key } = await newOwner();
    const [at] = deployment.gateways as [string];
    for (let opened = 0; opened < 100; opened += 1) await stream(bearer(key), at);
    const refused = await call<{ error: { code: string } }>(`${at}/api/dashboard/v1/events`, {
      headers: bearer(key),
    });
    expect([refused.status, refused.body.error.code]).toEqual([429, 'TOO_MANY_STREAMS']);
    expect(refused.headers.get('Retry-After')).toBe('15');
    const metrics = async () => /^sluice_event_streams (\d+)$/m.exec(await (await fetch(`${at}/metrics`)).text())![1];
    const before = Number(await metrics());
    expect(before).toBeGreaterThanOrEqual(100);
    open.pop()!.close();
    while (Number(await metrics()) >= before);
    await stream(bearer(key), at);
  }, 60_000);

  it('sends headers that forbid proxies to cache or buffer', async () => {
    const leaving = new AbortController();
    const { headers } = await fetch(`${gateway()}/api/dashboard/v1/events`, {
      ...{ headers: bearer(ownerKey), signal: leaving.signal },
    });
    leaving.abort();
    expect(headers.get('Content-Type')).toBe('text/event-stream');
    expect([headers.get('Cache-Control'), headers.get('X-Accel-Buffering')]).toEqual(['no-store', 'no']);
  });

  it('ends in order when its process stops, which waits for nothing', async () => {
    const all = [];
    for (const at of deployment.gateways) all.push(await stream(bearer(ownerKey), at));
    const [codes] = await Promise.all([deployment.stop(), ...all.map(({ ended }) => ended)]);
    expect(new Set(codes)).toEqual(new Set([0]));
    await deployment.start();
    await stream();
  }, 60_000);
});
