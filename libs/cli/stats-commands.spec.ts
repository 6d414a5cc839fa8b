import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();

const run = (commandLine: string) => server.run(commandLine.split(' '));

describe('stats', () => {
  it('draws how many devices run each version', async () => {
    const versions = [
      { version: '1.1.0', active: [0, 80, 0] },
      { version: '1.0.0', active: [90, 20, 0] },
      { version: null, active: [5, 0, 0] },
    ];
    server.answer(json(200, { data: { days: ['2026-01-01', '2026-01-02', '2026-01-03'], versions } }));
    const { code, stdout } = await run('stats --app com.example.shop --from 2026-01-01');
    expect(code).toBe(0);
    expect(stdout).toMatch(/active on +2026-01-02\n1\.1\.0 +80 █{40}\n1\.0\.0 +20 █{10}\n$/);
    expect(server.received[0]!.line).toBe('GET /api/public/v1/apps/com.example.shop/adoption?from=2026-01-01');
  });

  it('draws what became of a build, and prints what it is told', async () => {
    const none = { checks: 0, offered: 0, downloads: 0, download_failures: 0, install_failures: 0, rollbacks: 0 };
    const stats = {
      ...{ build_id: 7, version: '1.1.0', channel: 'production' },
      totals: { ...none, offered: 8, installs: 4 },
      days: [{ day: '2026-01-01', ...none, installs: 4 }],
      errors: [{ report: 'install', error: 'no space', count: 2 }],
    };
    server.answer(json(200, { data: stats }));
    const { stdout } = await run('stats --app 1 --build 7');
    expect(stdout).toMatch(/offered +8 █{40}\n/);
    expect(stdout).toMatch(/installs +4 █{20}\n/);
    expect(stdout).toMatch(/2026-01-01 +4 █{40}\n/);
    expect(stdout).toMatch(/error 1 +2× install: no space\n/);
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
    offered: { build_id: 8, version: '1.1.0', mandatory: true, mandatory_because_of: [7, 8] },
    newer: [
      { ...build, why_not: ['status', 'platform', 'native_version', 'halted', 'rollout'] },
      { ...build, build_id: 8, version: '1.1.0', offered: true, why_not: [] },
      { ...build, build_id: 7, version: '1.0.1', why_not: ['newer_offered'] },
    ],
  };
  server.answer(json(200, { data: explanation }));
  const { stdout } = await run('explain --app 1 --device d --current 1.0.0 --platform ios --native 2');
  expect(stdout).toMatch(/offered +build 8 \(1\.1\.0\)\nmandatory +because of build 7, 8\n/);
  expect(stdout).toContain(
    'it is stopped; the app is for android, not ios; it needs native 3, the device has 2.0.0; its rollout is halted; its rollout is at 10 %, the device at 43.21',
  );
  expect(stdout).toMatch(/build 7 \(1\.0\.1\) +a newer one is offered\n/);
  expect(server.received[0]!.line).toBe(
    'GET /api/public/v1/apps/1/explain?device=d&version=1.0.0&platform=ios&app_version=2',
  );
});

it('device forget says how many reports went', async () => {
  server.answer(json(200, { data: { deleted: 3 } }));
  const { stdout } = await run('device forget a/b --app 1');
  expect(stdout).toBe('reports deleted  3\n');
  expect(server.received[0]!.line).toBe('DELETE /api/public/v1/apps/1/devices/a%2Fb');
});
