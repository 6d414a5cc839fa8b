import { readFileSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { standalone, type Deployment } from '../support/deployment';
import { management } from '../support/http';
import { sluice } from '../support/scripted-server';
import { linkCommand, runProgram, shellBlocks } from '../support/shell';

jest.setTimeout(120_000);

const GUIDE = 'docs/guides/apply.md';
const APP = 'com.example.store';

interface Change {
  readonly action: string;
  readonly subject: string;
  readonly member: string | null;
}
interface Applied {
  readonly changes: readonly Change[];
  readonly unpruned: readonly Change[];
  readonly created_keys: readonly { readonly name: string; readonly plaintext_key?: string }[];
}

const lines = (changes: readonly Change[]) =>
  changes.map(({ action, subject, member }) => [action, subject, member].filter(Boolean).join(' '));

describe('sluice apply', () => {
  let deployment: Deployment;
  let folder: string;
  let env: Record<string, string>;
  let api: ReturnType<typeof management>;
  let written = 0;

  beforeAll(async () => {
    deployment = await standalone.deploy();
    folder = temporaryDirectory();
    await linkCommand(folder);
    env = { SLUICE_SERVER: deployment.gateways[0]!, DATA_DIR: deployment.dataDir };
    const made = await run(['token', 'create', '--name', 'apply', '--all-apps', '--json']);
    env['SLUICE_TOKEN'] = (JSON.parse(made.stdout) as { token: string }).token;
    api = management(deployment.gateways[0]!, env['SLUICE_TOKEN']);
  });

  afterAll(() => deployment.destroy());

  const run = (commandLine: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    sluice(env['SLUICE_SERVER']!, folder, commandLine, { env: { OWNER_KEY: '', ...env, ...more } });

  async function write(text: string): Promise<string> {
    written += 1;
    const path = join(folder, `${written}.yaml`);
    await writeFile(path, text);
    return path;
  }

  /** Applies a file, and returns what --json printed. */
  async function apply(text: string, ...options: string[]): Promise<Applied> {
    const { code, stdout, stderr } = await run(['apply', await write(text), '--json', ...options]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as Applied;
  }

  async function failure(text: string, more: Readonly<Record<string, string>> = {}, ...options: string[]) {
    const { code, stderr } = await run(['apply', await write(text), ...options], more);
    return { code, stderr };
  }

  async function upload(version: string, app = APP): Promise<void> {
    const web = join(folder, 'www');
    await mkdir(web, { recursive: true });
    await writeFile(join(web, 'index.html'), `<h1>${version}</h1>`);
    const command = ['upload', web, '--app', app, '--version', version, '--channel', 'staging', '--wait'];
    expect(await run(command)).toMatchObject({ code: 0 });
  }

  const keys = async () =>
    (await api.get<{ data: { name: string; status: string; restrictions: object }[] }>(`/apps/${APP}/api-keys`)).body
      .data;
  const build = async (channel: string, version: string) => {
    const { body } = await api.get<{ data: { version: string }[] }>(`/apps/${APP}/builds?channel=${channel}`);
    return body.data.find((each) => each.version === version);
  };

  it(`creates what ${GUIDE} describes, word for word`, async () => {
    const page = readFileSync(join(__dirname, '..', '..', GUIDE), 'utf8');
    const [, yaml = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(page)!;
    const settings = /^settings:\n(?: .*\n)+/m.exec(yaml)![0];
    expect(lines((await apply(`app: ${APP}\n${settings}`)).changes)).toEqual([
      `create app ${APP}`,
      'change settings keep_builds',
    ]);
    await upload('1.4.0');

    await writeFile(join(folder, 'shop.yaml'), yaml);
    const [plan, run, check, ...others] = shellBlocks(GUIDE);
    expect(others).toEqual([]);
    const play = (commands = '') => runProgram(['bash', '-ec', commands], { cwd: folder, env });
    expect(await play(plan)).toMatch(/create +production 1\.4\.0 .*promoted from staging at 25%/);
    expect(await keys()).toEqual([]);
    const shown = await play(run);
    expect(shown).toMatch(/create +key installs/);
    expect(shown).not.toContain('svc_app_');
    await play(check);

    const file = join(folder, 'keys.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const secrets = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    expect(Object.keys(secrets)).toEqual(['installs', 'tests']);
    const headers = { 'x-device-id': 'd', 'x-current-version': '1.0.0', 'x-platform': 'android' };
    const address = `${deployment.devices[0]!}/api/v1/updates/check`;
    const checked = await fetch(address, { headers: { ...headers, 'x-api-key': secrets['tests']! } });
    expect(checked.status).toBe(200);
    expect(await build('production', '1.4.0')).toMatchObject({ rollout_percentage: 25, status: 'active' });
    expect((await api.get(`/apps/${APP}`)).body).toMatchObject({ data: { keep_builds: 20, description: 'The store' } });
  });

  it('changes what differs, and nothing the second time', async () => {
    const file = `
app: ${APP}
settings: { name: ' Shop ', description: null, platform: ios }
channels:
  production:
    version: 1.4.0
    rollout_percentage: 50
    rollout_enabled: false
    mandatory: true
    min_native_version: '2.0'
    release_notes: Faster
keys:
  - name: tests
  - name: installs
    restrictions:
      origins: [HTTPS://Store.example.com:443, 'https://*.Example.com']
      android: [{ package_name: com.example.store, sha256: [${'AB'.repeat(32)}] }]
`;
    const release = 'change production 1.4.0';
    const expected = [
      ...['name', 'platform', 'description'].map((member) => `change settings ${member}`),
      'change key installs restrictions',
      ...['rollout_percentage', 'rollout_enabled', 'mandatory', 'min_native_version', 'release_notes'].map(
        (member) => `${release} ${member}`,
      ),
    ];
    const planned = await apply(file, '--dry-run');
    expect(lines(planned.changes).sort()).toEqual([...expected].sort());
    expect(await failure(file, {}, '--dry-run', '--exit-code')).toMatchObject({ code: 3 });
    expect((await apply(file)).changes).toEqual(planned.changes);
    expect(await apply(file)).toMatchObject({ changes: [], unpruned: [] });
    expect(await failure(file, {}, '--dry-run', '--exit-code')).toMatchObject({ code: 0 });
    expect(await build('production', '1.4.0')).toMatchObject({
      ...{ rollout_percentage: 50, rollout_enabled: false, mandatory: true, min_native_version: '2.0' },
    });
  });

  it('promotes a build, which no device is offered before it is as described', async () => {
    await upload('1.5.0');
    const release = 'version: 1.5.0, promote_from: staging, status: paused, rollout_percentage: 40';
    const file = `{ app: ${APP}, channels: { production: { ${release} } } }`;
    expect(lines((await apply(file)).changes)).toEqual(['create production 1.5.0', 'change production 1.5.0 status']);
    const found = (await build('production', '1.5.0')) as unknown as { id: number };
    expect(found).toMatchObject({ status: 'paused', rollout_percentage: 40 });
    const { body } = await api.get<{ data: { type: string; after: object | null }[] }>(
      `/apps/${APP}/builds/${found.id}/history`,
    );
    const history = body.data.map(({ type, after }) => [type, after]).reverse();
    expect(history).toMatchObject([
      ['BuildPromoted', { rollout_percentage: 0 }],
      ['BuildPaused', {}],
      ['RolloutChanged', { rollout_percentage: 40 }],
    ]);
    expect((await apply(file)).changes).toEqual([]);
    expect(lines((await apply(file.replace('paused', 'active'))).changes)).toEqual(['change production 1.5.0 status']);
  });

  it('asks on a terminal, and overwrites no build that changed since', async () => {
    const path = await write(`{ app: ${APP}, channels: { production: { version: 1.5.0, mandatory: true } } }`);
    const { id } = (await build('production', '1.5.0')) as unknown as { id: number };
    const answer = (change: () => Promise<unknown>, text: string) => async () => {
      await change();
      return text;
    };
    const asked = async (reply: () => Promise<string>) => {
      const options = { env: { ...env, OWNER_KEY: '' }, isTTY: true, answers: [reply] };
      return sluice(env['SLUICE_SERVER']!, folder, ['apply', path], options);
    };
    expect(await asked(answer(() => Promise.resolve(), 'n'))).toMatchObject({
      ...{ code: 1, questions: [`Apply this to ${APP}? [y/N] `], stderr: expect.stringContaining('NOT_CONFIRMED') },
    });
    const edit = () => api.patch(`/apps/${APP}/builds/${id}`, { release_notes: 'Meanwhile' });
    expect(await asked(answer(edit, 'y'))).toMatchObject({ code: 1, stderr: expect.stringContaining('BUILD_CHANGED') });
    expect(await build('production', '1.5.0')).toMatchObject({ mandatory: false, release_notes: 'Meanwhile' });
    expect(await asked(answer(() => Promise.resolve(), 'y'))).toMatchObject({ code: 0 });
    expect(await build('production', '1.5.0')).toMatchObject({ mandatory: true });
  });

  it('removes nothing without --prune', async () => {
    await upload('1.6.0');
    await upload('1.7.0');
    const file = `{ app: ${APP}, settings: { keep_builds: 1 }, keys: [{ name: installs }, { name: spare }] }`;
    const expected = ['remove key tests', 'remove settings keep_builds'];
    const first = await apply(file);
    expect(lines(first.changes)).toEqual(['create key spare']);
    expect(first.created_keys).toEqual([
      { id: expect.any(Number), name: 'spare', plaintext_key: expect.stringMatching(/^svc_app_/) },
    ]);
    expect(lines(first.unpruned).sort()).toEqual(expected);
    expect((await keys()).map(({ name, status }) => `${name} ${status}`)).toEqual([
      'installs active',
      'tests active',
      'spare active',
    ]);

    expect(lines((await apply(file, '--prune')).changes).sort()).toEqual(expected);
    expect((await keys()).map(({ name, status }) => `${name} ${status}`)).toEqual([
      'installs active',
      'tests revoked',
      'spare active',
    ]);
    expect(await apply(file, '--prune')).toMatchObject({ changes: [], unpruned: [] });
  });

  it.each<[string, string, Readonly<Record<string, string>>, number, RegExp]>([
    [
      'a missing build',
      `{ app: ${APP}, channels: { production: { version: 9.0.0 } } }`,
      {},
      2,
      /\.yaml:1:\d+: channels\.production\.version: The channel has no build 9\.0\.0/,
    ],
    [
      'a missing source',
      `{ app: ${APP}, channels: { production: { version: 9.0.0, promote_from: staging } } }`,
      {},
      2,
      /promote_from: The channel staging has no build 9\.0\.0 either/,
    ],
    [
      'a mistake in the file',
      `app: ${APP}\nkeys:\n  - title: x\n`,
      {},
      2,
      /\.yaml:3:5: keys\.0\.title: There is no such field/,
    ],
    ['an app that is out of reach', '{ app: com.example.none }', {}, 1, /APP_NOT_FOUND/],
    [
      'a setting of the owner without the owner key',
      `{ app: ${APP}, settings: { unique_signatures: true, name: Other } }`,
      { DATA_DIR: '/nonexistent' },
      2,
      /There is no owner key/,
    ],
    ['a keys file that exists', `{ app: ${APP}, keys: [{ name: another }] }`, {}, 1, /EEXIST/],
  ])('changes nothing with %s', async (_, file, more, code, message) => {
    const before = (await api.get(`/apps/${APP}/history`)).body;
    expect(await failure(file, more, '--keys-file', join(folder, 'keys.json'))).toEqual({
      code,
      stderr: expect.stringMatching(message),
    });
    expect((await api.get(`/apps/${APP}/history`)).body).toEqual(before);
  });

  it('reports two keys of one name', async () => {
    await api.post(`/apps/${APP}/api-keys`, { name: 'spare' });
    expect(await failure(`{ app: ${APP}, keys: [{ name: spare }] }`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('several keys named spare'),
    });
  });
});
