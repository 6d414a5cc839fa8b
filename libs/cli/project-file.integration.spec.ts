import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();
const meta = { current_page: 1, last_page: 1, per_page: 50, total: 0 };
const write = (value: object | string) =>
  writeFileSync(join(server.folder, 'sluice.json'), typeof value === 'string' ? value : JSON.stringify(value));
const listed = () => server.received.map(({ line }) => /^GET \S+?\/apps\/([^/]+)\/builds/.exec(line)?.[1]);

beforeEach(() => server.answer(json(200, { data: [], meta })));

describe('the app and the server', () => {
  it('are taken from sluice.json, also in a folder below', async () => {
    write({ app: 'com.example.shop', server: server.address });
    const folder = join(server.folder, 'src', 'deep');
    mkdirSync(folder, { recursive: true });
    expect(await server.run(['build', 'list'], { folder, env: { SLUICE_SERVER: '' } })).toMatchObject({ code: 0 });
    expect(listed()).toEqual(['com.example.shop']);
  });

  it('are taken from the option, else the environment, else sluice.json', async () => {
    write({ app: 'file', server: 'http://127.0.0.1:9' });
    await server.run(['build', 'list', '--app', 'option'], { env: { SLUICE_APP: 'environment' } });
    await server.run(['build', 'list'], { env: { SLUICE_APP: 'environment' } });
    await server.run(['build', 'list'], { env: { SLUICE_SERVER: 'http://127.0.0.1:9' } });
    await server.run(['build', 'list', '--server', server.address], { env: { SLUICE_SERVER: 'http://127.0.0.1:9' } });
    expect(listed()).toEqual(['option', 'environment', 'file']);
  });

  it('are not taken from a nearer folder than the nearest file', async () => {
    write({ app: 'outer' });
    const folder = join(server.folder, 'inner');
    mkdirSync(folder);
    writeFileSync(join(folder, 'sluice.json'), '{"app":"inner"}');
    await server.run(['build', 'list'], { folder });
    expect(listed()).toEqual(['inner']);
  });

  it('must be named somewhere', async () => {
    expect(await server.run(['build', 'list'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("required option '--app <id>' not specified"),
    });
  });

  it('do not come from sluice.json for a token that is made for apps', async () => {
    write({ app: 'file' });
    server.answer(json(201, { data: { id: 1, name: 'ci', permissions: [], apps: [], token: 'svc_pat_new' } }));
    expect(await server.run(['token', 'create', '--name', 'ci', '--all-apps'])).toMatchObject({ code: 0 });
    expect(JSON.parse(server.received[0]!.body.toString())).toMatchObject({ all_apps: true, apps: [] });
  });
});

describe('the channel', () => {
  it.each([
    [{ SLUICE_CHANNEL: 'development' }, 'development'],
    [{}, 'staging'],
  ] as const)('of an update check with %j is %s', async (env, channel) => {
    write({ channel: 'staging' });
    server.answer(json(200, { available: false, message: 'None.' }));
    await server.run(['check', '--key', 'k', '--device', 'd', '--current', '1.0.0'], { env });
    expect(server.received[0]!.line).toBe(`GET /api/v1/updates/check?channel=${channel}`);
  });

  it('does not filter a list of builds', async () => {
    write({ app: 'a.b', channel: 'staging' });
    await server.run(['build', 'list']);
    expect(server.received[0]!.line).not.toContain('channel');
  });

  it('must have the form of a name', async () => {
    const env = { SLUICE_CHANNEL: 'Beta' };
    expect(await server.run(['check', '--key', 'k', '--device', 'd', '--current', '1'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('SLUICE_CHANNEL: The name of a channel has 1 to 63 lower-case letters'),
    });
  });
});

it('uploads the folder of sluice.json, wherever the command runs', async () => {
  write({ app: 'a.b', channel: 'staging', folder: 'www' });
  mkdirSync(join(server.folder, 'www'));
  writeFileSync(join(server.folder, 'www', 'index.html'), '<h1>Hello</h1>');
  mkdirSync(join(server.folder, 'src'));
  const build = { id: 3, version: '1.0.0', channel: 'staging', status: 'processing' };
  server.answer(json(202, { data: { job_id: 'job', status_url: 'url', build } }));
  const uploaded = await server.run(['upload', '--version', '1.0.0'], { folder: join(server.folder, 'src') });
  expect(uploaded).toMatchObject({ code: 0, stderr: expect.stringContaining('Zipped 1 file of www') });
  expect(server.received.at(-1)!.body.toString('latin1')).toContain('name="channel"\r\n\r\nstaging');
});

describe('the owner key', () => {
  it('is not sent to a server that only sluice.json names', async () => {
    write({ server: server.address });
    const { code, stderr } = await server.run(['token', 'list'], { env: { SLUICE_SERVER: '' } });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('which is never sent to the server of sluice.json'),
    });
    expect(server.received).toEqual([]);
    expect(await server.run(['token', 'list'])).toMatchObject({ code: 0 });
  });
});

describe('an invalid sluice.json', () => {
  it.each([
    ['{"app":', 'is not valid JSON'],
    [
      { app: 'a.b', token: 'svc_pat_x' },
      'token: there is no such field. Allowed are server, app, channel and folder, and never a secret.',
    ],
    [{ app: 'a.b', channel: 'Beta' }, 'channel: The name of a channel has'],
    [{ app: 'a.b', server: 'ftp://x.example' }, 'server: It must be an http or https address'],
    [{ app: 'a.b', server: 'https://user:secret@x.example' }, 'server: It must be an http or https address'],
    [{ app: 'a.b', folder: '../other' }, 'folder: It must be a relative path'],
    [{ app: 'a.b', folder: 'a/../../b' }, 'folder: It must be a relative path'],
    [{ app: 7 }, 'app: Invalid input'],
    [[], 'the file: Invalid input'],
  ])('%j is reported by file and member', async (value, message) => {
    write(value);
    const { code, stderr } = await server.run(['build', 'list']);
    expect(code).toBe(2);
    expect(stderr).toContain(join(server.folder, 'sluice.json'));
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('svc_pat_x');
    expect(server.received).toEqual([]);
  });

  it('does not hide the help', async () => {
    write('{');
    expect(await server.run(['build', 'list', '--help'])).toMatchObject({ code: 0 });
  });
});
