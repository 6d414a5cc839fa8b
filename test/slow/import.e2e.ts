import { createServer, type Server } from 'node:http';
import { mkdir, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { ApiKey, App, AppChannel, Build } from '@sluice/contracts';
import { temporaryDirectory } from '@sluice/testing';
import { encryptForCapgo, newCapgoKeys } from '../support/capgo-encryption';
import { standalone, type Deployment } from '../support/deployment';
import { management } from '../support/http';
import { sluice } from '../support/scripted-server';
import { linkCommand, runProgram, shellBlocks } from '../support/shell';
import { zipOf } from '../support/zip';

jest.setTimeout(120_000);

const DEPLOYMENT_KEY = 'Production-Key-of-codepush_1';

interface Imported {
  readonly steps: readonly { readonly action: string; readonly what: string; readonly note: string | null }[];
  readonly failed: readonly { readonly what: string; readonly message: string }[];
}

/** A folder with these files; what is neither bytes nor text is written as JSON. */
async function exportOf(files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = temporaryDirectory();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    const isData = typeof content === 'string' || Buffer.isBuffer(content);
    await writeFile(join(folder, name), isData ? content : JSON.stringify(content));
  }
  return folder;
}

describe('sluice import', () => {
  let deployment: Deployment;
  let env: Record<string, string>;
  let api: ReturnType<typeof management>;
  let former: Server;

  beforeAll(async () => {
    deployment = await standalone.deploy();
    env = { OWNER_KEY: '', SLUICE_SERVER: deployment.gateways[0]!, DATA_DIR: deployment.dataDir };
    const made = await run(['token', 'create', '--name', 'import', '--all-apps', '--json']);
    env['SLUICE_TOKEN'] = (JSON.parse(made.stdout) as { token: string }).token;
    api = management(deployment.gateways[0]!, env['SLUICE_TOKEN']);
    const bundle = await zipOf({ 'CodePush/index.android.bundle': 'two' });
    former = createServer((request, response) => {
      response.statusCode = request.url === '/v2' ? 200 : 404;
      response.end(request.url === '/v2' ? bundle : '');
    });
    await new Promise<void>((resolve) => former.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    former.close();
    await deployment.destroy();
  });

  const run = (line: readonly string[]) => sluice(env['SLUICE_SERVER']!, temporaryDirectory(), line, { env });
  const blob = (name: string) => `http://127.0.0.1:${(former.address() as AddressInfo).port}/${name}`;

  async function newApp(bundle_id: string): Promise<string> {
    await api.post('/apps', { name: bundle_id, bundle_id });
    return `/apps/${bundle_id}`;
  }

  async function imported(service: string, folder: string, app: string, ...more: string[]) {
    const { code, stdout, stderr } = await run(['import', service, folder, '--app', app, '--json', ...more]);
    if (stdout === '') throw new Error(stderr);
    return { code, ...(JSON.parse(stdout) as Imported) };
  }
  const actions = ({ steps }: Imported) => steps.map(({ action, what }) => `${action} ${what}`);
  const read = async <T>(path: string) => (await api.get<{ data: T }>(path)).body.data;

  it('imports releases and keys of CodePush, continues after a fault, and repeats nothing', async () => {
    const app = 'com.example.codepush';
    const path = await newApp(app);
    const release = { appVersion: '>=1.0.0', isDisabled: false, isMandatory: false, rollout: null, description: '' };
    const folder = await exportOf({
      'deployments.json': [{ name: 'Production', key: DEPLOYMENT_KEY }, { name: 'Beta' }],
      'Production.json': [
        { ...release, label: 'v1', packageHash: 'one', blobUrl: blob('gone') },
        { ...release, label: 'v2', packageHash: 'two', blobUrl: blob('v2'), isMandatory: true, description: 'Fix' },
        { ...release, label: 'v3', packageHash: 'three', blobUrl: blob('gone'), isDisabled: true },
      ],
      'Beta.json': [{ ...release, label: 'v1', packageHash: 'beta', rollout: 25 }],
      'beta.zip': await zipOf({ 'CodePush/index.android.bundle': 'beta' }),
      'one.zip': 'no zip',
    });

    const plan = await imported('codepush', folder, app, '--dry-run');
    expect(actions(plan)).toEqual([
      'import channel',
      'import codepush Production v1',
      'import codepush Production v2',
      'skip codepush Production v3',
      'import codepush Beta v1',
      'import key codepush Production',
    ]);
    expect((await read<AppChannel[]>(`${path}/channels`)).map(({ name }) => name)).not.toContain('beta');

    const first = await imported('codepush', folder, app, '--platform', 'android');
    expect([first.code, first.failed.map(({ what }) => what)]).toEqual([1, ['codepush Production android v1']]);
    await writeFile(join(folder, 'one.zip'), await zipOf({ 'CodePush/index.android.bundle': 'one' }));
    const second = await imported('codepush', folder, app, '--platform', 'android');
    expect([second.code, second.failed]).toEqual([0, []]);
    expect(second.steps[0]?.note).toBe('The channel has version 1.0.2.');
    expect(actions(second)).toEqual([
      'skip codepush Production android v1',
      'present codepush Production android v2',
      'skip codepush Production android v3',
      'present codepush Beta android v1',
      'import key codepush Production android',
    ]);

    const builds = (await read<Build[]>(`${path}/builds`)).filter(({ status }) => status === 'active');
    const facts = builds.map(({ version, channel, native_range, mandatory, platform, release_notes, metadata }) => ({
      ...{ version, channel, native_range, mandatory, platform, release_notes, from: metadata['imported_from'] },
    }));
    const common = { native_range: '>=1.0.0', platform: 'android' };
    expect(facts.toSorted((left, right) => left.version.localeCompare(right.version))).toEqual([
      {
        ...{ ...common, version: '1.0.1', channel: 'beta', mandatory: false, release_notes: null },
        from: 'codepush Beta android v1',
      },
      {
        ...{ ...common, version: '1.0.2', channel: 'production', mandatory: true, release_notes: 'Fix' },
        from: 'codepush Production android v2',
      },
    ]);
    expect(builds.find(({ channel }) => channel === 'beta')?.rollout_percentage).toBe(25);
    const keys = await read<ApiKey[]>(`${path}/channels/production/keys`);
    expect(keys).toMatchObject([{ name: 'codepush Production android', platform: 'android' }]);

    // The app for the other platform has the same deployments and labels.
    await writeFile(join(folder, 'deployments.json'), JSON.stringify([{ name: 'Production', key: 'Ios-Key_1234' }]));
    expect((await imported('codepush', folder, app, '--platform', 'ios')).failed).toEqual([]);
    const ofIos = (await read<Build[]>(`${path}/builds`)).filter(({ platform }) => platform === 'ios');
    expect(ofIos.map(({ version }) => version).toSorted()).toEqual(['1.0.1', '1.0.2']);
    expect(await read<ApiKey[]>(`${path}/channels/production/keys`)).toHaveLength(2);
  });

  it('imports what the channels of Capgo serve, and their names', async () => {
    const app = 'com.example.capgo';
    const { file, delivery } = encryptForCapgo(await zipOf({ 'index.html': 'encrypted' }), newCapgoKeys());
    const path = await newApp(app);
    const folder = await exportOf({
      'channels.json': [
        { name: 'Beta Testers', version: { name: '2.1.0' }, allow_device_self_set: true },
        { name: 'staging', version: { name: '2.2.0' } },
      ],
      'bundles.json': [
        { name: '2.1.0', comment: 'Nicer' },
        { name: '2.2.0', ...delivery.capgo },
      ],
      '2.2.0.zip': file,
      '2.1.0.zip': await zipOf({ 'index.html': 'capgo' }),
    });
    expect((await imported('capgo', folder, app)).code).toBe(0);
    expect(actions(await imported('capgo', folder, app))).toEqual([
      ...['present capgo Beta Testers 2.1.0', 'present capgo staging 2.2.0'],
    ]);
    expect((await read<App>(path)).channel_aliases).toEqual({ 'Beta Testers': 'beta-testers' });
    expect(await read<AppChannel>(`${path}/channels/beta-testers`)).toMatchObject({ self_assign: true });
    expect(await read<Build[]>(`${path}/builds`)).toMatchObject([
      { version: '2.2.0', channel: 'staging', status: 'active', file_size: file.length, delivery },
      { version: '2.1.0', channel: 'beta-testers', status: 'active', release_notes: 'Nicer' },
    ]);
  });

  it('imports a bucket of hot-updater', async () => {
    const app = 'com.example.hotupdater';
    const path = await newApp(app);
    const [one, two] = ['0198a408-8f13-7d9b-8df4-123456789abc', '0198a409-8f13-7d9b-8df4-123456789abc'];
    const bundle = { channel: 'production', platform: 'ios', enabled: true, targetAppVersion: '1.x' };
    const folder = await exportOf({
      'production/ios/1.x/update.json': [
        { ...bundle, id: two, shouldForceUpdate: true },
        { ...bundle, id: one },
      ],
      [`${one}/bundle.zip`]: await zipOf({ 'index.ios.bundle': '1', BUNDLE_ID: one }),
      [`${two}/bundle.zip`]: await zipOf({ 'index.ios.bundle': '2', BUNDLE_ID: two }),
    });
    expect((await imported('hot-updater', folder, app, '--versions', '3.2')).code).toBe(0);
    const builds = await read<Build[]>(`${path}/builds`);
    expect(builds.map(({ version, metadata }) => [version, metadata['imported_from']]).toSorted()).toEqual([
      ['3.2.1', `hot-updater ${one}`],
      ['3.2.2', `hot-updater ${two}`],
    ]);
  });

  it('runs the commands of the guide', async () => {
    const release = { label: 'v1', packageHash: 'one', appVersion: '*' };
    const folder = await exportOf({
      'codepush-export/deployments.json': [{ name: 'Production' }],
      'codepush-export/Production.json': [release],
      'codepush-export/one.zip': await zipOf({ 'CodePush/main.jsbundle': '1' }),
      'capgo-export/channels.json': [{ name: 'production', version: { name: '1.0.0' } }],
      'capgo-export/bundles.json': [{ name: '1.0.0' }],
      'capgo-export/1.0.0.zip': await zipOf({ 'index.html': '1' }),
      'bucket/production/ios/1.x/update.json': [
        { id: '0a', channel: 'production', platform: 'ios', enabled: true, targetAppVersion: '1.x' },
      ],
      'bucket/0a/bundle.zip': await zipOf({ 'main.jsbundle': '1', BUNDLE_ID: '0a' }),
    });
    for (const app of ['shop', 'notes', 'radio']) await newApp(`com.example.${app}`);
    const lines = shellBlocks('docs/guides/import.md').flatMap((block) => block.trim().split('\n'));
    await linkCommand(folder);
    for (const line of lines) await runProgram(line.split(' '), { cwd: folder, env });
    for (const app of ['shop', 'notes', 'radio']) {
      expect(await read<Build[]>(`/apps/com.example.${app}/builds`)).toMatchObject([{ status: 'active' }]);
    }
  });

  it('says what is wrong with an export, and changes nothing', async () => {
    const line = ['import', 'codepush', await exportOf({}), '--app', 'com.example.codepush'];
    const { code, stderr } = await run(line);
    expect([code, stderr]).toEqual([1, expect.stringContaining('deployments.json')]);
    expect((await run(['import', 'codepush', '.', '--app', 'com.example.codepush', '--versions', '1'])).code).toBe(2);
  });
});
