import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Build } from '@sluice/contracts';
import { readPreview } from '@sluice/device/preview';
import { temporaryDirectory } from '@sluice/testing';
import { parseYaml } from '@redocly/openapi-core';
import { unzipSync } from 'fflate';
import { standalone, type Deployment } from '../support/deployment';
import { checkUpdate, management, sha256 } from '../support/http';
import { sluice } from '../support/process';
import { runProgram, writeProgram } from '../support/shell';
import { runSteps, type WorkflowStep } from '../support/workflow-steps';

const ROOT = join(__dirname, '..', '..');
const APP = 'com.example.shop';
const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

interface Workflow {
  readonly jobs: Readonly<
    Record<string, { readonly env: Readonly<Record<string, string>>; readonly steps: WorkflowStep[] }>
  >;
}

const COMMIT = '4f2a9c1d0e5b6a7c8d9e0f1a2b3c4d5e6f7a8b9c';
/** What GitHub's runner sets for a run that a tag started. */
const RUNNER = {
  ...{ GITHUB_ACTIONS: 'true', GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'shop/app' },
  ...{ GITHUB_SHA: COMMIT, GITHUB_RUN_ID: '7', GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v1.0.0' },
};

/** The fenced blocks of a section of docs/guides/ci.md, by the file name in their first line; one without is `once`. */
function blocksOf(heading: string): ReadonlyMap<string, string> {
  const page = readFileSync(join(ROOT, 'docs', 'guides', 'ci.md'), 'utf8');
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`docs/guides/ci.md has no section "${heading}".`);
  return new Map(
    [...section.matchAll(/^```(?:sh|yaml)\n([\s\S]*?)^```$/gm)].map(([, text = '']) => [
      /^# (?:\S*\/)?([\w.-]+\.(?:sh|yml))/.exec(text)?.[1] ?? 'once',
      text,
    ]),
  );
}

const missing = ['curl', 'jq', 'zip'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined);

/** What `gh` of GitHub's runner does with comments, in a file. */
const GH = `#!/bin/sh
case "$1 $2" in
  'pr view') cat "$HOME/comments" 2> /dev/null || true ;;
  'pr comment') printf '%s\\n\\n' "$5" >> "$HOME/comments" && echo "$3" >> "$HOME/commented" ;;
  *) exit 1 ;;
esac
`;

/** Installs the command of this checkout in place of the published one. All else is npm's. */
const NPM = `#!/bin/sh
bin=$(dirname "$0")
case "$*" in
  'install --global --ignore-scripts @sluice/cli@${VERSION}') ln -sf '${ROOT}/dist/libs/cli/main.js' "$bin/sluice" ;;
  *) PATH=\${PATH#"$bin:"} && exec npm "$@" ;;
esac
`;

jest.setTimeout(120_000);

describe('docs/guides/ci.md, word for word', () => {
  let deployment: Deployment;
  let scratch: string;
  let token: string;
  let key: string;
  let home: string;
  let path: string;
  let devices = 0;

  const address = () => deployment.gateways[0]!;
  const secrets = () => ({ SLUICE_SERVER: address(), SLUICE_TOKEN: token, APP });

  /** What a machine of a CI starts with. */
  const machine = () => ({ HOME: home, PATH: path });
  const play = (shell: readonly string[], cwd: string, env: Readonly<Record<string, string>>) =>
    runProgram(shell, { cwd, env: { ...machine(), ...env } });

  /** The checked out repository of an app whose build writes `www`. */
  async function checkout(name: string, content: string): Promise<string> {
    const folder = join(scratch, name);
    await mkdir(folder);
    const build = `mkdir -p www/assets && printf '%s' '${content}' > www/index.html && echo 1 > www/assets/one.js`;
    const facts = { name: 'shop', version: '0.0.0', private: true, scripts: { build } };
    await writeFile(join(folder, 'package.json'), JSON.stringify(facts));
    const lock = { name: 'shop', version: '0.0.0', lockfileVersion: 3, packages: { '': { name: 'shop' } } };
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
    return folder;
  }

  /** Runs the steps of a workflow's one job. */
  async function runWorkflow(
    text: string,
    cwd: string,
    expressions: Readonly<Record<string, string>>,
    runner: Readonly<Record<string, string>> = RUNNER,
  ): Promise<void> {
    const [job] = Object.values((parseYaml(text) as Workflow).jobs);
    await runSteps(job!.steps, { cwd, env: job!.env, machine: { ...machine(), ...runner }, expressions });
  }

  /** How many of so many new devices are offered the version. */
  async function offered(version: string, count: number): Promise<number> {
    let updates = 0;
    for (let device = 0; device < count; device += 1) {
      devices += 1;
      const { body } = await checkUpdate(deployment.devices[0]!, key, `device-${devices}`, '0.1.0');
      if (body.available && body.version === version) updates += 1;
    }
    return updates;
  }

  /** Of the build in production. */
  async function metadataOf(version: string) {
    const path = `/apps/${APP}/builds?channel=production`;
    const { body } = await management(address(), token).get<{ data: Pick<Build, 'version' | 'metadata'>[] }>(path);
    return body.data.find((build) => build.version === version)?.metadata;
  }

  async function expectATenth(version: string): Promise<void> {
    const updates = await offered(version, 200);
    expect(updates).toBeGreaterThan(0);
    expect(updates).toBeLessThan(100);
  }

  /** What a device downloads and unpacks is what was built. */
  async function expectDelivered(version: string, content: string): Promise<void> {
    expect(await offered(version, 20)).toBe(20);
    const { body } = await checkUpdate(deployment.devices[0]!, key, 'downloading', '0.1.0');
    const bundle = new Uint8Array(await (await fetch(body.downloadUrl)).arrayBuffer());
    expect(sha256(bundle)).toBe(body.checksum);
    const files = unzipSync(bundle);
    expect(Buffer.from(files['index.html']!).toString()).toBe(content);
    expect(Buffer.from(files['assets/one.js']!).toString()).toBe('1\n');
  }

  beforeAll(async () => {
    deployment = await standalone.deploy();
    scratch = temporaryDirectory();
    home = join(scratch, 'home');
    await mkdir(home);
    path = await writeProgram(home, 'npm', NPM);
    await writeProgram(home, 'gh', GH);
    const owner = { SLUICE_SERVER: address(), DATA_DIR: deployment.dataDir };
    const made = await sluice(['token', 'create', '--name', 'owner', '--all-apps', '--json'], owner);
    const api = management(address(), (JSON.parse(made.stdout) as { token: string }).token);
    expect((await api.post('/apps', { name: 'Shop', bundle_id: APP })).status).toBe(201);
    const { body } = await api.post<{ data: { plaintext_key: string } }>(`/apps/${APP}/api-keys`, { name: 'installs' });
    key = body.data.plaintext_key;

    const makeToken = blocksOf('Before the first release').get('once')!;
    token = (await play(['sh', '-c', makeToken], ROOT, owner)).trim();
  });

  afterAll(() => deployment.destroy());

  it('makes a token that reaches the app alone and may delete nothing', async () => {
    const { body } = await management(address(), token).get('/token');
    expect(body.data).toMatchObject({ permissions: ['manage'], all_apps: false, apps: [{ app_id: APP }] });
  });

  it('releases from GitHub Actions, raises, halts and resumes', async () => {
    const workflows = blocksOf('GitHub Actions');
    const folder = await checkout('actions', '<h1>One</h1>');
    const expressions = {
      'github.ref_name': 'v1.0.0',
      'vars.SLUICE_SERVER': address(),
      'secrets.SLUICE_TOKEN': token,
      'inputs.version': '1.0.0',
      'inputs.percentage': '100',
    };
    await runWorkflow(workflows.get('release.yml')!, folder, expressions);
    expect(await metadataOf('1.0.0')).toEqual({
      ...{ commit: COMMIT, commit_url: `https://github.com/shop/app/commit/${COMMIT}`, tag: 'v1.0.0' },
      ...{ repository: 'https://github.com/shop/app', run_url: 'https://github.com/shop/app/actions/runs/7' },
    });
    await expectATenth('1.0.0');
    const rollout = (change: string) =>
      runWorkflow(workflows.get('rollout.yml')!, folder, { ...expressions, 'inputs.change': change });
    await rollout('raise');
    await expectDelivered('1.0.0', '<h1>One</h1>');
    await rollout('halt');
    expect(await offered('1.0.0', 20)).toBe(0);
    await rollout('resume');
    expect(await offered('1.0.0', 20)).toBe(20);
  });

  it('makes one preview of a pull request and comments its address once', async () => {
    const workflow = blocksOf('Previews of pull requests').get('preview.yml')!;
    const expressions = {
      ...{ 'github.event.number': '9', 'vars.SLUICE_SERVER': address() },
      ...{ 'secrets.SLUICE_TOKEN': token, 'github.token': 'ghs_x' },
    };
    const push = async (run: string) =>
      runWorkflow(workflow, await checkout(`preview-${run}`, run), expressions, {
        ...{ ...RUNNER, GITHUB_RUN_NUMBER: run, GITHUB_RUN_ATTEMPT: '1' },
      });
    const file = (name: string) => readFileSync(join(home, name), 'utf8');
    const openedApp = async () => {
      const [, link = ''] = /^(shop:.*)$/m.exec(file('comments'))!;
      const { server, apiKey, channel } = readPreview(link, [address()])!;
      return (await checkUpdate(server, apiKey, 'tester', '1.0.0', channel)).body.version;
    };
    await push('4');
    expect(await openedApp()).toBe('1000.4.1');
    expect(file('comments')).toContain('`sluice preview show pr-9 --app com.example.shop --open shop://preview`');
    await push('5');
    expect(await openedApp()).toBe('1000.5.1');
    expect(file('commented')).toBe('9\n');
  });

  it('releases from any CI with the CLI', async () => {
    const folder = await checkout('command', '<h1>Two</h1>');
    const scripts = blocksOf('Any CI, with the CLI');
    for (const name of ['release.sh', 'rollout.sh']) await writeFile(join(folder, name), scripts.get(name)!);
    const sh = (...line: string[]) => play(['sh', ...line], folder, secrets());
    const [, build = ''] = /^build (\d+)$/m.exec(await sh('release.sh', '1.1.0')) ?? [];
    await expectATenth('1.1.0');
    await sh('rollout.sh', build, '--percentage', '100');
    await expectDelivered('1.1.0', '<h1>Two</h1>');
    await sh('rollout.sh', build, '--halt');
    expect(await offered('1.1.0', 20)).toBe(0);
  });

  (missing.length === 0 ? it : it.skip)(
    `releases from any CI with curl alone${missing.length === 0 ? '' : `; not installed here: ${missing.join(', ')}`}`,
    async () => {
      const folder = await checkout('curl', '<h1>Three</h1>');
      const scripts = blocksOf('Any CI, with curl alone');
      for (const name of ['api.sh', 'release.sh', 'rollout.sh'])
        await writeFile(join(folder, name), scripts.get(name)!);
      const sh = (...line: string[]) => play(['sh', ...line], folder, { ...secrets(), COMMIT });
      const [, build = ''] = /^build (\d+)$/m.exec(await sh('release.sh', '1.2.0')) ?? [];
      await expectATenth('1.2.0');
      expect(await metadataOf('1.2.0')).toEqual({ commit: COMMIT });
      await sh('rollout.sh', build, '{"rollout_percentage":100}');
      await expectDelivered('1.2.0', '<h1>Three</h1>');
      expect(await sh('rollout.sh', build, '{"enabled":false}')).toContain('"rollout_enabled":false');
      expect(await offered('1.2.0', 20)).toBe(0);
    },
  );
});
