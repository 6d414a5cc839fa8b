import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { SERVICES } from '@sluice/contracts';
import { temporaryDirectory } from '@sluice/testing';
import { parse, parseAllDocuments } from 'yaml';
import { copyWithoutSecrets, ROOT } from '../deploy/made-secrets';
import { HELM, HELM_PAGE, productionValues } from '../deploy/renderings';
import { type Deployment, standalone } from '../support/deployment';
import { freePort } from '../support/free-port';
import { linkCommand, runProgram, shellBlocks, writeProgram } from '../support/shell';

jest.setTimeout(180_000);

/** Adds its arguments to a file, one call a line, and does nothing. */
const RECORDER = `#!/bin/sh\nprintf '%s\\t' "\${0##*/}" "$@" >> "$HOME/calls"\necho >> "$HOME/calls"\n`;
/** Renders what it would install, with the schema of the chart's values. */
const RENDERER = `${RECORDER}case "$1" in install|upgrade) shift; set -- template "$@";; rollback) exit;; esac\nexec '${HELM!}' "$@" > /dev/null\n`;

type Calls = readonly (readonly string[])[];

interface Compose {
  readonly name: string;
  readonly services: Readonly<
    Record<
      string,
      { readonly build?: { readonly context: string; readonly dockerfile: string }; readonly env_file?: string[] }
    >
  >;
  readonly volumes: object;
}

/** A checkout without secrets, in which the programs that need a daemon or a cluster only record their calls. */
async function checkout() {
  const folder = temporaryDirectory();
  await copyWithoutSecrets(folder);
  await linkCommand(folder);
  for (const program of ['docker', 'kind', 'kubectl']) await writeProgram(folder, program, RECORDER);
  const PATH = await writeProgram(folder, 'helm', HELM === undefined ? RECORDER : RENDERER);
  const play = async (commands: string) => {
    await writeFile(join(folder, 'calls'), '');
    // Commands in the background end before their calls are read.
    const output = await runProgram(['bash', '-e', '-o', 'pipefail', '-c', `${commands}\nwait`], {
      cwd: folder,
      env: { PATH },
    });
    const recorded = await readFile(join(folder, 'calls'), 'utf8');
    return {
      output,
      calls: recorded
        .split('\n')
        .filter(Boolean)
        .map((line) => line.trimEnd().split('\t')),
    };
  };
  return { folder, play };
}

/** What the options of a call give, and its other arguments. */
function optionsOf(args: readonly string[], names: readonly string[]) {
  const rest: string[] = [];
  const values = new Map<string, string[]>();
  for (let at = 0; at < args.length; at += 1) {
    const [name = '', inline] = args[at]!.split(/=(.*)/s);
    if (!names.includes(name)) rest.push(args[at]!);
    else values.set(name, [...(values.get(name) ?? []), inline ?? args[(at += 1)]!]);
  }
  return { rest, values };
}

/** Images are built from what is in the checkout, and pushed and loaded once they are built. */
function expectImageCall(folder: string, [program, command, ...args]: readonly string[], built: Set<string>): void {
  if (command === 'build') {
    const { rest, values } = optionsOf(args, ['-f', '-t']);
    expect(rest).toEqual(['.']);
    expect(existsSync(join(folder, values.get('-f')![0]!))).toBe(true);
    built.add(values.get('-t')![0]!);
    return;
  }
  const [first, image] = program === 'kind' ? [args[0], args[1]] : [command, args[0]];
  expect([program, first]).toEqual(program === 'kind' ? ['kind', 'docker-image'] : ['docker', 'push']);
  expect([...built]).toContain(image);
}

const COMPOSE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  up: ['--build', '--detach', '--wait'],
  logs: ['--follow'],
  stop: [],
  down: [],
};

function expectComposeCall(folder: string, [program, command, ...args]: readonly string[]): void {
  expect([program, command]).toEqual(['docker', 'compose']);
  const { rest, values } = optionsOf(args, ['-f']);
  const text = readFileSync(join(folder, values.get('-f')![0]!), 'utf8');
  const { services } = parse(text, { merge: true }) as Compose;
  const [action = '', ...given] = rest;
  expect(Object.keys(COMPOSE_OPTIONS)).toContain(action);
  for (const each of given) expect([...COMPOSE_OPTIONS[action]!, ...Object.keys(services)]).toContain(each);
  if (action !== 'up') return;
  const settings = readFileSync(join(folder, 'deploy', '.env'), 'utf8');
  for (const [, required] of text.matchAll(/\$\{(\w+):\?/g))
    expect(settings).toMatch(new RegExp(`^${required!}=.`, 'm'));
  for (const { build, env_file: files = [] } of Object.values(services)) {
    const paths = [...files, ...(build ? [join(build.context, build.dockerfile)] : [])];
    for (const path of paths) expect([path, existsSync(join(folder, 'deploy', path))]).toEqual([path, true]);
  }
}

interface KubernetesObject {
  readonly kind: string;
  readonly metadata?: { readonly name: string };
  readonly spec?: { readonly ports?: readonly { readonly port: number }[] };
}
const MANIFESTS = readdirSync(join(ROOT, 'k8s'), { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.yaml'),
);
const texts = MANIFESTS.map((path) => readFileSync(join(ROOT, 'k8s', path), 'utf8'));
const objects = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject));
const named = (kind: string, name: string) =>
  objects.find((each) => each.kind === kind && each.metadata?.name === name);
const kubectl = spawnSync('kubectl', ['kustomize', '--help']).status === 0;

function expectKubectlCall(folder: string, [, ...given]: readonly string[]): void {
  const { rest, values } = optionsOf(given, ['-n', '-f', '-k', '--from-env-file', '--cert', '--key', '--timeout']);
  for (const file of ['-f', '--from-env-file', '--cert', '--key'].flatMap((option) => values.get(option) ?? []))
    expect([file, existsSync(join(folder, file))]).toEqual([file, true]);
  for (const namespace of values.get('-n') ?? []) expect(named('Namespace', namespace)).toBeDefined();
  const [command = '', subcommand = '', ...names] = rest;
  switch (command) {
    case 'apply':
      for (const path of values.get('-k') ?? []) {
        expect(existsSync(join(folder, path, 'kustomization.yaml'))).toBe(true);
        if (kubectl) expect(spawnSync('kubectl', ['kustomize', path], { cwd: folder })).toMatchObject({ status: 0 });
      }
      return;
    case 'rollout':
      expect(['status', 'pause', 'resume']).toContain(subcommand);
      for (const each of names.filter((name) => name !== 'deployment'))
        expect(named('Deployment', each.replace('deployment/', ''))).toBeDefined();
      return;
    case 'port-forward': {
      const [, port] = names[0]!.split(':');
      const { spec } = named('Service', subcommand.replace('service/', ''))!;
      expect(spec!.ports!.map((each) => each.port)).toContain(Number(port));
      return;
    }
    case 'create':
      expect(subcommand).toBe('secret');
      expect(texts.join('\n')).toContain(names[1]!);
      return;
    default:
      throw new Error(`The test has no rule for kubectl ${given.join(' ')}.`);
  }
}

function expectCalls(folder: string, calls: Calls): void {
  const built = new Set<string>();
  for (const call of calls) {
    if (call[0] === 'kubectl') expectKubectlCall(folder, call);
    else if (call[1] === 'compose') expectComposeCall(folder, call);
    else if (call[0] !== 'helm') expectImageCall(folder, call, built);
  }
}

/** The secrets of each service and the certificate, in the files that an operator writes. */
async function writeServiceSecrets(folder: string): Promise<void> {
  for (const file of ['tls.crt', 'tls.key']) await writeFile(join(folder, file), '');
  for (const service of SERVICES)
    await cp(join(folder, 'k8s', 'overlays', 'development', `${service}.env`), join(folder, `${service}.env`));
}

/** Sets up the checkout of this test, which `setup.mjs` then finds installed and built. */
const GIT = `#!/bin/sh
[ "$1" = clone ] || { "$REAL_GIT" "$@"; exit; }
"$REAL_GIT" clone --quiet origin "$3" && cp -R '${join(ROOT, 'dist')}' "$3" && mkdir "$3/node_modules"
ln -s '${join(ROOT, 'node_modules')}'/* '${join(ROOT, 'node_modules')}/.bin' "$3/node_modules"
touch "$3/node_modules/.package-lock.json" "$3/dist/.built" "$3/dist/console/index.html" "$3/dist/docs/index.html"
`;
/** Runs the command as the same user. */
const SUDO = `#!/bin/sh\n[ "$1" = -u ] && shift 2\nexec env "$@"\n`;
/** Starts and stops the unit as systemd does. */
const SYSTEMCTL = `#!/bin/bash
case "$*" in
  daemon-reload) [ -f "$UNIT" ] ;;
  'enable --now sluice'|'start sluice')
    cd "$(sed -n 's/^WorkingDirectory=//p' "$UNIT")"
    command=$(sed -n 's/^ExecStart=//p' "$UNIT")
    # The process opens its log after the first look for a line of it.
    : > "$HOME/log"
    env $(sed -n 's/^Environment=//p' "$UNIT") $command > /dev/null 2> "$HOME/log" & echo $! > "$HOME/pid"
    until grep -q 'Sluice is ready' "$HOME/log"; do kill -0 $! || exit 1; sleep 0.1; done ;;
  'stop sluice') kill "$(cat "$HOME/pid")"; while kill -0 "$(cat "$HOME/pid")" 2> /dev/null; do sleep 0.1; done ;;
  *) exit 1 ;;
esac
`;

describe('the commands of installation pages', () => {
  let deployment: Deployment;
  let ownerKey: string;
  /** The doctor examines a server on this machine. */
  const withServer = (commands: string) =>
    commands
      .replace('OWNER_KEY=...', `OWNER_KEY=${ownerKey}`)
      .replace('https://updates.example.com', deployment.gateways[0]!);

  beforeAll(async () => {
    deployment = await standalone.deploy();
    ownerKey = await deployment.ownerKey();
  });

  afterAll(() => deployment.destroy());

  it('README.md and docs/operations/docker.md make secrets and start compose.yaml with them', async () => {
    const [start = '', ...others] = shellBlocks('docs/operations/docker.md');
    expect(others).toEqual([]);
    expect(shellBlocks('README.md')).toContain(start);
    const { folder, play } = await checkout();
    const { output, calls } = await play(`${start}\necho "$OWNER_KEY"`);
    expect(calls).toHaveLength(1);
    expectCalls(folder, calls);
    expect(output.trim().split('\n').at(-1)).toMatch(/^\S{32,}$/);

    const [later = ''] = shellBlocks('docs/operations/docker.md', 'bash');
    const run = await play(later);
    expect(run.calls.map((call) => call[4])).toEqual(['logs', 'stop', 'down']);
    expectCalls(folder, run.calls);
    const page = await readFile(join(ROOT, 'docs', 'operations', 'docker.md'), 'utf8');
    const { name, volumes } = parse(await readFile(join(folder, 'deploy', 'compose.yaml'), 'utf8')) as Compose;
    for (const [, volume] of page.matchAll(new RegExp(`\`${name}_(eventstore|mongo|minio)\``, 'g')))
      expect(Object.keys(volumes)).toContain(volume);
  });

  it('docs/operations/kubernetes.md installs both overlays', async () => {
    const [trial = '', image = '', derive = '', apply = '', check = ''] = shellBlocks(
      'docs/operations/kubernetes.md',
      'bash',
    );
    const { folder, play } = await checkout();
    const { output, calls } = await play(trial);
    expect(calls.map(([program]) => program)).toEqual(['docker', 'kind', ...Array<string>(4).fill('kubectl')]);
    expectCalls(folder, calls);
    expect(output.trim().split('\n').at(-1)).toMatch(/^\S{32,}$/);

    const pushed = (await play(image)).calls;
    expectCalls(folder, pushed);
    const production = readFileSync(join(ROOT, 'k8s', 'overlays', 'production', 'kustomization.yaml'), 'utf8');
    const { images } = parse(production) as {
      readonly images: { readonly newName: string; readonly newTag: string }[];
    };
    expect(pushed.at(-1)).toEqual(['docker', 'push', `${images[0]!.newName}:${images[0]!.newTag}`]);

    await writeServiceSecrets(folder);
    const master = /^MASTER_KEY=(.*)$/m.exec(await readFile(join(folder, 'keys.env'), 'utf8'))![1]!;
    await play(`SECRETS=.\n${derive.replace('MASTER_KEY=...', `MASTER_KEY=${master}`)}`);
    const derived = (await readFile(join(folder, 'gateway.env'), 'utf8')).match(/^SEAL_KEYS=.*$/gm);
    expect(derived).toHaveLength(2);
    expect(derived![1]).toBe(derived![0]);

    const applied = await play(`SECRETS=.\n${apply}`);
    expect(applied.calls).toHaveLength(SERVICES.length + 3);
    expectCalls(folder, applied.calls);

    const checked = await play(withServer(check));
    expectCalls(folder, checked.calls);
    expect(checked.output).toMatch(/ok/);
  });

  it(`docs/operations/helm.md installs and upgrades the chart${HELM === undefined ? ' (no helm)' : ''}`, async () => {
    const { folder, play } = await checkout();
    await writeFile(join(folder, 'production.yaml'), productionValues());
    await runProgram([process.execPath, 'deploy/make-secrets.mjs', 'development'], { cwd: folder });
    await writeServiceSecrets(folder);
    const blocks = [...shellBlocks(HELM_PAGE), ...shellBlocks(HELM_PAGE, 'bash')];
    expect(blocks).toHaveLength(4);
    for (const block of blocks) {
      const { calls } = await play(withServer(block));
      expect(calls.filter(([program]) => program === 'helm')).toHaveLength(1);
      expectCalls(folder, calls);
    }
  });

  it('docs/operations/one-process.md installs, runs, backs up and upgrades one process', async () => {
    const page = 'docs/operations/one-process.md';
    const folder = temporaryDirectory();
    const port = String(await freePort());
    const local = (text: string) =>
      text
        .replaceAll(/\/(opt|var\/lib|var\/backups)\b/g, `${folder}/$1`)
        .replaceAll('/usr/bin/node', process.execPath)
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`);
    for (const path of ['opt', 'var/lib', 'var/backups']) await mkdir(join(folder, path), { recursive: true });
    const [, unit = ''] = /^```ini\n([\s\S]*?)^```$/m.exec(await readFile(join(ROOT, page), 'utf8'))!;
    await writeFile(join(folder, 'sluice.service'), local(unit));
    await writeProgram(folder, 'useradd', RECORDER);
    await writeProgram(folder, 'git', GIT);
    await writeProgram(folder, 'sudo', SUDO);
    const PATH = await writeProgram(folder, 'systemctl', SYSTEMCTL);
    const env = {
      ...{ PATH, SLUICE_TOKEN: '', PORT: port, USER: userInfo().username, UNIT: join(folder, 'sluice.service') },
      ...{
        SLUICE_SERVER: `http://127.0.0.1:${port}`,
        REAL_GIT: execFileSync('which', ['git'], { encoding: 'utf8' }).trim(),
      },
    };
    const run = (...command: string[]) => runProgram(command, { cwd: folder });
    const play = (commands: string) =>
      runProgram(['bash', '-e', '-o', 'pipefail', '-c', local(commands)], { cwd: folder, env });

    // On a branch, whatever this checkout is on.
    await run('git', 'clone', '--quiet', '--bare', ROOT, 'origin');
    await run('git', '-C', 'origin', 'update-ref', 'refs/heads/main', 'HEAD');
    await run('git', '-C', 'origin', 'symbolic-ref', 'HEAD', 'refs/heads/main');
    const [install = '', start = '', firstUse = '', backup = '', upgrade = ''] = shellBlocks(page, 'bash');
    await play(install);
    expect(await readFile(join(folder, 'calls'), 'utf8')).toMatch(/^useradd\t.*\tsluice\t$/m);
    try {
      await play(start);
      const key = (await readFile(join(folder, 'var', 'lib', 'sluice', 'owner.key'), 'utf8')).trim();
      const [definition = ''] = firstUse.split('\n');
      const made = await play(`${definition}\nsluice token create --name laptop --all-apps --json`);
      env.SLUICE_TOKEN = (JSON.parse(made) as { token: string }).token;
      await play(`${definition}\nsluice app create --name Shop --bundle-id com.example.shop`);
      const printed = await play(firstUse);
      expect(printed).toContain(key);
      expect(printed).toContain('svc_pat_');
      await play(backup);
      const [copy = ''] = await readdir(join(folder, 'var', 'backups'));
      const entries = await run('tar', '--list', '--file', join(folder, 'var', 'backups', copy));
      expect(entries).toContain('./owner.key\n');
      expect(entries).not.toContain('master.key');
      await play(upgrade);
      expect(await play(`${definition}\nsluice app list`)).toContain('com.example.shop');
    } finally {
      await play('systemctl stop sluice');
    }
  });
});
