import { readFileSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { parse, parseAllDocuments } from 'yaml';
import { standalone, type Deployment } from '../support/deployment';
import { checkUpdate, management } from '../support/http';
import { sluice } from '../support/process';
import { runProgram } from '../support/shell';
import { evaluate, runSteps, type WorkflowStep } from '../support/workflow-steps';

const ROOT = join(__dirname, '..', '..');
const PACKAGES = join(ROOT, 'dist', 'packages');
const APP = 'com.example.shop';

type Inputs = Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
interface Action {
  readonly inputs: Inputs;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly WorkflowStep[] };
}
interface GitLabJob {
  readonly variables: Readonly<Record<string, string>>;
  readonly script: readonly string[];
  readonly artifacts: { readonly reports: { readonly dotenv: string } };
}

/** npm of this machine, whose packages are mostly in its cache. */
const NPM = {
  npm_config_offline: 'false',
  npm_config_prefer_offline: 'true',
  npm_config_userconfig: join(homedir(), '.npmrc'),
  npm_config_cache: join(homedir(), '.npm'),
  // Of a registry behind a proxy with a certificate of its own.
  NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] ?? '',
};

jest.setTimeout(120_000);

const readDeploy = (path: string) => readFileSync(join(ROOT, 'deploy', path), 'utf8');
const action = parse(readDeploy('github-action/action.yml')) as Action;
const [component, jobs] = parseAllDocuments(readDeploy('gitlab-component/templates/release.yml')).map(
  (document) => document.toJS() as unknown,
) as [{ readonly spec: { readonly inputs: Inputs } }, { readonly 'sluice-release': GitLabJob }];
/** The package that `npm run pack` made. */
const CLI = join(
  PACKAGES,
  readdirSync(PACKAGES).find((name) => name.startsWith('sluice-cli-'))!,
);

/** With their defaults, and the command from this checkout in place of the registry. */
const filled = (inputs: Inputs, given: Readonly<Record<string, string>>) =>
  Object.entries(inputs).map(
    ([name, { default: fallback = '' }]) => [name, name === 'cli' ? CLI : (given[name] ?? fallback)] as const,
  );

/** The inputs that an example of docs/guides/ci.md gives, by the name of its file. */
function guideSteps(file: string): Readonly<Record<string, string>> {
  const guide = readFileSync(join(ROOT, 'docs', 'guides', 'ci.md'), 'utf8');
  const [, example = ''] = new RegExp(
    '^```yaml\\n(# \\S*' + file.replaceAll('.', '\\.') + '\\n[\\s\\S]*?)^```$',
    'm',
  ).exec(guide)!;
  return inputsOf(parse(example) as object);
}

/** What is below the first `with` or `inputs`. */
function inputsOf(node: object): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(node)) {
    if (name === 'with' || name === 'inputs') return value as Record<string, string>;
    const found = value !== null && typeof value === 'object' ? inputsOf(value as object) : {};
    if (Object.keys(found).length > 0) return found;
  }
  return {};
}

describe('components for CI', () => {
  let deployment: Deployment;
  let token: string;
  let key: string;
  let home: string;

  const checkout = async (name: string) => {
    const folder = join(home, name);
    await mkdir(join(folder, 'www'), { recursive: true });
    await writeFile(join(folder, 'www', 'index.html'), `<h1>${name}</h1>`);
    return folder;
  };
  const offered = async (version: string) => {
    const { body } = await checkUpdate(deployment.devices[0]!, key, 'phone', '0.9.0');
    expect(body).toMatchObject({ available: true, version });
  };

  beforeAll(async () => {
    home = temporaryDirectory();
    deployment = await standalone.deploy();
    const owner = { SLUICE_SERVER: deployment.gateways[0]!, DATA_DIR: deployment.dataDir };
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], owner);
    ({ token } = JSON.parse(made.stdout) as { token: string });
    const api = management(deployment.gateways[0]!, token);
    await api.post('/apps', { name: 'Shop', bundle_id: APP });
    const { body } = await api.post<{ data: { plaintext_key: string } }>(`/apps/${APP}/api-keys`, { name: 'installs' });
    key = body.data.plaintext_key;
  });

  afterAll(() => deployment.destroy());

  it('name the version of the package that this release publishes', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    for (const { cli } of [action.inputs, component.spec.inputs]) expect(cli!.default).toBe(`@sluice/cli@${version}`);
  });

  it('release and promote as an action of GitHub', async () => {
    expect(action.runs.using).toBe('composite');
    const values = { 'vars.SLUICE_SERVER': deployment.gateways[0]!, 'secrets.SLUICE_TOKEN': token };
    const given = Object.entries(guideSteps('release-with-action.yml')).map(
      ([name, value]) => [name, evaluate(value, { ...values, 'github.ref_name': 'v1.0.0' })] as const,
    );
    const expressions = Object.fromEntries(
      filled(action.inputs, { ...Object.fromEntries(given), rollout: '100' }).map(([name, value]) => [
        `inputs.${name}`,
        value,
      ]),
    );
    const machine = { HOME: home, RUNNER_TEMP: home, ...NPM };
    const known = await runSteps(action.runs.steps, { cwd: await checkout('github'), machine, expressions });
    await offered('1.0.0');
    const [build, promoted] = Object.values(action.outputs).map(({ value }) => evaluate(value, known));
    expect([build, promoted]).toEqual([expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)]);
    expect(promoted).not.toBe(build);
  });

  it('release and promote as a component of GitLab', async () => {
    const given = { ...guideSteps('.gitlab-ci.yml'), version: 'v1.1.0', rollout: '100' };
    const inputs = filled(component.spec.inputs, given);
    const job = jobs['sluice-release'];
    const variables = Object.fromEntries(
      Object.entries(job.variables).map(([name, value]) => [
        name,
        inputs.reduce((text, [input, replacement]) => text.replaceAll(`$[[ inputs.${input} ]]`, replacement), value),
      ]),
    );
    const cwd = await checkout('gitlab');
    const env = {
      SLUICE_SERVER: deployment.gateways[0]!,
      SLUICE_TOKEN: token,
      ...NPM,
      ...variables,
    };
    await runProgram(['sh', '-e', '-c', job.script.join('\n')], { cwd, env });
    await offered('1.1.0');
    expect(await readFile(join(cwd, job.artifacts.reports.dotenv), 'utf8')).toMatch(
      /^SLUICE_BUILD=\d+\nSLUICE_PROMOTED_BUILD=\d+\n$/,
    );
  });

  it('never pass the token as an argument', () => {
    const scripts = [...action.runs.steps.map(({ run = '' }) => run), ...jobs['sluice-release'].script].join('\n');
    expect(scripts).not.toMatch(/TOKEN|\$\{\{/);
  });
});
