import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();
const path = () => join(server.folder, 'config', 'sluice', 'credentials.json');
const stored = () => JSON.parse(readFileSync(path(), 'utf8')) as { current?: string; servers: object };
const info = { name: 'laptop', permissions: ['manage'], all_apps: true, apps: [], expires_at: null };
const env = { SLUICE_TOKEN: '' };
const meta = { current_page: 1, last_page: 1, per_page: 50, total: 0 };

beforeEach(() =>
  server.answer((response, { line }) => json(200, { data: line.endsWith('/token') ? info : [], meta })(response)),
);
const login = (token: string, ...options: string[]) => server.run(['login', ...options], { env, answers: [token] });

it('checks the token, and stores it for the user alone', async () => {
  const { code, stdout, stderr, questions } = await login(' svc_pat_mine\n');
  expect({ code, questions }).toEqual({ code: 0, questions: [`Access token for ${server.address}: `] });
  expect(stdout + stderr).not.toContain('svc_pat_mine');
  expect(stdout).toContain('laptop');
  expect(server.received[0]).toMatchObject({
    line: 'GET /api/public/v1/token',
    headers: { authorization: 'Bearer svc_pat_mine' },
  });
  expect(stored()).toEqual({ current: server.address, servers: { [server.address]: { token: 'svc_pat_mine' } } });
  if (process.platform === 'win32') return;
  expect(statSync(path()).mode & 0o777).toBe(0o600);
  expect(statSync(join(path(), '..')).mode & 0o777).toBe(0o700);
});

it('is used by later commands, for this server alone', async () => {
  await login('svc_pat_mine', '--server', `${server.address}/`);
  expect(await server.run(['app', 'list'], { env })).toMatchObject({ code: 0 });
  expect(await server.run(['app', 'list'], { env: { ...env, SLUICE_SERVER: '' } })).toMatchObject({ code: 0 });
  expect(server.received.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer svc_pat_mine'));

  const elsewhere = await server.run(['app', 'list', '--server', 'http://127.0.0.1:9'], { env });
  expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('No access token was given') });
});

it('comes after the option and SLUICE_TOKEN', async () => {
  await login('svc_pat_mine');
  await server.run(['app', 'list'], { env: { SLUICE_TOKEN: 'svc_pat_variable' } });
  await server.run(['app', 'list', '--token', 'svc_pat_option'], { env: { SLUICE_TOKEN: 'svc_pat_variable' } });
  expect(server.received.slice(1).map(({ headers }) => headers.authorization)).toEqual([
    'Bearer svc_pat_variable',
    'Bearer svc_pat_option',
  ]);
});

it('stores nothing that the server rejects', async () => {
  server.answer(json(401, { error: { code: 'ACCESS_TOKEN_NOT_FOUND', message: 'x' } }));
  expect(await login('svc_pat_wrong')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ACCESS_TOKEN_NOT_FOUND'),
  });
  expect(existsSync(path())).toBe(false);
});

it.each([
  ['', 'No access token was given'],
  ['svc_own_secret', 'This is an owner key'],
])('sends nothing for the token %j', async (token, message) => {
  const { code, stderr } = await login(token);
  expect({ code, stderr, received: server.received }).toEqual({
    code: 2,
    stderr: expect.stringContaining(message),
    received: [],
  });
  expect(stderr).not.toContain('svc_own_secret');
});

it('never takes the token from the command line', async () => {
  const { code, stderr } = await server.run(['login', '--token', 'svc_pat_mine'], { env });
  expect({ code, received: server.received }).toEqual({ code: 2, received: [] });
  expect(stderr).toContain("unknown option '--token'");
});

it('keeps the login of each server, until its logout', async () => {
  await login('svc_pat_first');
  const other = `${server.address}/other`;
  await login('svc_pat_second', '--server', other);
  expect(await server.run(['logout'], { env })).toMatchObject({ code: 0 });
  expect(stored()).toEqual({ current: other, servers: { [other]: { token: 'svc_pat_second' } } });
  expect(await server.run(['logout'], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No access token is stored'),
  });
  expect(await server.run(['logout', '--server', other], { env })).toMatchObject({ code: 0 });
  expect(existsSync(path())).toBe(false);
});

it('never shows what a damaged file holds', async () => {
  await login('svc_pat_mine');
  writeFileSync(path(), '{"servers":{"x":{"token": svc_pat_mine}}}');
  const { code, stderr } = await server.run(['app', 'list'], { env });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('does not hold the logins') });
  expect(stderr).not.toContain('svc_pat_mine');
});

it('shows who one is', async () => {
  const { code, stdout } = await server.run(['whoami', '--json']);
  expect({ code, shown: JSON.parse(stdout) as unknown }).toEqual({
    code: 0,
    shown: { server: server.address, ...info },
  });
  expect(server.received[0]!.line).toBe('GET /api/public/v1/token');
});
