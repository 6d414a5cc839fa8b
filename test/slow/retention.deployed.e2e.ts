import { randomBytes } from 'node:crypto';
import type { App, Build, Retention, Storage } from '@sluice/contracts';
import { eventually } from '@sluice/testing';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, management, type Answer } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

jest.setTimeout(120_000);

/** Of an upload: less than its limit holds two. */
const BUNDLE_BYTES = 2 * 1024 ** 2;
const LIMIT = 3 * BUNDLE_BYTES;

interface Refused {
  readonly error?: { readonly code: string; readonly details?: Readonly<Record<string, number>> };
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

onEachDeployment('the storage of an owner, $name', (kind) => {
  const run = kind.available ? it : it.skip;
  let deployment: Deployment;
  let token: string;
  let ownerKey: string;

  const gateway = () => deployment.gateways[0]!;
  const api = () => management(gateway(), token);
  const app = '/apps/com.example.shop';
  const asOwner = <Body>(method: string, path: string, body?: object) =>
    call<Body>(`${gateway()}/api/dashboard/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${ownerKey}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const storage = async () => (await asOwner<{ data: Storage }>('GET', '/storage')).body.data;
  const retention = async (query = '') => (await api().get<{ data: Retention }>(`${app}/retention${query}`)).body.data;
  const versions = async () => {
    const { body } = await api().get<{ data: Build[] }>(`${app}/builds`);
    return body.data.filter(({ state }) => state === 'live').map(({ version }) => version);
  };

  /** Answers once it is active. */
  async function release(version: string, bytes = 1_000): Promise<void> {
    const zip = await zipOf({ 'index.html': randomBytes(bytes) });
    expect((await api().upload(`${app}/builds`, zip, { version, channel: 'production' })).status).toBe(202);
    await eventually(async () => (await versions()).includes(version));
  }

  beforeAll(async () => {
    if (!kind.available) return;
    deployment = await kind.deploy({
      ...{ STORAGE_PER_OWNER_BYTES: String(LIMIT), BUILD_RETENTION_GRACE_SECONDS: '0', OBJECT_GRACE_SECONDS: '0' },
    });
    ownerKey = await deployment.ownerKey();
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: gateway(),
      DATA_DIR: deployment.dataDir,
    });
    token = (JSON.parse(made.stdout) as { token: string }).token;
    await api().post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
  }, 180_000);

  afterAll(async () => {
    if (kind.available) await deployment.destroy();
  }, 60_000);

  run('is reported, and an upload that does not fit is rejected before anything of it is stored', async () => {
    for (const version of ['1.0.0', '1.1.0']) await release(version, BUNDLE_BYTES);
    const used = await storage();
    expect(used).toMatchObject({ limit_bytes: LIMIT, apps: [{ id: 1, bytes: used.used_bytes }] });
    expect(used.used_bytes).toBeGreaterThan(2 * BUNDLE_BYTES);
    const before = await deployment.objects();

    const refused = { code: 'STORAGE_LIMIT_REACHED', details: { limit_bytes: LIMIT, used_bytes: used.used_bytes } };
    const large = await zipOf({ 'index.html': randomBytes(BUNDLE_BYTES + 1024 ** 2) });
    for (const zip of [large, await zipOf({ 'index.html': randomBytes(BUNDLE_BYTES) })]) {
      const answer: Answer = await api().upload(`${app}/builds`, zip, { version: '1.2.0', channel: 'production' });
      expect([answer.status, (answer.body as Refused).error]).toEqual([422, expect.objectContaining(refused)]);
    }
    expect(await deployment.objects()).toEqual(before);
    await release('1.2.0');
    // A promotion stores nothing.
    await api().post(`${app}/builds/1/promote`, { target_channel: 'staging' });
    expect((await storage()).used_bytes).toBeLessThan(used.used_bytes + 3_000);
  });

  run('is freed by the retention, which shows first what goes', async () => {
    const shown = await retention('?keep_builds=1');
    expect(shown).toMatchObject({ keep_builds: 1, total: 2 });
    expect(shown.builds.map(({ version, channel }) => [version, channel])).toEqual([
      ['1.1.0', 'production'],
      ['1.0.0', 'production'],
    ]);
    // The other one is shared with staging.
    expect(shown.freed_bytes).toBeGreaterThan(BUNDLE_BYTES);
    expect(shown.freed_bytes).toBeLessThan(2 * BUNDLE_BYTES);
    expect(await retention()).toMatchObject({ keep_builds: 0, total: 0 });
    for (const wrong of ['-1', '10001', 'many', '1.5', '']) {
      const { status, body } = await api().get<Refused>(`${app}/retention?keep_builds=${wrong}`);
      expect([status, Object.keys(body.errors ?? {})]).toEqual([422, ['keep_builds']]);
    }

    const denied = await api().patch<Refused>(app, { keep_builds: 1 });
    expect([denied.status, denied.body.error?.code]).toEqual([403, 'TOKEN_PERMISSION_DENIED']);
    expect((await asOwner<Refused>('PATCH', app, { keep_builds: -1 })).status).toBe(422);
    const set = await asOwner<{ data: App }>('PATCH', app, { keep_builds: 1 });
    expect([set.status, set.body.data.keep_builds]).toEqual([200, 1]);
    await eventually(async () => (await api().get<{ data: Build[] }>(`${app}/builds`)).body.data.length <= 2, {
      everyMs: 100,
    });
    const { body } = await api().get<{ data: Build[] }>(`${app}/builds`);
    expect(body.data.map(({ version, channel }) => [version, channel])).toEqual([
      ['1.0.0', 'staging'],
      ['1.2.0', 'production'],
    ]);
    await release('1.3.0', BUNDLE_BYTES);
    expect((await asOwner<{ data: App }>('PATCH', app, { keep_builds: null })).body.data.keep_builds).toBeNull();
  });
});
