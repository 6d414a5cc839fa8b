import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App, Build, Explanation, Group } from '@sluice/contracts';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, management } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

jest.setTimeout(300_000);

interface Refusal {
  readonly error?: { readonly code: string; readonly message: string };
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

onEachDeployment('audiences, $name', (kind) => {
  const run = kind.available ? it : it.skip;
  const app = '/apps/com.example.shop';
  const folder = temporaryDirectory();
  let deployment: Deployment;
  let token: string;
  let key: string;
  let base: number;

  const api = () => management(deployment.gateways[0]!, token);
  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await sluice([...args, '--app', 'com.example.shop', '--json'], {
      ...{ SLUICE_SERVER: deployment.gateways[0]!, SLUICE_TOKEN: token },
    });
    return { code, stderr, data: stdout === '' ? undefined : (JSON.parse(stdout) as Record<string, unknown>) };
  };
  const upload = async (group: string, lines: readonly string[]) => {
    const path = join(folder, `${group}.txt`);
    await writeFile(path, lines.join('\n'));
    return command('group', 'upload', group, path);
  };
  const release = async (version: string, audience?: object) => {
    const bundle = await zipOf({ 'index.html': version });
    const fields = { version, channel: 'production', ...(audience && { audience: JSON.stringify(audience) }) };
    return api().release(`${app}/builds`, bundle, fields);
  };
  /** The version that each process of the device API offers; null: none. */
  const offered = (device: string, attributes: Readonly<Record<string, string>> = {}) =>
    Promise.all(
      deployment.devices.map(async (address) => {
        const sent = Object.entries(attributes).map(([name, value]) => [`X-Attr-${name}`, value] as const);
        const { body } = await call<{ available: boolean; version?: string }>(`${address}/api/v1/updates/check`, {
          headers: {
            ...{ 'X-API-Key': key, 'X-Device-ID': device, 'X-Current-Version': '0.1.0', 'X-Platform': 'ios' },
            ...Object.fromEntries(sent),
          },
        });
        return body.available ? body.version! : null;
      }),
    );
  const everywhere = (version: string | null) => deployment.devices.map(() => version);
  /** Groups are loaded within seconds after the response. */
  const untilOffered = (device: string, version: string) =>
    eventually(async () => (await offered(device)).every((each) => each === version), { everyMs: 50 });
  const edit = (id: number, audience: object | null) =>
    api().patch<{ data: Build } & Refusal>(`${app}/builds/${id}`, { audience });
  const explained = async (device: string, attributes = '') => {
    const path = `${app}/explain?device=${device}&platform=ios&version=0.1.0&attributes=${encodeURIComponent(attributes)}`;
    return (await api().get<{ data: Explanation }>(path)).body.data.newer[0]!;
  };

  beforeAll(async () => {
    if (!kind.available) return;
    deployment = await kind.deploy();
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      ...{ SLUICE_SERVER: deployment.gateways[0]!, DATA_DIR: deployment.dataDir },
    });
    token = (JSON.parse(made.stdout) as { token: string }).token;
    await api().post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    key = (await api().post<{ data: { plaintext_key: string } }>(`${app}/api-keys`, { name: 'installs' })).body.data
      .plaintext_key;
    base = await release('1.0.0');
  }, 180_000);

  afterAll(async () => {
    if (kind.available) await deployment.destroy();
  }, 60_000);

  run('of attributes: an app declares them, a build has rules, a device sends values', async () => {
    expect((await edit(base, { attributes: { plan: { equal: 'pro' } } })).body.errors).toEqual({
      'audience.attributes.plan': ['The app declares no attribute "plan". It declares none.'],
    });
    const { body } = await api().patch<{ data: App }>(app, { attributes: { plan: 'string', os: 'version' } });
    expect(body.data.attributes).toEqual({ plan: 'string', os: 'version' });
    const audience = { attributes: { plan: { in: ['pro', 'team'] }, os: { range: '>=17' } } };
    const id = await release('1.1.0', audience);
    expect((await api().get<{ data: Build }>(`${app}/builds/${id}`)).body.data.audience).toEqual(audience);
    expect(await offered('phone', { plan: 'pro', os: '17.2' })).toEqual(everywhere('1.1.0'));
    expect(await offered('phone', { plan: 'pro', os: '16.7' })).toEqual(everywhere('1.0.0'));
    expect(await offered('phone', { plan: 'free', os: '17.2', other: 'x' })).toEqual(everywhere('1.0.0'));
    expect(await offered('phone')).toEqual(everywhere('1.0.0'));
    expect(await explained('phone', 'plan=free&os=17.2')).toMatchObject({
      ...{ build_id: id, offered: false, why_not: ['audience'] },
      audience_unmet: [{ of: 'build', attribute: 'plan', rule: { in: ['pro', 'team'] }, value: 'free' }],
    });
    // An attribute that is declared no longer has no value.
    await api().patch(app, { attributes: { plan: null } });
    expect(await offered('phone', { plan: 'pro', os: '17.2' })).toEqual(everywhere('1.0.0'));
    expect((await edit(id, null)).body.data.audience).toBeNull();
    expect(await offered('phone')).toEqual(everywhere('1.1.0'));
    await api().patch(`${app}/builds/${id}`, { status: 'archived' });
  });

  run('of groups: uploaded, replaced, explained, erased and deleted', async () => {
    const wrong = await upload('beta', ['phone', 'a,b', '', 'x'.repeat(256)]);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/Line 2: .*Line 4: /s);
    expect((await api().get<Refusal>(`${app}/groups/beta`)).body.error?.code).toBe('GROUP_NOT_FOUND');
    expect((await edit(base, { groups: ['beta'] })).body.errors).toEqual({
      'audience.groups': ['The app has no device group "beta".'],
    });

    expect((await upload('beta', ['phone', 'tablet', 'phone'])).data).toMatchObject({ devices: 2, revision: 1 });
    const id = await release('1.2.0', { groups: ['beta'] });
    await untilOffered('phone', '1.2.0');
    await untilOffered('tablet', '1.2.0');
    expect(await offered('watch')).toEqual(everywhere('1.0.0'));
    expect(await explained('watch')).toMatchObject({
      ...{ build_id: id, why_not: ['audience'], audience_unmet: [{ of: 'build', groups: ['beta'] }] },
    });
    expect((await upload('beta', ['phone', 'watch'])).data).toMatchObject({ devices: 2, revision: 2 });
    await untilOffered('watch', '1.2.0');
    await untilOffered('tablet', '1.0.0');

    // From the stores again.
    await deployment.stop();
    await deployment.dropReadStore();
    await deployment.start();
    await untilOffered('watch', '1.2.0');
    expect(await offered('tablet')).toEqual(everywhere('1.0.0'));

    expect((await api().get<{ data: { groups: string[] } }>(`${app}/devices/watch`)).body.data.groups).toEqual([
      'beta',
    ]);
    expect((await command('device', 'forget', 'watch')).code).toBe(0);
    await untilOffered('watch', '1.0.0');
    expect((await api().get<{ data: Group[] }>(`${app}/groups`)).body.data).toMatchObject([
      { name: 'beta', devices: 1, revision: 3 },
    ]);
    expect((await api().get<{ data: { groups: string[] } }>(`${app}/devices/watch`)).body.data.groups).toEqual([]);

    expect((await command('group', 'delete', 'beta', '--yes')).code).toBe(0);
    const { data } = (
      await api().get<{ data: { type: string; before: object | null; after: object | null }[] }>(`${app}/history`)
    ).body;
    expect(data.filter(({ type }) => type.startsWith('Group'))).toMatchObject([
      { type: 'GroupDeleted', before: { group: 'beta', devices: 1, revision: 3 }, after: null },
      { type: 'GroupReplaced', before: { devices: 2, revision: 2 }, after: { devices: 1, revision: 3 } },
      { type: 'GroupReplaced', before: { revision: 1 }, after: { revision: 2 } },
      { type: 'GroupReplaced', before: null, after: { group: 'beta', devices: 2, revision: 1 } },
    ]);
    await untilOffered('phone', '1.0.0');
    // The uploaded lists were never kept.
    expect((await deployment.objects()).filter((object) => object.includes('group-lists'))).toEqual([]);
  });

  run('of channels: also of a standard one, with pinned devices, next to those of builds', async () => {
    await api().patch(app, { attributes: { plan: 'string', os: 'version' } });
    const path = `${app}/channels/production`;
    expect(await api().patch<Refusal>(path, { audience: { groups: ['nope'] } })).toMatchObject({
      ...{ status: 422, body: { errors: { 'audience.groups': ['The app has no device group "nope".'] } } },
    });
    expect(await api().patch<Refusal>(path, { audience: { pinned_only: true, groups: ['beta'] } })).toMatchObject({
      ...{ status: 422, body: { errors: { audience: ['An audience with pinned_only must have no other rule.'] } } },
    });
    const plan = await command('channel', 'audience', 'production', '--attribute', 'plan=pro');
    expect(plan.data).toMatchObject({ name: 'production', audience: { attributes: { plan: { equal: 'pro' } } } });
    const id = await release('1.3.0', { attributes: { os: { range: '>=17' } } });
    expect(await offered('phone', { plan: 'pro', os: '17' })).toEqual(everywhere('1.3.0'));
    expect(await offered('phone', { plan: 'pro', os: '16' })).toEqual(everywhere('1.0.0'));
    expect(await offered('phone', { plan: 'free', os: '17' })).toEqual(everywhere(null));
    expect(await explained('phone', 'plan=free&os=16')).toMatchObject({
      ...{ build_id: id, why_not: ['audience'] },
      audience_unmet: [
        { of: 'channel', attribute: 'plan', rule: { equal: 'pro' }, value: 'free' },
        { of: 'build', attribute: 'os', rule: { range: '>=17' }, value: '16.0.0' },
      ],
    });

    const pinned = await command('channel', 'pin', 'production', 'tablet', '--for', '30d');
    expect(pinned.data).toMatchObject({ channel: 'production', devices: 1 });
    await untilOffered('tablet', '1.0.0');
    expect(await offered('tablet', { os: '17' })).toEqual(everywhere('1.3.0'));
    expect((await command('channel', 'audience', 'production', '--pinned-only')).code).toBe(0);
    expect(await offered('phone', { plan: 'pro', os: '17' })).toEqual(everywhere(null));
    await untilOffered('tablet', '1.0.0');
    expect((await command('device', 'export', 'tablet')).data).toMatchObject({
      channel_pins: [{ channel: 'production' }],
    });

    // From the stores again.
    await deployment.stop();
    await deployment.dropReadStore();
    await deployment.start();
    await untilOffered('tablet', '1.0.0');
    expect(await offered('phone', { plan: 'pro', os: '17' })).toEqual(everywhere(null));

    const history = await api().get<{ data: { type: string; channel: string; after: object }[] }>(
      `${app}/history?type=ChannelPinsChanged`,
    );
    expect(history.body.data).toMatchObject([{ channel: 'production', after: { pinned_devices: 1 } }]);
    expect((await command('device', 'forget', 'tablet')).code).toBe(0);
    expect((await command('channel', 'pins', 'production')).data).toMatchObject({ devices: 0 });
    await eventually(async () => (await offered('tablet')).every((version) => version === null));

    expect((await api().get<Refusal>(`${app}/channels/nope/pins`)).body.error?.code).toBe('CHANNEL_NOT_FOUND');
    const beta = await command('channel', 'add', 'closed-beta', '--pinned-only');
    expect(beta.data).toMatchObject({ name: 'closed-beta', audience: { pinned_only: true } });
    const names = ['production', 'staging', 'development', 'closed-beta'];
    expect((await api().get<{ data: App }>(app)).body.data.channels).toEqual(names);
    expect((await command('channel', 'pin', 'closed-beta', 'phone')).data).toMatchObject({ devices: 1 });
    expect((await command('channel', 'unpin', 'closed-beta', '--all')).data).toMatchObject({ devices: 0 });
    expect((await command('channel', 'audience', 'production', '--all')).data).toMatchObject({ audience: null });
    expect(await offered('tablet', { os: '17' })).toEqual(everywhere('1.3.0'));
  });
});
