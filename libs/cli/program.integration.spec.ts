import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VERSION } from '@sluice/config';
import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();

const { run } = server;

const token = {
  id: 7,
  name: 'ci',
  permissions: ['manage'],
  all_apps: false,
  apps: [],
  status: 'active',
  expires_at: null,
};
const build = {
  id: 3,
  version: '1.0.0',
  channel: 'production',
  status: 'active',
  state: 'live',
  rollout_percentage: 100,
  file_size: null,
  checksum: null,
  signature: null,
};
const meta = { current_page: 1, last_page: 1, per_page: 50, total: 1 };

describe('help', () => {
  it('marks the options that must be given, unless they have a default', async () => {
    const { code, stdout } = await run(['upload', '--help']);
    expect(code).toBe(0);
    const [, ...options] = stdout.split(/\n {2}(?=--)/);
    const marked = options.filter((text) => /\(required\)/.test(text.replace(/\s+/g, ' ')));
    expect(options.length).toBeGreaterThan(10);
    expect(marked.map((text) => text.split(' ')[0])).toEqual(['--version']);
  });
});

describe('token', () => {
  it('is made with the owner key, and shown', async () => {
    server.answer(json(201, { data: { ...token, token: 'svc_pat_new' } }));
    const line =
      'token create --name ci --app 4 --app com.example.app --permission builds.delete --expires-in 12h --json';
    const { code, stdout, stderr } = await run(line.split(' '));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 7, token: 'svc_pat_new' });
    expect(stderr).toBe('');
    expect(server.received[0]!.line).toBe('POST /api/dashboard/v1/tokens');
    expect(server.received[0]!.headers.authorization).toBe('Bearer svc_own_secret');
    expect(JSON.parse(server.received[0]!.body.toString())).toEqual({
      name: 'ci',
      permissions: ['builds.delete'],
      all_apps: false,
      apps: [4, 'com.example.app'],
      expires_at: '2026-01-01T12:00:00.000Z',
    });
  });

  it('says when it reaches only the apps that it creates', async () => {
    server.answer(json(201, { data: { ...token, token: 'svc_pat_new' } }));
    expect((await run(['token', 'create', '--name', 'ci'])).stderr).toContain('only the apps that it creates');
    expect((await run(['token', 'create', '--name', 'ci', '--all-apps'])).stderr).not.toContain('only the apps');
  });

  it('takes the owner key from DATA_DIR when OWNER_KEY is not set', async () => {
    await writeFile(join(server.folder, 'owner.key'), 'svc_own_file\n');
    server.answer(json(200, { data: [token], meta }));
    expect((await run(['token', 'list'], { env: { OWNER_KEY: '', DATA_DIR: server.folder } })).stdout).toContain('ci');
    expect(server.received[0]!.headers.authorization).toBe('Bearer svc_own_file');

    const without = await run(['token', 'list'], { env: { OWNER_KEY: '', DATA_DIR: join(server.folder, 'absent') } });
    expect(without).toMatchObject({ code: 2, stdout: '' });
    expect(without.stderr).toContain('Set DATA_DIR');
  });

  it('is shown, and rotated, which shows its new secret', async () => {
    server.answer(json(200, { data: token }));
    expect((await run(['token', 'show', '7'])).stdout).toContain('ci');
    server.answer(json(200, { data: { ...token, token: 'svc_pat_next' } }));
    const { stdout, stderr } = await run(['token', 'rotate', '7']);
    expect(stdout).toContain('svc_pat_next');
    expect(stderr).toContain('shown this once');
    expect(server.received.map(({ line }) => line)).toEqual([
      'GET /api/dashboard/v1/tokens/7',
      'POST /api/dashboard/v1/tokens/7/rotate',
    ]);
  });

  it.each([
    ['--name new', { name: 'new' }],
    ['--all-apps', { all_apps: true }],
    ['--app 4 --app a.b', { all_apps: false, apps: [4, 'a.b'] }],
    ['--no-apps', { all_apps: false, apps: [] }],
    ['--permission keys.delete', { permissions: ['keys.delete'] }],
    ['--no-permissions', { permissions: [] }],
    ['--expires-in 12h', { expires_at: '2026-01-01T12:00:00.000Z' }],
    ['--no-expires', { expires_at: null }],
  ])('is edited: %s', async (options, changes) => {
    server.answer(json(200, { data: token }));
    const { code, stderr } = await run(['token', 'edit', '7', ...options.split(' ')]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(server.received[0]!.line).toBe('PATCH /api/dashboard/v1/tokens/7');
    expect(JSON.parse(server.received[0]!.body.toString())).toEqual(changes);
  });

  it('is revoked by id', async () => {
    server.answer(json(200, { data: { ...token, status: 'revoked' } }));
    expect((await run(['token', 'revoke', '7'])).stdout).toContain('revoked');
    expect(server.received[0]!.line).toBe('POST /api/dashboard/v1/tokens/7/revoke');
  });
});

describe('owner', () => {
  const owner = { id: 2, name: 'Ann', operator: false, key_rotated_at: null, created_at: '2026-01-01T00:00:00.000Z' };

  it.each([
    ['create --name Ann', 'POST /api/dashboard/v1/owners'],
    ['rotate-key', 'POST /api/dashboard/v1/owner/rotate-key'],
    ['rotate-key 2', 'POST /api/dashboard/v1/owners/2/rotate-key'],
  ])('%s shows the key', async (options, line) => {
    server.answer(json(200, { data: { ...owner, owner_key: 'svc_own_new' } }));
    const { code, stdout, stderr } = await run(['owner', ...options.split(' ')]);
    expect(code).toBe(0);
    expect(stdout).toContain('svc_own_new');
    expect(stderr).toContain('shown this once');
    expect(server.received[0]!.line).toBe(line);
  });

  it('list shows all of them', async () => {
    server.answer(json(200, { data: [owner], meta }));
    expect((await run(['owner', 'list'])).stdout).toContain('Ann');
  });
});

describe('lists', () => {
  it('read every page, and show an item once', async () => {
    const page = (ids: number[]) =>
      json(200, { data: ids.map((id) => ({ ...build, id })), meta: { ...meta, last_page: 3 } });
    server.answer(page([5, 4]), page([4, 3]), page([2]));
    const { stdout } = await run(['build', 'list', '--app', 'com.example/app', '--channel', 'staging', '--json']);
    expect((JSON.parse(stdout) as { id: number }[]).map(({ id }) => id)).toEqual([5, 4, 3, 2]);
    expect(server.received.map(({ line }) => line)).toEqual(
      [1, 2, 3].map((n) => `GET /api/public/v1/apps/com.example%2Fapp/builds?page=${n}&per_page=50&channel=staging`),
    );
  });

  it('show people a table that no server can colour', async () => {
    server.answer(json(200, { data: [{ id: 1, app_id: 'a.b', name: 'evil\u001b[31m', platform: 'both' }], meta }));
    const { stdout } = await run(['app', 'list'], { env: { NO_COLOR: '1' }, isTTY: true });
    expect(stdout).toContain('a.b');
    expect(stdout).not.toContain('\u001b');
  });
});

describe('the rollout of a build', () => {
  it.each([
    [['--percentage', '50'], { rollout_percentage: 50 }],
    [['--percentage', '0', '--resume'], { rollout_percentage: 0, enabled: true }],
    [['--halt'], { enabled: false }],
  ])('is changed by %j', async (options, body) => {
    server.answer(json(200, { data: build }));
    expect((await run(['build', 'rollout', '3', '--app', '1', ...options])).code).toBe(0);
    expect(server.received[0]!.line).toBe('PATCH /api/public/v1/apps/1/builds/3/rollout');
    expect(JSON.parse(server.received[0]!.body.toString())).toEqual(body);
  });
});

describe('the state of a build', () => {
  it.each([
    ['live', 100, true, 'live'],
    ['rolling_out', 20, true, 'rolling out 20%'],
    ['stopped', 20, false, 'stopped'],
    ['archived', 100, true, 'archived'],
  ])('%s at %d %% is listed and shown in one word, or two', async (state, percentage, enabled, words) => {
    const found = { ...build, state, rollout_percentage: percentage, rollout_enabled: enabled };
    server.answer(json(200, { data: [found], meta }), json(200, { data: found }));
    expect((await run(['build', 'list', '--app', '1'])).stdout).toMatch(new RegExp(`production +${words} +`));
    expect((await run(['build', 'show', '3', '--app', '1'])).stdout).toMatch(
      new RegExp(`state +${words}\\nrollout +${percentage}%\\n`),
    );
  });
});

describe('deleting an app', () => {
  const line = ['app', 'delete', 'com.example.shop'];
  const path = '/api/public/v1/apps/com.example.shop';
  const app = { id: 3, app_id: 'com.example.shop', name: 'Shop' };
  const lines = () => server.received.map((received) => received.line);

  it('asks on a terminal, by name, and takes yes alone', async () => {
    server.answer(json(200, { data: app }), json(200, { data: app }), json(200, { data: { deleted: true, id: 3 } }));
    expect(await run(line, { isTTY: true, answers: ['n'] })).toMatchObject({
      code: 1,
      questions: [expect.stringContaining('"Shop" (com.example.shop)')],
      stderr: expect.stringContaining('NOT_CONFIRMED'),
    });
    expect(await run(line, { isTTY: true, answers: ['y'] })).toMatchObject({ code: 0 });
    expect(lines()).toEqual([`GET ${path}`, `GET ${path}`, `DELETE ${path}`]);
  });

  it('does not ask with --json', async () => {
    server.answer(json(200, { data: { deleted: true, id: 3 } }));
    const { code, questions, stdout } = await run([...line, '--json'], { isTTY: true });
    expect({ code, questions, answer: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      questions: [],
      answer: { deleted: true, id: 3 },
    });
    expect(lines()).toEqual([`DELETE ${path}`]);
  });
});

describe('deleting a build', () => {
  const line = ['build', 'delete', '3', '--app', '1'];
  const lines = () => server.received.map((received) => received.line);
  const shown = 'GET /api/public/v1/apps/1/builds/3';
  const deleted = 'DELETE /api/public/v1/apps/1/builds/3';

  it.each(['y', 'Yes'])('asks on a terminal, and takes %s', async (answer) => {
    server.answer(json(200, { data: build }), json(200, { data: { deleted: true, id: 3 } }));
    const { code, questions } = await run(line, { isTTY: true, answers: [answer] });
    expect(code).toBe(0);
    expect(questions).toEqual([expect.stringContaining('1.0.0, production, live')]);
    expect(lines()).toEqual([shown, deleted]);
  });

  it.each(['', 'n', 'yesterday'])('deletes nothing after "%s"', async (answer) => {
    server.answer(json(200, { data: build }));
    const { code, stderr } = await run(line, { isTTY: true, answers: [answer] });
    expect(code).toBe(1);
    expect(stderr).toContain('NOT_CONFIRMED');
    expect(lines()).toEqual([shown]);
  });

  it.each([
    ['with --yes', ['--yes'], true],
    ['with --json', ['--json'], true],
    ['off a terminal', [], false],
  ])('asks nothing %s', async (_, more, isTTY) => {
    server.answer(json(200, { data: { deleted: true, id: 3 } }));
    const { code, questions } = await run([...line, ...more], { isTTY });
    expect({ code, questions, lines: lines() }).toEqual({ code: 0, questions: [], lines: [deleted] });
  });
});

describe('a refusal', () => {
  it('prints the code and message of a rejection, its fields and what to do', async () => {
    server.answer(
      json(422, { message: 'The given data was invalid.', errors: { bundle_id: ['is no id', 'is too long'] } }),
    );
    const people = await run(['app', 'create', '--name', 'Shop', '--bundle-id', '!']);
    expect(people).toMatchObject({ code: 1, stdout: '' });
    expect(people.stderr).toContain('could not create the app "Shop"');
    expect(people.stderr).toContain('VALIDATION_FAILED: The given data was invalid.');
    expect(people.stderr).toContain('bundle_id: is no id\n  bundle_id: is too long\n');

    const script = await run(['app', 'create', '--name', 'Shop', '--json']);
    expect(script.stdout).toBe('');
    expect(JSON.parse(script.stderr)).toEqual({
      error: {
        code: 'VALIDATION_FAILED',
        message: 'The given data was invalid.',
        details: { errors: { bundle_id: ['is no id', 'is too long'] } },
      },
    });
  });

  it.each([
    [401, { code: 'ACCESS_TOKEN_NOT_FOUND', message: 'x' }, {}, 'sluice token create'],
    [
      403,
      { code: 'TOKEN_PERMISSION_DENIED', message: 'x', details: { required_permission: 'a.b' } },
      {},
      '--permission a.b',
    ],
    [429, { code: 'RATE_LIMITED', message: 'x' }, { 'retry-after': '17' }, 'Wait 17 s'],
    [503, { code: 'SERVICE_UNAVAILABLE', message: 'x' }, { 'retry-after': '2' }, 'Wait 2 s'],
    [404, { code: 'APP_NOT_FOUND', message: 'x' }, {}, 'sluice app list'],
  ])(
    'with status %d gives advice, and is not repeated',
    async (status, error, headers: Record<string, string>, advice) => {
      server.answer(json(status, { error }, headers));
      const { code, stderr } = await run(['build', 'pause', '3', '--app', '1']);
      expect(code).toBe(1);
      expect(stderr).toContain(error.code);
      expect(stderr).toContain(advice);
      expect(server.received).toHaveLength(1);
    },
  );

  it('explains an answer that is not Sluice', async () => {
    server.answer((response) => response.writeHead(200).end('<html>'));
    expect((await run(['app', 'list'])).stderr).toContain('NOT_A_SLUICE_ANSWER');
    server.answer((response) => response.writeHead(502).end('<html>'));
    expect((await run(['app', 'list'])).stderr).toContain('HTTP_502');
    server.answer((response) => response.writeHead(301, { location: 'https://elsewhere.example/' }).end());
    expect((await run(['app', 'list'])).stderr).toContain('https://elsewhere.example/');
  });

  it('asks whether the server runs when nothing listens', async () => {
    await server.close();
    const { code, stderr } = await run(['app', 'list']);
    expect(code).toBe(1);
    expect(stderr).toContain(`Is the server running at ${server.address}?`);
    expect(stderr).not.toContain('    at ');
  });

  it.each([
    [['build', 'pause', 'x', '--app', '1']],
    [['build', 'list']],
    [['build', 'rollout', '3', '--app', '1']],
    [['build', 'rollout', '3', '--app', '1', '--halt', '--resume']],
    [['build', 'rollout', '3', '--app', '1', '--percentage', '101']],
    [['bogus']],
    [[]],
    [['token', 'create', '--name', 'x', '--all-apps', '--app', '1']],
    [['token', 'edit', '7']],
    [['token', 'edit', '7', '--all-apps', '--no-apps']],
    [['token', 'edit', '7', '--no-expires', '--expires-in', '1h']],
    [['upload', '.', '--app', '1', '--version', '1.0.0', '--channel', 'Beta']],
    [['app', 'list', '--server', 'ftp://example.com']],
    [['app', 'list', '--token', 'two\nlines']],
    [['check', '--key', 'k', '--device', 'd', '--current', '1', '--public-key', 'pem']],
  ])('of the command line is exit code 2: %j', async (commandLine) => {
    const { code, stdout, stderr } = await run(commandLine);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).not.toBe('');
    expect(stderr).not.toContain('two');
    expect(server.received).toEqual([]);
    if (commandLine.length > 0) {
      const script = await run([...commandLine, '--json']);
      expect(JSON.parse(script.stderr)).toMatchObject({ error: { code: expect.stringMatching(/^(USAGE|UNKNOWN)/) } });
    }
  });

  it('without a token says how to make one', async () => {
    const { code, stderr } = await run(['app', 'list'], { env: { SLUICE_TOKEN: '' } });
    expect(code).toBe(2);
    expect(stderr).toContain('sluice token create');
  });
});

it('prints its release', async () => {
  expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
});
