import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import type { ApiKey, App, AppChannel, Build, Explanation } from '@sluice/contracts';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, checkUpdate, management, type UpdateAnswer } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

jest.setTimeout(300_000);

interface Refusal {
  readonly error?: { readonly code: string; readonly message: string };
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

const CLOSED = { available: false, message: 'No updates available', channelClosed: true };

onEachDeployment('channels that an app adds, $name', (kind) => {
  const run = kind.available ? it : it.skip;
  const app = '/apps/com.example.shop';
  const channels = `${app}/channels`;
  let deployment: Deployment;
  let token: string;
  let key: string;

  const api = (replica = 0) => management(deployment.gateways[replica % deployment.gateways.length]!, token);
  const command = (...args: string[]) =>
    sluice([...args, '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      SLUICE_TOKEN: token,
      SLUICE_APP: 'com.example.shop',
      DATA_DIR: deployment.dataDir,
    });
  const add = (body: object) => api().post<{ data: AppChannel } & Refusal>(channels, body);
  async function release(version: string, channel: string): Promise<number> {
    return api().release(`${app}/builds`, await zipOf({ 'index.html': version }), { version, channel });
  }
  const builds = async (query: string) => (await api(1).get<{ data: Build[] }>(`${app}/builds${query}`)).body.data;
  /** What each process of the device API answers. */
  const answers = (channel: string, device = 'phone') =>
    Promise.all(
      deployment.devices.map(async (address) => {
        const { status, body } = await checkUpdate(address, key, device, '0.9.0', channel);
        return { status, body };
      }),
    );
  const offered = async (channel: string) => (await answers(channel)).map(({ body }) => body.version);
  const everywhere = <Value>(value: Value) => deployment.devices.map(() => value);

  async function atHost(host: string, path: string): Promise<[status: number | undefined, body: string]> {
    const { hostname, port } = new URL(deployment.devices.at(-1)!);
    const [response] = (await once(request({ hostname, port, path, headers: { host } }).end(), 'response')) as [
      IncomingMessage,
    ];
    return [response.statusCode, await text(response)];
  }

  beforeAll(async () => {
    if (!kind.available) return;
    deployment = await kind.deploy({ COMPAT_HOSTS: 'codepush.example.com=codepush' });
    token = '';
    const made = await command(
      'token',
      'create',
      '--name',
      'ci',
      '--all-apps',
      '--permission',
      'builds.delete',
      '--permission',
      'keys.delete',
    );
    token = (JSON.parse(made.stdout) as { token: string }).token;
    await api().post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    key = (await api().post<{ data: { plaintext_key: string } }>(`${app}/api-keys`, { name: 'installs' })).body.data
      .plaintext_key;
    await release('1.0.0', 'production');
  }, 180_000);

  afterAll(async () => {
    if (kind.available) await deployment.destroy();
  }, 60_000);

  run('take uploads and promotions, and serve them by their name alone', async () => {
    const unknown = await answers('beta');
    expect(unknown.map(({ status }) => status)).toEqual(everywhere(422));
    expect(unknown[0]!.body).toMatchObject({
      errors: { channel: ['The channel must be one of production, staging, development.'] },
    });
    const beta = await command('channel', 'add', 'beta');
    expect(JSON.parse(beta.stdout)).toMatchObject({ name: 'beta', id: 'beta.1', standard: false, expires_at: null });
    expect((await api(1).get<{ data: App }>(app)).body.data.channels).toEqual([
      ...['production', 'staging', 'development', 'beta'],
    ]);
    expect(await offered('beta')).toEqual(everywhere(undefined));
    const build = await release('2.0.0', 'beta');
    expect(await offered('beta')).toEqual(everywhere('2.0.0'));
    expect(await offered('production')).toEqual(everywhere('1.0.0'));
    expect(await builds('?channel=beta')).toMatchObject([{ id: build, channel: 'beta', version: '2.0.0' }]);
    expect(await builds('')).toHaveLength(2);
    const path = `${app}/explain?device=phone&channel=beta&platform=ios&version=0.9.0`;
    const { body } = await api().get<{ data: Explanation }>(path);
    expect(body.data).toMatchObject({ channel: 'beta', offered: { build_id: build } });

    const [source] = await builds('?channel=production');
    const promoted = await command('build', 'promote', String(source!.id), '--to', 'beta', '--rollout', '0');
    expect(JSON.parse(promoted.stdout)).toMatchObject({ channel: 'beta', promoted_from_id: source!.id });
    const back = await api().post<{ data: Build }>(`${app}/builds/${build}/promote`, { target_channel: 'staging' });
    expect(back.body.data).toMatchObject({ channel: 'staging', version: '2.0.0' });
    const recalled = await command('build', 'recall', String(build), '--to', 'embedded', '--reason', 'crash');
    expect(JSON.parse(recalled.stdout)).toMatchObject({ also_in: [{ channel: 'staging' }] });
    expect((await answers('beta'))[0]!.body).toMatchObject({ available: false });
    await api().post(`${app}/builds/${build}/unrecall`);
    await api().patch(`${app}/builds/${build}`, { status: 'active' });
    expect(await offered('beta')).toEqual(everywhere('2.0.0'));
    const asOf = new Date().toISOString();
    expect(await builds(`?as_of=${asOf}`)).toHaveLength(4);
    expect(await builds(`?as_of=${asOf}&channel=beta`)).toHaveLength(2);
    const history = await api().get<{ data: { type: string; channel: string | null }[] }>(
      `${app}/history?build=${build}&per_page=50&to=${asOf}`,
    );
    expect(new Set(history.body.data.map(({ channel }) => channel))).toEqual(new Set(['beta']));
    expect(history.body.data.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['BuildAccepted', 'BuildRecalled']),
    );
  });

  run('are rejected where the app has none, or one, of the name, and nothing changes', async () => {
    const before = (await api().get(`${channels}?per_page=50`)).body;
    const bundle = await zipOf({ 'index.html': 'x' });
    const hint = expect.stringContaining('another channel of the app: GET /apps/{app}/channels lists them');
    const [source] = await builds('?channel=production');
    for (const channel of ['nope', 'Beta', 'beta.1', 'production.1', '-', 'x'.repeat(64)]) {
      const upload = await api().upload<Refusal>(`${app}/builds`, bundle, { version: '9.0.0', channel });
      expect(upload).toMatchObject({ status: 422, body: { errors: { channel: [hint] } } });
      expect(await api().get<Refusal>(`${app}/builds?channel=${channel}`)).toMatchObject({
        ...{ status: 422, body: { errors: { channel: [hint] } } },
      });
      const promote = { target_channel: channel };
      expect(await api().post<Refusal>(`${app}/builds/${source!.id}/promote`, promote)).toMatchObject({
        ...{ status: 422, body: { errors: { target_channel: [hint] } } },
      });
      const explain = `${app}/explain?device=d&version=1.0.0&platform=ios&channel=${channel}`;
      expect(await api().get<Refusal>(explain)).toMatchObject({ status: 422, body: { errors: { channel: [hint] } } });
      const [check] = await answers(channel);
      expect(check).toMatchObject({
        status: 422,
        body: { errors: { channel: [expect.stringContaining('lists them')] } },
      });
      expect((await api().get<Refusal>(`${channels}/${channel}`)).body.error?.code).toBe('CHANNEL_NOT_FOUND');
    }
    expect((await add({ name: 'Beta' })).body.errors?.['name']?.[0]).toMatch(/^The name of a channel has 1 to 63/);
    expect((await add({ name: 'beta' })).body.error?.code).toBe('CHANNEL_EXISTS');
    expect((await add({ name: 'staging' })).body.error?.code).toBe('CHANNEL_EXISTS');
    const past = await add({ name: 'late', expires_at: '2020-01-01T00:00:00Z' });
    expect(past.body.errors).toEqual({ expires_at: ['The expires_at must be in the future.'] });
    for (const name of ['production', 'staging', 'development']) {
      expect((await api().delete<Refusal>(`${channels}/${name}`)).body.error?.code).toBe('CHANNEL_REQUIRED');
      expect(await api().patch<Refusal>(`${channels}/${name}`, { expires_at: null })).toMatchObject({ status: 409 });
    }
    expect(await api().delete<Refusal>(`${channels}/nope`)).toMatchObject({ status: 404 });
    expect(await api().patch<Refusal>(`${channels}/beta`, { name: 'gamma' })).toMatchObject({ status: 422 });
    const weak = await command('token', 'create', '--name', 'weak', '--all-apps');
    const weakly = management(deployment.gateways[0]!, (JSON.parse(weak.stdout) as { token: string }).token);
    expect(await weakly.delete<Refusal>(`${channels}/beta`)).toMatchObject({ status: 403 });
    expect((await api().get(`${channels}?per_page=50`)).body).toEqual(before);
  });

  run('are deleted with their builds: devices hear of it, and the name is that of a new channel', async () => {
    await release('2.1.0', 'beta');
    expect((await command('channel', 'delete', 'beta', '--yes')).code).toBe(0);
    expect(await answers('beta')).toEqual(everywhere({ status: 200, body: CLOSED }));
    await eventually(async () => (await builds('')).every(({ channel }) => channel !== 'beta'));
    expect((await api().get<Refusal>(`${app}/builds?channel=beta`)).status).toBe(422);
    await deployment.stop();
    await deployment.dropReadStore();
    await deployment.start();
    expect(await answers('beta')).toEqual(everywhere({ status: 200, body: CLOSED }));

    expect((await add({ name: 'beta' })).body.data).toMatchObject({ id: 'beta.2' });
    expect(await answers('beta')).toEqual(everywhere({ status: 200, body: { ...CLOSED, channelClosed: undefined } }));
    expect(await builds('?channel=beta')).toEqual([]);
    await release('0.9.5', 'beta');
    expect(await offered('beta')).toEqual(everywhere('0.9.5'));
  });

  run('are deleted when they expire, unless that was changed before', async () => {
    const soon = () => new Date(Date.now() + 4_000).toISOString();
    expect((await add({ name: 'pr-1', expires_at: soon() })).body.data).toMatchObject({ id: 'pr-1.3' });
    await add({ name: 'pr-2', expires_at: soon() });
    await release('3.0.0', 'pr-1');
    const kept = await command('channel', 'edit', 'pr-2', '--no-expires');
    expect(JSON.parse(kept.stdout)).toMatchObject({ name: 'pr-2', expires_at: null });
    const isClosed = async () => (await answers('pr-1')).every(({ body }) => 'channelClosed' in body);
    await eventually(isClosed, { everyMs: 200, withinMs: 60_000 });
    await eventually(async () => (await builds('')).every(({ channel }) => channel !== 'pr-1'));
    expect((await answers('pr-2'))[0]).toMatchObject({ status: 200, body: { available: false } });
    const listed = await command('channel', 'list');
    expect((JSON.parse(listed.stdout) as AppChannel[]).map(({ name }) => name)).toEqual([
      ...['production', 'staging', 'development', 'beta', 'pr-2'],
    ]);
  });

  run('are chosen by devices where they let them, and are the default of a platform', async () => {
    const choose = async (method: string, replica: number, channel?: string) => {
      const { status, body } = await call<{ channel: string | null } & Refusal>(
        `${deployment.devices.at(replica)!}/api/v1/channel`,
        {
          method,
          headers: { 'X-API-Key': key, 'X-Device-ID': 'phone', 'Content-Type': 'application/json' },
          ...(channel !== undefined && { body: JSON.stringify({ channel }) }),
        },
      );
      return [status, body.channel];
    };
    /** Undefined: names no channel. */
    const versions = async (channel?: string) =>
      Promise.all(
        deployment.devices.map(async (address) => {
          const query = channel === undefined ? '' : `?channel=${channel}`;
          const headers = {
            'X-API-Key': key,
            'X-Device-ID': 'phone',
            'X-Current-Version': '0.9.0',
            'X-Platform': 'ios',
          };
          return (await call<UpdateAnswer>(`${address}/api/v1/updates/check${query}`, { headers })).body.version;
        }),
      );
    const explained = async (...more: string[]) => {
      const explain = ['explain', '--device', 'phone', '--current', '0.9.0', '--platform', 'ios', ...more];
      const { channel, channel_from, offered: build } = JSON.parse((await command(...explain)).stdout) as Explanation;
      return [channel, channel_from, build?.version];
    };
    expect((await choose('POST', 0, 'beta'))[0]).toBe(422);
    const edited = await command('channel', 'edit', 'beta', '--self-assign');
    expect(JSON.parse(edited.stdout)).toMatchObject({ name: 'beta', self_assign: true, expires_at: null });
    expect(await choose('POST', 0, 'beta')).toEqual([200, 'beta']);
    expect(await choose('GET', -1)).toEqual([200, 'beta']);
    const isServed = (version: string) => async () => (await versions('production')).every((each) => each === version);
    await eventually(isServed('0.9.5'));
    expect(await explained('--channel', 'production')).toEqual(['beta', 'self_assigned', '0.9.5']);
    const exported = await command('device', 'export', 'phone');
    expect(JSON.parse(exported.stdout)).toMatchObject({ chosen_channel: { channel: 'beta' } });
    expect(await choose('DELETE', -1)).toEqual([200, null]);
    await eventually(isServed('1.0.0'));

    const wrong = await api().patch<Refusal>(app, { default_channels: { ios: 'nope', tv: 'beta' } });
    expect(wrong).toMatchObject({ status: 422, body: { errors: { 'default_channels.ios': [expect.any(String)] } } });
    const set = await command('app', 'edit', 'com.example.shop', '--default-channel', 'ios=beta');
    expect(JSON.parse(set.stdout)).toMatchObject({ default_channels: { ios: 'beta' } });
    expect([await versions(), await versions('production')]).toEqual([everywhere('0.9.5'), everywhere('1.0.0')]);
    expect(await explained()).toEqual(['beta', 'default', '0.9.5']);
    expect((await api().patch<{ data: App }>(app, { default_channels: null })).body.data.default_channels).toEqual({});
    expect(await versions()).toEqual(everywhere('1.0.0'));
    expect((await command('channel', 'edit', 'beta', '--no-self-assign')).code).toBe(0);
  });

  run('have keys of their own, and any key can be bound to channels', async () => {
    const check = async (channel: string | undefined, apiKey: string) => {
      const query = channel === undefined ? '' : `?channel=${channel}`;
      const { status, body } = await call<UpdateAnswer & Refusal>(
        `${deployment.devices.at(-1)!}/api/v1/updates/check${query}`,
        { headers: { 'X-API-Key': apiKey, 'X-Device-ID': 'd', 'X-Current-Version': '0.9.0', 'X-Platform': 'ios' } },
      );
      return [status, body.version ?? body.error?.code];
    };
    const report = async (current: string, channel: string, apiKey: string) => {
      const { body } = await checkUpdate(deployment.devices[0]!, key, 'd', current, channel);
      const { status } = await call(`${deployment.devices.at(-1)!}/api/v1/analytics/install`, {
        method: 'POST',
        headers: { 'X-API-Key': apiKey, 'X-Device-ID': 'd', 'Content-Type': 'application/json' },
        body: JSON.stringify({ bundle_id: body.bundleId, status: 'complete' }),
      });
      return status;
    };
    const folder = temporaryDirectory();
    await writeFile(join(folder, 'index.html'), 'preview');
    const made = await command(
      ...['preview', 'create', folder, '--pr', '9', '--ttl', '1h', '--version', '5.0.0', '--open', 'shop://open'],
    );
    const preview = JSON.parse(made.stdout) as { address: string; key: { id: number; plaintext_key: string } };
    const { plaintext_key: own, id } = preview.key;
    const given = new URLSearchParams(preview.address.replace(/^shop:\/\/open#/, ''));
    expect(Object.fromEntries(given)).toEqual({
      ...{ sluice_server: expect.any(String), sluice_channel: 'pr-9', sluice_key: own },
    });
    const asked = await checkUpdate(given.get('sluice_server')!, own, 'd', '0.9.0', 'pr-9');
    expect(asked.body.version).toBe('5.0.0');
    const again = await command('preview', 'show', 'pr-9', '--open', 'shop://open');
    expect((JSON.parse(again.stdout) as typeof preview).address).toBe(preview.address);
    expect(await check(undefined, own)).toEqual([200, '5.0.0']);
    expect(await check('pr-9', own)).toEqual([200, '5.0.0']);
    const restricted = [403, 'API_KEY_RESTRICTED'];
    for (const channel of ['production', 'beta', 'nope']) expect(await check(channel, own)).toEqual(restricted);
    expect([await report('0.9.0', 'pr-9', own), await report('0.9.0', 'production', own)]).toEqual([200, 403]);

    const keys = `${channels}/pr-9/keys`;
    const cleared = await api().patch<{ data: ApiKey }>(`${keys}/${id}/restrictions`, {});
    expect(cleared.body.data).toMatchObject({ id, unrestricted: true });
    expect(await check('production', own)).toEqual(restricted);
    expect((await api(1).get<{ data: ApiKey[] }>(keys)).body.data.map((each) => each.id)).toEqual([id]);
    expect((await api(1).get<{ data: ApiKey[] }>(`${app}/api-keys`)).body.data.map((each) => each.id)).not.toContain(
      id,
    );
    expect((await api().get<Refusal>(`${app}/api-keys/${id}`)).status).toBe(404);
    const revealed = await api(1).post<{ data: object }>(`${keys}/${id}/reveal`);
    expect(revealed.body.data).toEqual({ id, plaintext_key: own });
    expect((await api().post<Refusal>(`${keys}/9999/reveal`)).body.error?.code).toBe('KEY_NOT_FOUND');
    expect((await api().post<Refusal>(`${channels}/production/keys/${id}/reveal`)).status).toBe(404);
    for (const name of ['two', 'three']) expect((await api().post(keys, { name })).status).toBe(201);
    expect((await api().post<Refusal>(keys, { name: 'four' })).body.error?.code).toBe('MAX_KEYS_REACHED');
    const imported = { name: 'CodePush', key: 'Deployment-Key_of-production', platform: 'ios' };
    const standard = `${channels}/production/keys`;
    expect((await api().post<{ data: object }>(standard, imported)).body.data).toMatchObject({
      plaintext_key: imported.key,
    });
    expect((await api(1).post<Refusal>(keys, imported)).body.error?.code).toBe('MAX_KEYS_REACHED');
    expect((await api(1).post<Refusal>(standard, imported)).body.error?.code).toBe('KEY_TAKEN');
    expect((await api(1).get<{ data: object[] }>(standard)).body.data).toMatchObject([
      { key_preview: 'Depl…on', platform: 'ios' },
    ]);
    expect(await check(undefined, imported.key)).toEqual([200, '1.0.0']);
    expect(await check('pr-9', imported.key)).toEqual(restricted);
    // As an app sends it that asked a CodePush server at this host.
    const query = `deployment_key=${imported.key}&app_version=1.0.0`;
    await eventually(async () => {
      const [status, body] = await atHost('codepush.example.com', `/v0.1/public/codepush/update_check?${query}`);
      return status === 200 && (JSON.parse(body) as { update_info?: object }).update_info !== undefined;
    });
    expect((await atHost('codepush.example.com', '/api/public/v1/apps'))[0]).toBe(404);
    expect((await atHost('other.example.com', `/v0.1/public/codepush/update_check?${query}`))[0]).toBe(404);

    const bound = (
      await api().post<{ data: { id: number; plaintext_key: string } }>(`${app}/api-keys`, { name: 'ios' })
    ).body.data;
    const restrict = (names: string[]) =>
      api().patch<{ data: ApiKey } & Refusal>(`${app}/api-keys/${bound.id}/restrictions`, { channels: names });
    expect((await restrict(['nope'])).status).toBe(422);
    expect((await restrict(['pr-9'])).body.data.restrictions).toEqual({ channels: ['pr-9'] });
    expect(await check(undefined, bound.plaintext_key)).toEqual([200, '5.0.0']);
    expect(await check('production', bound.plaintext_key)).toEqual(restricted);
    await restrict(['pr-9', 'production']);
    expect(await check(undefined, bound.plaintext_key)).toEqual([200, '1.0.0']);
    expect(await check('beta', bound.plaintext_key)).toEqual(restricted);

    expect(JSON.parse((await command('preview', 'list')).stdout)).toMatchObject([{ name: 'pr-9' }]);
    expect((await command('preview', 'delete', 'pr-9', '--yes')).code).toBe(0);
    await eventually(async () => (await check(undefined, own))[1] === 'INVALID_API_KEY');
    expect(await check('pr-9', bound.plaintext_key)).toEqual([200, undefined]);
    expect((await api().delete<Refusal>(`${keys}/${id}`)).body.error?.code).toBe('CHANNEL_NOT_FOUND');
  });
});
