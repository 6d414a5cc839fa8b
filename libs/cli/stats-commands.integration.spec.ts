import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();

const run = (commandLine: string) => server.run(commandLine.split(' '));

describe('stats', () => {
  it('draws how many devices were active, and which versions and platforms they run', async () => {
    const versions = [
      { version: '1.1.0', active: [0, 80, 0] },
      { version: '1.0.0', active: [90, 20, 0] },
      { version: null, active: [5, 0, 0] },
    ];
    const platforms = [
      { platform: 'ios', active: [10, 60, 0] },
      { platform: 'android', active: [80, 30, 0] },
    ];
    const native_versions = [
      { version: '3.0.0', active: [1, 7, 0] },
      { version: null, active: [1, 2, 0] },
    ];
    const days = ['2026-01-01', '2026-01-02', '2026-01-03'];
    server.answer(json(200, { data: { days, total: [90, 90, 0], versions, platforms, native_versions } }));
    const { code, stdout } = await run('stats --app com.example.shop --from 2026-01-01');
    expect(code).toBe(0);
    expect(stdout).toMatch(/active on +2026-01-02\ndevices +90\n1\.1\.0 +80 █{40}\n1\.0\.0 +20 █{10}\n/);
    expect(stdout).toMatch(/ios +60 █{40}\nandroid +30 █{20}\nnative 3\.0\.0 +7 █{40}\nnative others +2 █{12}\n$/);
    expect(server.received[0]!.line).toBe('GET /api/public/v1/apps/com.example.shop/adoption?from=2026-01-01');
  });

  it('draws the outcome of a build, and prints the response as JSON', async () => {
    const none = { checks: 0, offered: 0, downloads: 0, download_failures: 0, install_failures: 0, rollbacks: 0 };
    const stats = {
      ...{ build_id: 7, version: '1.1.0', channel: 'production' },
      totals: { ...none, offered: 8, installs: 4 },
      running: 2,
      rolled_back_devices: 3,
      days: [{ day: '2026-01-01', ...none, installs: 4 }],
      errors: [
        {
          ...{ report: 'install', error: 'no space', count: 2 },
          ...{ first_at: '2026-01-01T10:00:00.000Z', last_at: '2026-01-02T11:00:00.000Z' },
        },
        { report: 'rollback', error: 'blank page', count: 1 },
      ],
    };
    server.answer(json(200, { data: stats }));
    const { stdout } = await run('stats --app 1 --build 7');
    expect(stdout).toMatch(/offered +8 █{40}\n/);
    expect(stdout).toMatch(/installs +4 █{20}\n/);
    expect(stdout).toMatch(/running +2 █{10}\n/);
    expect(stdout).toMatch(/not offered to +3 devices that rolled it back\n/);
    expect(stdout).toMatch(/2026-01-01 +4 █{40}\n/);
    expect(stdout).toMatch(
      /error 1 +2× install: no space \(2026-01-01T10:00:00\.000Z to 2026-01-02T11:00:00\.000Z\)\n/,
    );
    expect(stdout).toMatch(/error 2 +1× rollback: blank page\n/);
    expect(JSON.parse((await run('stats --app 1 --build 7 --json')).stdout)).toEqual(stats);
    expect(server.received[0]!.line).toBe('GET /api/public/v1/apps/1/builds/7/stats');
  });
});

it('explain says why not each newer build', async () => {
  const build = {
    ...{ build_id: 9, version: '2.0.0', status: 'paused', state: 'stopped', mandatory: false, min_native_version: '3' },
    ...{ rollout_percentage: 10, rollout_enabled: false, bucket: 43.21, offered: false },
  };
  const explanation = {
    ...{ channel: 'production', platform: 'ios', app_platform: 'android', version: '1.0.0', app_version: '2.0.0' },
    ...{ fingerprint: null, embedded_version: '1.0.1', native_update_required: { minimum: '3.0.0' } },
    offered: { build_id: 8, version: '1.1.0', mandatory: true, mandatory_because_of: [7, 8] },
    newer: [
      { ...build, why_not: ['status', 'platform', 'native_version', 'halted', 'rollout', 'rolled_back'] },
      {
        ...{ ...build, build_id: 10, platform: 'android', native_range: '>=3 <4', fingerprint: 'f00d' },
        why_not: ['build_platform', 'native_range', 'fingerprint', 'embedded_version'],
      },
      { ...build, build_id: 8, version: '1.1.0', offered: true, why_not: [] },
      { ...build, build_id: 7, version: '1.0.1', why_not: ['newer_offered'] },
    ],
  };
  server.answer(json(200, { data: explanation }));
  const { stdout } = await run('explain --app 1 --device d --current 1.0.0 --platform ios --native 2 --embedded 1.0.1');
  expect(stdout).toMatch(/offered +build 8 \(1\.1\.0\)\nmandatory +because of build 7, 8\n/);
  expect(stdout).toContain(
    'it is stopped; the app is for android, not ios; it needs native 3, the device has 2.0.0; its rollout is halted; its rollout is at 10%, the device at 43.21; the device rolled it back',
  );
  expect(stdout).toContain(
    'it is for android; it needs native >=3 <4, the device has 2.0.0; it needs the fingerprint f00d, the device has none; it is not newer than 1.0.1, the bundle in the native app',
  );
  expect(stdout).toMatch(/native update +to 3\.0\.0 at least, for a newer build\n/);
  expect(stdout).toMatch(/build 7 \(1\.0\.1\) +a newer one is offered\n/);
  expect(server.received[0]!.line).toBe(
    'GET /api/public/v1/apps/1/explain?device=d&version=1.0.0&platform=ios&app_version=2&embedded_version=1.0.1',
  );
});

it.each([
  [{ channel: 'beta', channel_from: 'self_assigned' }, 'has chosen the channel beta'],
  [{ channel: 'staging', channel_from: 'default' }, 'names no channel: its default is staging'],
  [{ channel: 'production', channel_from: 'production' }, 'names no channel: production'],
  [{ channel: 'staging', channel_from: 'requested' }, 'asks for staging'],
  [{ channel: 'staging' }, 'asks for staging'],
])('explain says where the channel of a device is from: %j', async (from, text) => {
  const explanation = { ...from, platform: 'ios', version: '1.0.0', offered: null, newer: [] };
  server.answer(json(200, { data: explanation }));
  const { stdout } = await run('explain --app 1 --device d --current 1.0.0 --platform ios');
  expect(stdout).toContain(`runs 1.0.0 on ios, ${text}\n`);
});

describe('device export', () => {
  const page = { current_page: 1, last_page: 1, per_page: 50, total: 2 };
  const state = {
    ...{ last_seen_at: '2026-01-02T00:00:00Z', version: '1.1.0', native_version: null, platform: 'ios' },
    last_outcome: { build_id: 7, report: 'install', status: 'rollback' },
  };
  const none = { status: null, build_id: null, version: null, native_version: null, platform: null };
  const reports = [
    {
      ...{
        ...none,
        id: 'active/2026-01-02',
        report: 'active',
        version: '1.1.0',
        platform: 'ios',
        native_version: '3.0.0',
      },
      ...{ at: '2026-01-02T00:00:00Z', error: null, previous_version: null, inferred: true },
    },
    {
      ...{ ...none, id: 'build/7/rollbacks', report: 'install', status: 'rollback', build_id: 7 },
      ...{ at: '2026-01-01T00:00:00Z', error: 'blank page', previous_version: '1.0.0', inferred: false },
    },
  ];
  const answer = () =>
    server.answer(
      json(200, { data: { state, reports: 2, rolled_back: [7] } }),
      json(200, { data: reports, meta: page }),
    );

  it('shows what the device last reported, and each report that is kept', async () => {
    answer();
    const { stdout } = await run('device export a/b --app 1');
    expect(stdout).toMatch(/version +1\.1\.0\n/);
    expect(stdout).toMatch(/last outcome +install of build 7: rollback\n/);
    expect(stdout).toMatch(/rolled back +build 7\n/);
    expect(stdout).toMatch(/report 1 +2026-01-02T00:00:00Z active with 1\.1\.0 ios native 3\.0\.0 \(inferred\)\n/);
    expect(stdout).toMatch(/report 2 +2026-01-01T00:00:00Z install of build 7 rollback blank page\n/);
    expect(server.received.map(({ line }) => line)).toEqual([
      'GET /api/public/v1/apps/1/devices/a%2Fb',
      'GET /api/public/v1/apps/1/devices/a%2Fb/reports?page=1&per_page=50',
    ]);
  });

  it('prints all of it as JSON', async () => {
    answer();
    expect(JSON.parse((await run('device export a/b --app 1 --json')).stdout)).toEqual({
      ...{ state, rolled_back: [7], pins: [], channel_pins: [], groups: [], chosen_channel: null, reports },
    });
  });

  it('says when nothing is kept', async () => {
    server.answer(
      json(200, { data: { state: null, reports: 0 } }),
      json(200, { data: [], meta: { ...page, total: 0 } }),
    );
    expect((await run('device export x --app 1')).stdout).toBe('device  nothing is kept\n');
  });
});

describe('the pins of devices', () => {
  const pins = { build_id: 7, devices: 2, first_expires_at: '2026-04-01', last_expires_at: '2026-05-01' };

  it('are set with their end, and warnings are for people', async () => {
    const warnings = [
      { device_id: null, warning: 'newer_offered', message: 'Build 9 is newer.' },
      { device_id: 'a', warning: 'not_newer', message: 'The device last reported 2.0.0.' },
    ];
    server.answer(json(200, { data: { ...pins, warnings } }));
    const { code, stdout, stderr } = await run('device pin a b --build 7 --for 30d --app 1');
    expect(code).toBe(0);
    expect(stderr).toBe('Build 9 is newer.\na: The device last reported 2.0.0.\n');
    expect(stdout).toMatch(/pinned devices +2\n/);
    const { line, body } = server.received[0]!;
    expect(line).toBe('PATCH /api/public/v1/apps/1/builds/7/pins');
    const { add, expires_at } = JSON.parse(body.toString()) as { add: string[]; expires_at: string };
    expect(add).toEqual(['a', 'b']);
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(29 * 86_400_000);
  });

  it('are removed by device, or all together, and counted', async () => {
    server.answer(json(200, { data: { ...pins, warnings: [] } }));
    await run('device unpin a --build 7 --app 1');
    await run('device unpin --all --build 7 --app 1');
    expect((await run('device pins --build 7 --app 1')).stdout).toMatch(/first pin expires +2026-04-01\n/);
    expect(server.received.map(({ line }) => line)).toEqual([
      'PATCH /api/public/v1/apps/1/builds/7/pins',
      'DELETE /api/public/v1/apps/1/builds/7/pins',
      'GET /api/public/v1/apps/1/builds/7/pins',
    ]);
    for (const wrong of ['device unpin --build 7 --app 1', 'device unpin a --all --build 7 --app 1']) {
      expect((await run(wrong)).stderr).toContain('Name the devices, or give --all.');
    }
  });
});

it('device forget says how many reports went', async () => {
  server.answer(json(200, { data: { deleted: 3 } }));
  const { stdout } = await run('device forget a/b --app 1');
  expect(stdout).toBe('reports deleted  3\n');
  expect(server.received[0]!.line).toBe('DELETE /api/public/v1/apps/1/devices/a%2Fb');
});
