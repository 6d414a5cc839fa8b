import { createHash, createPublicKey } from 'node:crypto';
import { eventually } from '@sluice/testing';
import { PLANES } from '../../services/gateway/openapi/planes';
import { standalone, type Deployment } from '../support/deployment';
import { call, management } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

interface Refusal {
  readonly error?: { readonly code: string };
  readonly errors?: Record<string, string[]>;
}
interface One {
  readonly data: Record<string, unknown>;
}
interface Page {
  readonly data: readonly (Record<string, unknown> & { readonly id: number })[];
  readonly meta: Record<string, number>;
}

const WITH_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

jest.setTimeout(60_000);

/** Rows of the document that no other test meets from outside; docs/conformance/management-api.md names them all. */
describe('the management plane', () => {
  let deployment: Deployment;
  let address: string;
  let token: string;
  let app: One['data'];
  const builds = '/apps/com.example.shop/builds';
  const keys = '/apps/com.example.shop/api-keys';

  const api = () => management(address, token);
  const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as Refusal).error?.code];
  const fieldsOf = ({ status, body }: { status: number; body: unknown }) => [
    status,
    Object.keys((body as Refusal).errors ?? {}),
  ];

  async function finished(jobId: string): Promise<One['data']> {
    return eventually(async () => {
      const { data } = (await api().get<One>(`/jobs/${jobId}`)).body;
      return (data['status'] === 'completed' || data['status'] === 'failed') && data;
    });
  }
  async function release(fields: Record<string, string>, damaged = false): Promise<number> {
    const whole = await zipOf({ 'index.html': 'x'.repeat(5_000) });
    const bundle = damaged ? whole.subarray(0, -30) : whole;
    const { status, body } = await api().upload(builds, bundle, { channel: 'staging', ...fields });
    expect(status).toBe(202);
    expect((await finished(body.data.job_id))['status']).toBe(damaged ? 'failed' : 'completed');
    return body.data.build.id;
  }
  const build = async (id: number) => (await api().get<One>(`${builds}/${id}`)).body.data;

  beforeAll(async () => {
    deployment = await standalone.deploy({
      ...{ APP_LIMIT: '3', API_KEY_RECOVERY: 'off', JOB_CONTENT_RETRY_DELAYS_MS: '10,20,40' },
    });
    address = deployment.gateways[0]!;
    const made = await sluice(
      [
        ...['token', 'create', '--name', 'ci', '--all-apps', '--json'],
        ...['--permission', 'apps.delete', '--permission', 'builds.delete', '--permission', 'keys.delete'],
      ],
      { SLUICE_SERVER: address, DATA_DIR: deployment.dataDir },
    );
    token = (JSON.parse(made.stdout) as { token: string }).token;
    const shop = { name: ' Shop ', bundle_id: 'com.example.shop', platform: null, description: null };
    const created = await api().post<One>('/apps', shop);
    expect(created.status).toBe(201);
    app = created.body.data;
  });

  afterAll(() => deployment.destroy());

  it('returns the name, apps, permissions and times of a token, and never its secret', async () => {
    const { status, body } = await api().get<One>('/token');
    expect({ status, data: body.data }).toEqual({
      status: 200,
      data: {
        ...{
          name: 'ci',
          permissions: ['manage', 'apps.delete', 'builds.delete', 'keys.delete'],
          all_apps: true,
          expires_at: null,
        },
        apps: [{ id: app['id'], app_id: 'com.example.shop', name: 'Shop' }],
        created_at: expect.stringMatching(WITH_OFFSET) as unknown,
        last_used_at: body.data['last_used_at'],
      },
    });
    expect(JSON.stringify(body)).not.toContain(token);
  });

  it('makes an app with the defaults, null counting as left out, and finds it by either id', async () => {
    expect(app).toEqual({
      ...{ id: 1, app_id: 'com.example.shop', bundle_id: 'com.example.shop', name: 'Shop', description: null },
      ...{ platform: 'both', platforms: ['ios', 'android'], channels: ['production', 'staging', 'development'] },
      ...{ signing_key_rotation: 'any_token', unique_signatures: false, keep_builds: null, default_rollout: {} },
      attributes: {},
      default_channels: {},
      channel_aliases: {},
      revision: 1,
      created_at: expect.stringMatching(WITH_OFFSET) as unknown,
    });
    for (const id of ['1', 'com.example.shop']) expect((await api().get<One>(`/apps/${id}`)).body.data).toEqual(app);
    const plain = await api().post<One>('/apps', { name: 'My Second App!', platform: 'ios' });
    expect(plain.body.data).toMatchObject({ bundle_id: null, platforms: ['ios'] });
    expect(plain.body.data['app_id']).toMatch(/^app\.my-?second-?app/);
  });

  it('rejects an app beyond the quota, and names a taken bundle_id first', async () => {
    expect((await api().post('/apps', { name: 'Third' })).status).toBe(201);
    expect(codeOf(await api().post('/apps', { name: 'Fourth' }))).toEqual([422, 'APP_LIMIT_REACHED']);
    expect(codeOf(await api().post('/apps', { name: 'Again', bundle_id: 'com.example.shop' }))).toEqual([
      ...[409, 'BUNDLE_ID_TAKEN'],
    ]);
  });

  it('lists by id ascending, in pages of 20 or as asked, empty behind the last', async () => {
    const whole = (await api().get<Page>('/apps')).body;
    expect(whole.meta).toEqual({ current_page: 1, last_page: 1, per_page: 20, total: 3 });
    expect(whole.data.map(({ id }) => id)).toEqual([1, 2, 3]);
    const second = (await api().get<Page>('/apps?per_page=1&page=2')).body;
    expect(second.meta).toEqual({ current_page: 2, last_page: 3, per_page: 1, total: 3 });
    expect(second.data.map(({ id }) => id)).toEqual([2]);
    expect((await api().get<Page>('/apps?page=9&per_page=50')).body.data).toEqual([]);
    for (const list of ['/apps', builds, keys]) {
      for (const query of ['per_page=0', 'per_page=51', 'page=0', 'page=-1', 'page=1.5', 'page=', 'per_page=x']) {
        expect(fieldsOf(await api().get(`${list}?${query}`))).toEqual([422, [query.split('=')[0]]]);
      }
    }
  });

  it('takes an upload: 202 with the job’s absolute address, and a build with the defaults', async () => {
    const bundle = await zipOf({ 'index.html': 'defaults' });
    const { status, body } = await api().upload<One>(builds, bundle, { version: '1.0.0', channel: 'development' });
    const jobId = body.data['job_id'] as string;
    expect({ status, data: body.data }).toEqual({
      status: 202,
      data: {
        job_id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/) as unknown,
        status_url: `${address}/api/public/v1/jobs/${jobId}`,
        build: { id: 1, version: '1.0.0', channel: 'development', status: 'processing' },
      },
    });
    const time = expect.stringMatching(WITH_OFFSET) as unknown;
    expect(await finished(jobId)).toEqual({
      ...{ id: jobId, type: 'build.process', status: 'completed', attempts: 1, error: null },
      ...{ status_url: body.data['status_url'], queued_at: time, started_at: time, finished_at: time },
      result: expect.objectContaining({ build_id: 1, version: '1.0.0', channel: 'development' }) as unknown,
    });
    expect(await build(1)).toEqual({
      ...{ id: 1, version: '1.0.0', channel: 'development', status: 'active', state: 'live' },
      checksum: createHash('sha256').update(bundle).digest('hex'),
      ring: 'per_build',
      ...{ checksum_algorithm: expect.stringMatching(/^sha-?256$/i) as unknown, signature: null },
      ...{ file_size: bundle.length, release_notes: null, min_native_version: null, mandatory: false },
      ...{ rollout_percentage: 100, rollout_enabled: true, promoted_from_id: null },
      ...{ recalled_at: null, recall_reason: null, recall_target: null, recall_of: null, republished_from_id: null },
      ...{ native_range: null, fingerprint: null, platform: 'all', delivery: null, audience: null },
      ...{ job_id: jobId, metadata: {}, revision: 2, created_at: time, updated_at: time },
    });
  });

  it('keeps what an upload says, and reads its booleans as 1 and 0 too', async () => {
    const notes = 'ä'.repeat(5_000);
    const fields = { version: '1.1.0', release_notes: notes, min_native_version: '2.1', rollout_percentage: '1' };
    const native = { native_range: '>=2.1 <3', fingerprint: 'f00d', platform: 'ios' };
    const id = await release({ ...fields, mandatory: '1', colour: 'ignored' });
    expect(await build(await release({ version: '1.1.5', ...native, min_native_version: '' }))).toMatchObject(native);
    expect(await build(await release({ version: '1.1.5', platform: 'android', native_range: '' }))).toMatchObject({
      ...{ native_range: null, fingerprint: null, platform: 'android' },
    });
    expect(await build(id)).toMatchObject({
      ...{ release_notes: notes, min_native_version: '2.1', rollout_percentage: 1, mandatory: true },
    });
    expect(await build(await release({ version: '1.2.0', mandatory: '0' }))).toMatchObject({ mandatory: false });
  });

  it('keeps the metadata of an upload, also in the promoted build, and erases it with the build', async () => {
    const metadata = { commit: '4f2a9c1d', author: 'Ada Lovelace 💥', note: '', 'ci.run-id_1': 'x'.repeat(500) };
    const id = await release({ version: '1.3.0', metadata: JSON.stringify(metadata) });
    expect(await build(id)).toMatchObject({ metadata });
    expect((await api().get<Page>(builds)).body.data[0]).toMatchObject({ id, metadata });
    const promoted = await api().post<One>(`${builds}/${id}/promote`, { target_channel: 'development' });
    expect(promoted).toMatchObject({ status: 201, body: { data: { metadata } } });
    expect(fieldsOf(await api().patch(`${builds}/${id}`, { metadata: {} }))).toEqual([422, ['metadata']]);

    const made = async () => (await api().get<Page>(`${builds}/${id}/history?type=BuildAccepted`)).body.data[0];
    expect(await made()).toMatchObject({ after: { version: '1.3.0', metadata } });
    const erased = { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } };
    expect((await call(`${address}/api/public/v1${builds}/${id}`, erased)).status).toBe(200);
    expect(await made()).toMatchObject({ after: { version: '1.3.0', metadata: {} } });
    expect(await build(promoted.body.data['id'] as number)).toMatchObject({ metadata });
  });

  it('edits a build member by member: null clears, or is refused where nothing can be cleared', async () => {
    const id = await release({ version: '2.0.0', release_notes: 'Old', min_native_version: '1' });
    const edit = (body: object) => api().patch<One>(`${builds}/${id}`, body);
    expect((await edit({})).body.data).toMatchObject({ release_notes: 'Old', min_native_version: '1' });
    expect((await edit({ release_notes: null, min_native_version: null, mandatory: true })).body.data).toMatchObject({
      ...{ release_notes: null, min_native_version: null, mandatory: true, status: 'active' },
    });
    expect((await edit({ status: 'active' })).status).toBe(200);
    const range = await edit({ native_range: '^2', fingerprint: 'f00d' });
    expect(range.body.data).toMatchObject({ native_range: '^2', fingerprint: 'f00d', min_native_version: null });
    const minimum = await edit({ min_native_version: '2', fingerprint: null });
    expect(minimum.body.data).toMatchObject({ native_range: null, fingerprint: null, min_native_version: '2' });
    expect(fieldsOf(await edit({ min_native_version: '2', native_range: '^2' }))).toEqual([422, ['native_range']]);
    for (const [member, wrong] of Object.entries({
      ...{ status: 'processing', release_notes: 'x'.repeat(5_001), min_native_version: 'soon', mandatory: 'true' },
      ...{ native_range: '>=3 <2', fingerprint: 'two words', platform: 'ios' },
      ...{
        id: 7,
        version: '9.9.9',
        channel: 'production',
        state: 'live',
        checksum: 'x',
        signature: 'x',
        rollout_percentage: 5,
      },
    })) {
      expect(fieldsOf(await edit({ [member]: wrong }))).toEqual([422, [member]]);
    }
    for (const member of ['status', 'mandatory']) {
      expect(fieldsOf(await edit({ [member]: null }))).toEqual([422, [member]]);
    }
    for (const status of ['paused', 'archived', 'active', 'archived', 'paused', 'active']) {
      expect((await edit({ status })).body.data).toMatchObject({ status });
    }
  });

  it('brings no build into service that never was, and archives it all the same', async () => {
    const id = await release({ version: '3.0.0' }, true);
    for (const status of ['active', 'paused']) {
      expect(codeOf(await api().patch(`${builds}/${id}`, { status }))).toEqual([422, 'BUILD_NOT_READY']);
    }
    const promoted = await api().post(`${builds}/${id}/promote`, { target_channel: 'production' });
    expect(codeOf(promoted)).toEqual([422, 'BUILD_NOT_READY']);
    expect((await api().patch<One>(`${builds}/${id}`, { status: 'archived' })).body.data).toMatchObject({
      status: 'archived',
    });
    expect(codeOf(await api().patch(`${builds}/${id}`, { status: 'active' }))).toEqual([422, 'BUILD_NOT_READY']);
  });

  it('promotes as requested, never into the same channel or over an existing version', async () => {
    const id = await release({ version: '4.0.0', mandatory: 'true', rollout_percentage: '7' });
    const promote = (body: object) => api().post<One>(`${builds}/${id}/promote`, body);
    expect(fieldsOf(await promote({}))).toEqual([422, ['target_channel']]);
    expect(fieldsOf(await promote({ target_channel: 'beta', rollout_percentage: 101, mandatory: 1 }))).toEqual([
      ...[422, ['target_channel', 'rollout_percentage', 'mandatory']],
    ]);
    expect(codeOf(await promote({ target_channel: 'staging' }))).toEqual([422, 'ALREADY_IN_CHANNEL']);
    const { status, body } = await promote({ target_channel: 'production', rollout_percentage: null, mandatory: null });
    expect({ status, data: body.data }).toMatchObject({
      status: 201,
      data: { status: 'active', promoted_from_id: id, job_id: null, rollout_percentage: 100, mandatory: true },
    });
    expect(body.data['checksum']).toBe((await build(id))['checksum']);
    expect(codeOf(await promote({ target_channel: 'production' }))).toEqual([409, 'VERSION_ALREADY_EXISTS']);
    const below = await release({ version: '4.0.1' });
    const told = { target_channel: 'development', rollout_percentage: 0, mandatory: true };
    expect((await api().post<One>(`${builds}/${below}/promote`, told)).body.data).toMatchObject({
      ...{ rollout_percentage: 0, mandatory: true },
    });
  });

  it('changes a rollout by either field, and resumes at the same percentage', async () => {
    const id = await release({ version: '5.0.0' });
    const rollout = (body: object) => api().patch<One>(`${builds}/${id}/rollout`, body);
    const shown = async (body: object) => {
      const { data } = (await rollout(body)).body;
      expect(await build(id)).toMatchObject({ state: data['state'] });
      return [data['rollout_percentage'], data['rollout_enabled'], data['status'], data['state']];
    };
    expect(await shown({ rollout_percentage: 30 })).toEqual([30, true, 'active', 'rolling_out']);
    expect(await shown({ enabled: false })).toEqual([30, false, 'active', 'stopped']);
    expect(await shown({ enabled: true })).toEqual([30, true, 'active', 'rolling_out']);
    expect(await shown({ rollout_percentage: 0, enabled: false })).toEqual([0, false, 'active', 'stopped']);
    for (const wrong of [-1, 101, 1.5, '50', null]) {
      expect(fieldsOf(await rollout({ rollout_percentage: wrong }))).toEqual([422, ['rollout_percentage']]);
    }
    expect(fieldsOf(await rollout({ enabled: 'true' }))).toEqual([422, ['enabled']]);
    expect((await rollout({})).status).toBe(422);
  });

  /** A request with If-Match, unless it is undefined. */
  const sendIf = (method: string, path: string, tag: string | undefined, body?: object) =>
    call<One & Refusal>(`${address}/api/public/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(tag !== undefined && { 'If-Match': tag }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  it('changes and deletes a build only at the revision that If-Match names, and returns it as ETag and member', async () => {
    const id = await release({ version: '5.1.0' });
    const other = await release({ version: '5.2.0' });
    const send = (method: string, path: string, tag: string | undefined, body?: object) =>
      sendIf(method, `${builds}/${id}${path}`, tag, body);
    const read = await send('GET', '', undefined);
    const first = read.headers.get('etag')!;
    expect(first).toBe(`"${String(read.body.data['revision'])}"`);

    const raised = await send('PATCH', '/rollout', first, { rollout_percentage: 40 });
    const second = raised.headers.get('etag')!;
    expect([raised.status, second, raised.body.data['revision']]).toEqual([200, '"3"', 3]);
    expect((await build(id))['revision']).toBe(3);
    const stale = await send('PATCH', '/rollout', first, { rollout_percentage: 25 });
    expect(codeOf(stale)).toEqual([412, 'BUILD_CHANGED']);
    expect(stale.body.error).toMatchObject({ details: { revision: 3 } });
    expect(codeOf(await send('PATCH', '', first, { mandatory: true }))).toEqual([412, 'BUILD_CHANGED']);
    expect(codeOf(await send('DELETE', '', first))).toEqual([412, 'BUILD_CHANGED']);
    expect(await build(id)).toMatchObject({ rollout_percentage: 40, mandatory: false, revision: 3 });

    // What happens to another build of the channel changes nothing.
    await api().patch(`${builds}/${other}`, { status: 'paused' });
    expect((await send('PATCH', '', second, { status: 'paused', mandatory: true })).headers.get('etag')).toBe('"5"');
    expect((await send('PATCH', '/rollout', '*', { enabled: false })).headers.get('etag')).toBe('"6"');
    for (const tag of ['6', '"six"', 'W/"6"', '"6", "7"', '']) {
      expect([tag, fieldsOf(await send('PATCH', '/rollout', tag, { enabled: true }))]).toEqual([
        ...[tag, [422, ['If-Match']]],
      ]);
    }
    expect((await send('DELETE', '', '"6"')).status).toBe(200);
    expect(codeOf(await send('DELETE', '', '"6"'))).toEqual([404, 'BUILD_NOT_FOUND']);
  });

  it('lists builds newest first, narrowed by channel and status', async () => {
    const { data, meta } = (await api().get<Page>(`${builds}?per_page=50`)).body;
    expect(data.map(({ id }) => id)).toEqual([...data.map(({ id }) => id)].sort((a, b) => b - a));
    expect(meta['total']).toBe(data.length);
    for (const channel of ['production', 'staging', 'development']) {
      const narrowed = (await api().get<Page>(`${builds}?channel=${channel}&per_page=50`)).body.data;
      expect(narrowed).toEqual(data.filter((each) => each['channel'] === channel));
    }
    for (const status of ['uploading', 'processing', 'active', 'archived', 'failed', 'paused']) {
      const narrowed = (await api().get<Page>(`${builds}?status=${status}&per_page=50`)).body.data;
      expect(narrowed).toEqual(data.filter((each) => each['status'] === status));
    }
  });

  it('shows the secret of a key once, and its safe view ever after; reveals none that it did not keep', async () => {
    expect(fieldsOf(await api().post(keys, {}))).toEqual([422, ['name']]);
    const { status, body } = await api().post<One>(keys, { name: 'installs' });
    const { plaintext_key: secret, ...made } = body.data;
    expect({ status, made }).toEqual({ status: 201, made: { id: 1, name: 'installs', status: 'active' } });
    expect(secret).toMatch(/^svc_app_[0-9a-f]{48}_[0-9a-f]{8}$/);
    const safe = {
      ...made,
      key_preview: expect.stringMatching(/^svc_app_[0-9a-f]{4}….{4}$/) as unknown,
      ...{ recoverable: false, restrictions: {}, unrestricted: true, blocked_count: 0, last_blocked_at: null },
      ...{ last_blocked_reason: null, last_used_at: null, last_check: null, rotated_at: null, revision: 1 },
      created_at: expect.stringMatching(WITH_OFFSET) as unknown,
    };
    expect((await api().get<One>(`${keys}/1`)).body.data).toEqual(safe);
    expect((await api().get<Page>(keys)).body).toMatchObject({ data: [safe], meta: { total: 1 } });
    expect(codeOf(await api().post(`${keys}/1/reveal`))).toEqual([409, 'PLAINTEXT_UNAVAILABLE']);
    expect(codeOf(await api().post(`${keys}/9/reveal`))).toEqual([404, 'KEY_NOT_FOUND']);
  });

  describe('changes only at the revision that If-Match names, which it returns as ETag and member,', () => {
    const origins = (of: string) => ({ origins: [`https://${of}.example.com`] });
    const created = async (path: string, body: object) => (await api().post<One>(path, body)).body.data;
    const edited = { path: '', method: 'PATCH' };
    const steps = (percentage: number) => ({ steps: [{ percentage, hold_minutes: 1, min_devices: 1 }] });
    const resources = {
      'a key': {
        ...{ code: 'KEY_CHANGED', gone: 'KEY_NOT_FOUND', edit: { path: '/restrictions', method: 'PATCH' } },
        create: async () => `${keys}/${String((await created(keys, { name: 'ci' }))['id'])}`,
        bodies: [origins('a'), origins('b')],
        others: ['/deprecate', '/rotate', '/revoke'],
      },
      'a channel': {
        ...{ code: 'CHANNEL_CHANGED', gone: 'CHANNEL_NOT_FOUND', edit: edited },
        create: async () =>
          `/apps/com.example.shop/channels/${String((await created('/apps/com.example.shop/channels', { name: 'if-match' }))['name'])}`,
        bodies: [{ self_assign: true }, { audience: { pinned_only: true } }],
        others: [],
      },
      'an app': {
        ...{ code: 'APP_CHANGED', gone: 'APP_NOT_FOUND', edit: edited },
        create: () => Promise.resolve('/apps/2'),
        bodies: [{ name: 'Changed' }, { attributes: { os: 'version' } }],
        others: [],
      },
      'a plan template': {
        ...{ code: 'PLAN_TEMPLATE_CHANGED', gone: 'PLAN_TEMPLATE_NOT_FOUND', edit: { path: '', method: 'PUT' } },
        create: async () => {
          const path = '/apps/com.example.shop/plan-templates/careful';
          await sendIf('PUT', path, undefined, steps(1));
          return path;
        },
        bodies: [steps(2), steps(3)],
        others: [],
      },
    };

    it.each(Object.entries(resources))('%s', async (_, { code, gone, edit, create, bodies, others }) => {
      const path = await create();
      const change = (tag: string | undefined, body: object) => sendIf(edit.method, path + edit.path, tag, body);
      const read = await sendIf('GET', path, undefined);
      const first = read.headers.get('etag')!;
      expect(first).toBe(`"${String(read.body.data['revision'])}"`);
      const changed = await change(first, bodies[0]!);
      const { revision } = changed.body.data;
      expect([changed.status, changed.headers.get('etag')]).toEqual([200, `"${String(revision)}"`]);
      expect(revision).toBe(Number(read.body.data['revision']) + 1);
      const stale = await change(first, bodies[1]!);
      expect([...codeOf(stale), stale.body.error]).toEqual([
        ...[412, code, expect.objectContaining({ details: { revision } })],
      ]);
      for (const other of others) {
        expect([other, ...codeOf(await sendIf('POST', path + other, first))]).toEqual([other, 412, code]);
      }
      expect(codeOf(await sendIf('DELETE', path, first))).toEqual([412, code]);
      expect((await sendIf('GET', path, undefined)).body.data).toEqual(changed.body.data);
      // Without If-Match, and with *, at any revision.
      expect((await change(undefined, bodies[1]!)).status).toBe(200);
      expect((await change('*', bodies[0]!)).status).toBe(200);
      expect(fieldsOf(await change('"six"', bodies[1]!))).toEqual([422, ['If-Match']]);
      const tag = (await sendIf('GET', path, undefined)).headers.get('etag')!;
      expect((await sendIf('DELETE', path, tag)).status).toBe(200);
      expect(codeOf(await sendIf('DELETE', path, tag))).toEqual([404, gone]);
    });

    it('a device group', async () => {
      const path = '/apps/com.example.shop/groups/beta';
      const replace = (tag: string | undefined, lines: string) => {
        const form = new FormData();
        form.set('file', new Blob([lines]), 'devices.txt');
        const headers = { Authorization: `Bearer ${token}`, ...(tag !== undefined && { 'If-Match': tag }) };
        return call<One & Refusal>(`${address}/api/public/v1${path}`, { method: 'POST', headers, body: form });
      };
      expect(codeOf(await replace('"1"', 'one'))).toEqual([404, 'GROUP_NOT_FOUND']);
      const first = await replace(undefined, 'one');
      expect([first.status, first.headers.get('etag'), first.body.data['revision']]).toEqual([200, '"1"', 1]);
      expect((await replace('"1"', 'one\ntwo')).headers.get('etag')).toBe('"2"');
      const stale = await replace('"1"', 'three');
      expect([...codeOf(stale), stale.body.error]).toEqual([
        ...[412, 'GROUP_CHANGED', expect.objectContaining({ details: { revision: 2 } })],
      ]);
      expect(codeOf(await sendIf('DELETE', path, '"1"'))).toEqual([412, 'GROUP_CHANGED']);
      const read = await sendIf('GET', path, undefined);
      expect([read.headers.get('etag'), read.body.data['devices']]).toEqual(['"2"', 2]);
      expect((await sendIf('DELETE', path, '"2"')).status).toBe(200);
    });
  });

  it('has one signing key of an app, of which it shows the public half alone', async () => {
    const path = '/apps/com.example.shop/signing-key';
    expect((await api().get<One>(path)).body).toEqual({ data: { configured: false } });
    expect(codeOf(await api().post(`${path}/rotate`, { name: 'x' }))).toEqual([409, 'NO_ACTIVE_SIGNING_KEY']);
    const { status, body } = await api().post<One>(path);
    const { public_key: pem, fingerprint, ...rest } = body.data;
    expect({ status, rest }).toMatchObject({
      status: 201,
      rest: { configured: true, name: 'default', status: 'active', rotated_at: null },
    });
    const der = createPublicKey(pem as string).export({ type: 'spki', format: 'der' });
    expect(fingerprint).toBe(createHash('sha256').update(der).digest('hex'));
    expect(JSON.stringify(body)).not.toContain('PRIVATE');
    expect((await api().get<One>(path)).body).toEqual(body);
    expect(codeOf(await api().post(path, { name: 'second' }))).toEqual([409, 'SIGNING_KEY_EXISTS']);
    const rotated = await api().post<One>(`${path}/rotate`, { name: 'next', scheme: 'pss' });
    expect(rotated).toMatchObject({ status: 200, body: { data: { name: 'next', scheme: 'pss', status: 'active' } } });
    expect(rotated.body.data['public_key']).not.toBe(pem);
    expect(rotated.body.data['rotated_at']).toMatch(WITH_OFFSET);
  });

  it('rejects a rotation of another key than was expected, and a retirement of the active key or of none', async () => {
    const path = '/apps/com.example.shop/signing-key';
    const active = (await api().get<One>(path)).body.data;
    const other = 'a'.repeat(64);
    const mismatch = await api().post(`${path}/rotate`, { expected_fingerprint: other });
    expect(codeOf(mismatch)).toEqual([409, 'FINGERPRINT_MISMATCH']);
    expect(mismatch.body).toMatchObject({ error: { details: { fingerprint: active['fingerprint'] } } });
    const malformed = await api().post(`${path}/rotate`, { expected_fingerprint: 'aa:bb' });
    expect(malformed).toMatchObject({ status: 422, body: { errors: { expected_fingerprint: [expect.any(String)] } } });
    expect((await api().get<One>(path)).body.data).toEqual(active);
    const retire = (id: unknown) => api().post(`${path}s/${String(id)}/retire`);
    expect(codeOf(await retire(active['id']))).toEqual([409, 'SIGNING_KEY_ACTIVE']);
    expect(codeOf(await retire(9_999))).toEqual([404, 'KEY_NOT_FOUND']);
    expect(codeOf(await retire('x'))).toEqual([404, 'KEY_NOT_FOUND']);
    const expected_fingerprint = String(active['fingerprint']).toUpperCase();
    expect((await api().post(`${path}/rotate`, { size: 2048, expected_fingerprint })).status).toBe(200);
  });

  it('rejects a rotation while three former keys sign, and takes it once one is retired', async () => {
    const path = '/apps/com.example.shop/signing-key';
    expect((await api().post(`${path}/rotate`, { size: 2048 })).status).toBe(200);
    const refused = await api().post<Refusal>(`${path}/rotate`, { size: 2048 });
    expect(codeOf(refused)).toEqual([409, 'TOO_MANY_FORMER_SIGNING_KEYS']);
    const { body } = await api().get<{ data: { id: number; status: string }[]; meta: object }>(`${path}s?per_page=50`);
    expect(body).toMatchObject({ meta: { total: 4 } });
    expect(body.data.map(({ status }) => status)).toEqual(['active', 'former', 'former', 'former']);
    expect((await api().post(`${path}s/${body.data[3]!.id}/retire`)).status).toBe(200);
    expect((await api().post(`${path}s/${body.data[3]!.id}/retire`)).status).toBe(200);
    expect((await api().post(`${path}/rotate`, { size: 2048 })).status).toBe(200);
  });

  it.each([
    ['none', {}, undefined],
    ['{}', { 'Content-Type': 'application/json' }, '{}'],
    ['an empty one labelled JSON', { 'Content-Type': 'application/json' }, ''],
  ])('takes as the body of an operation without one: %s', async (_, headers, body) => {
    const answer = await call<One>(`${address}/api/public/v1${keys}/1/deprecate`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body }),
    });
    expect(answer).toMatchObject({ status: 200, body: { data: { status: 'deprecated' } } });
  });

  it('names the trace of a request in the line that it logs of it', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const headers = { Authorization: `Bearer ${token}`, traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    await call(`${address}/api/public/v1${keys}/1/deprecate`, { method: 'POST', headers });
    const ofTrace = () => deployment.processes.flatMap(({ log }) => log.filter((line) => line.includes(traceId)));
    await eventually(() => ofTrace().length !== 0);
    const lines = ofTrace().map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([{ msg: 'Answered', status: 200, trace_id: traceId }]);
  });

  const routes = PLANES.management.routes.map(({ method, url }) => `${method} ${url}`);
  it.each(routes)('sends no CORS header on %s, and answers no preflight', async (route) => {
    const [method = '', path = ''] = route.split(' ');
    const url = address + path.replace(':app', '1').replace(/:\w+/g, '999');
    const headers = { Origin: 'https://example.com', 'Access-Control-Request-Method': method };
    const preflight = await call(url, { method: 'OPTIONS', headers });
    expect([404, 405]).toContain(preflight.status);
    for (const credential of ['', `Bearer ${token}`]) {
      const answer = await fetch(url, { method, headers: { ...headers, Authorization: credential } });
      for (const name of [...preflight.headers.keys(), ...answer.headers.keys()]) {
        expect(name).not.toMatch(/^access-control/);
      }
      await answer.body?.cancel();
    }
  });
});
