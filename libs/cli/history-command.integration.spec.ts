import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();

const run = (commandLine: string) => server.run(commandLine.split(' '));
const entry = (over: object) => ({
  id: 'e1',
  at: '2026-01-01T00:00:00.000Z',
  type: 'BuildPaused',
  actor: 'token:3',
  actor_name: 'ci',
  build_id: 5,
  channel: 'staging',
  key_id: null,
  before: { status: 'active' },
  after: { status: 'paused' },
  ...over,
});
const page = (data: readonly object[], last_page = 1) =>
  json(200, { data, meta: { current_page: 1, last_page, per_page: 50, total: data.length } });

describe('history', () => {
  it('shows who did what, and what it changed', async () => {
    const made = entry({
      ...{ id: 'e0', type: 'BuildAccepted', actor: 'system:worker', actor_name: null },
      ...{ before: null, after: { version: '1.0.0', release_notes: null } },
    });
    server.answer(page([entry({})], 2), page([made]));
    const { code, stdout } = await run('history --app com.example.shop');
    expect(code).toBe(0);
    expect(stdout).toMatch(/ci \(token:3\) +BuildPaused +5 +staging +- +status: active → paused/);
    expect(stdout).toMatch(/system:worker +BuildAccepted +5 +staging +- +version: 1\.0\.0/);
    expect(server.received.map(({ line }) => line)).toEqual([
      'GET /api/public/v1/apps/com.example.shop/history?page=1&per_page=50',
      'GET /api/public/v1/apps/com.example.shop/history?page=2&per_page=50',
    ]);
  });

  it('requests one build, filtered, and prints the response', async () => {
    server.answer(page([entry({})]));
    const { stdout } = await run('history --app 1 --build 5 --type BuildPaused --actor token:3 --from a --to b --json');
    expect(JSON.parse(stdout)).toEqual([entry({})]);
    expect(server.received[0]!.line).toBe(
      'GET /api/public/v1/apps/1/builds/5/history?page=1&per_page=50&type=BuildPaused&actor=token%3A3&from=a&to=b',
    );
  });
});

describe('history --removed', () => {
  it('asks as the owner, of one build too', async () => {
    server.answer(page([entry({})]));
    expect((await run('history --app 7 --removed --build 5 --type BuildPaused')).code).toBe(0);
    expect(server.received[0]).toMatchObject({
      line: 'GET /api/dashboard/v1/apps/7/history?page=1&per_page=50&type=BuildPaused&build=5',
      headers: { authorization: 'Bearer svc_own_secret' },
    });
  });
});

describe('build show', () => {
  it('shows a build as it once stood', async () => {
    const build = {
      ...{ id: 5, version: '1.0.0', channel: 'staging', status: 'paused', state: 'stopped', rollout_percentage: 10 },
      ...{ rollout_enabled: true, mandatory: false, file_size: 1000, checksum: 'c', signature: null },
      ...{ release_notes: 'Once', min_native_version: null, promoted_from_id: null },
      metadata: { commit: '4f2a9c1d', version: 'its own' },
      ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-02T00:00:00.000Z' },
    };
    server.answer(json(200, { data: build }));
    const { code, stdout } = await run('build show 5 --app 1 --as-of 2026-01-02T01:00:00+02:00');
    expect(code).toBe(0);
    expect(stdout).toMatch(/state +stopped\n/);
    expect(stdout).toMatch(/release notes +Once\n/);
    expect(stdout).toMatch(/version +1\.0\.0\n[^]*metadata commit +4f2a9c1d\nmetadata version +its own\n/);
    expect(server.received[0]!.line).toBe('GET /api/public/v1/apps/1/builds/5?as_of=2026-01-02T01%3A00%3A00%2B02%3A00');
  });
});
