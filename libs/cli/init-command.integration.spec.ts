import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020';
import { scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();
const path = () => join(server.folder, 'sluice.json');
const written = () => JSON.parse(readFileSync(path(), 'utf8')) as unknown;
const capacitor = () =>
  writeFileSync(
    join(server.folder, 'capacitor.config.ts'),
    `export default { appId: 'com.example.shop', webDir: 'www' };`,
  );
const init = (line: string, options: Parameters<typeof server.run>[1] = {}) =>
  server.run(['init', ...line.split(' ').filter(Boolean)], options);

it('takes everything from options', async () => {
  const { code, stdout, questions } = await init(
    '--server https://updates.example.com --app com.example.shop --channel staging --folder out/web --json',
  );
  const file = {
    server: 'https://updates.example.com',
    app: 'com.example.shop',
    channel: 'staging',
    folder: 'out/web',
  };
  expect({ code, questions, written: written() }).toEqual({ code: 0, questions: [], written: file });
  expect(JSON.parse(stdout)).toEqual({ ...file, path: path() });
  expect(server.received).toEqual([]);

  const schema = JSON.parse(readFileSync(join(__dirname, 'sluice.schema.json'), 'utf8')) as object;
  const validate = new Ajv2020({ formats: { uri: true } }).compile(schema);
  expect({ valid: validate(written()), errors: validate.errors }).toEqual({ valid: true, errors: null });
  expect(validate({ app: 'a.b', token: 'svc_pat_x' })).toBe(false);
});

it('proposes values from the app, and takes them where no person can be asked', async () => {
  capacitor();
  expect(await init('')).toMatchObject({ code: 0, questions: [] });
  expect(written()).toEqual({ server: server.address, app: 'com.example.shop', channel: 'production', folder: 'www' });
});

it('asks for each value on a terminal, and again after an invalid one', async () => {
  capacitor();
  const answers = ['', 'com.example.other', 'Beta', 'staging', '../elsewhere', ''];
  const { code, questions, stderr } = await init('', { isTTY: true, answers });
  expect(code).toBe(0);
  expect(questions).toEqual([
    `Address of the server [${server.address}]: `,
    'Numeric ID or bundle ID of the app [com.example.shop]: ',
    'Channel (production, staging, development, or another channel of the app) [production]: ',
    'Channel (production, staging, development, or another channel of the app) [production]: ',
    'Folder of the web build [www]: ',
    'Folder of the web build [www]: ',
  ]);
  expect(stderr).toContain('It must be a relative path below the folder of sluice.json');
  expect(written()).toMatchObject({ app: 'com.example.other', channel: 'staging', folder: 'www' });
});

it('asks nothing with --yes', async () => {
  capacitor();
  expect(await init('--yes', { isTTY: true })).toMatchObject({ code: 0, questions: [] });
});

it('replaces a file only with --force', async () => {
  writeFileSync(path(), '{"app":"former"}');
  const rejected = await init('--app a.b');
  expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining('sluice init --force') });
  expect(written()).toEqual({ app: 'former' });
  expect(await init('--app a.b --force')).toMatchObject({ code: 0 });
  expect(written()).toMatchObject({ app: 'a.b' });
});

it.each([
  ['', 'Name it: --app'],
  ['--app a.b --server ftp://x.example', '--server: It must be an http or https address'],
  ['--app a.b --folder /etc', '--folder: It must be a relative path'],
  ['--app a.b --channel Beta', 'The name of a channel has 1 to 63'],
])('writes nothing when called with %j', async (line, message) => {
  const { code, stderr } = await init(line);
  expect({ code, stderr, exists: existsSync(path()) }).toEqual({
    code: 2,
    stderr: expect.stringContaining(message),
    exists: false,
  });
});

it('reports a folder that it can not write to', async () => {
  const folder = join(server.folder, 'file');
  mkdirSync(join(folder, 'sluice.json'), { recursive: true });
  expect(await init('--app a.b --force', { folder })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('EISDIR'),
  });
});
