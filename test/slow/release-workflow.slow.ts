import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { parse } from 'yaml';
import { writeProgram } from '../support/shell';
import { runSteps, type WorkflowStep } from '../support/workflow-steps';

const ROOT = join(__dirname, '..', '..');
const WORKFLOW = '.github/workflows/release.yml';

interface Workflow {
  readonly jobs: Readonly<
    Record<string, { readonly env?: Readonly<Record<string, string>>; readonly steps: readonly WorkflowStep[] }>
  >;
}
const { jobs } = parse(readFileSync(join(ROOT, WORKFLOW), 'utf8')) as Workflow;
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

const goFolder = spawnSync('go', ['env', 'GOPATH'], { encoding: 'utf8' }).stdout || join(homedir(), 'go');
const PATH = [process.env['PATH'], join(goFolder.trim(), 'bin')].join(delimiter);
const isMissing = (program: string) => spawnSync(program, ['--help'], { env: { PATH } }).error !== undefined;

jest.setTimeout(120_000);

/** Adds its arguments to a file, which the test reads. */
const recorder = (output = '') => `#!/bin/sh\necho "$(basename "$0") $*" >> "$HOME/calls"\n${output}\n`;

/** Installs and tests nothing, and publishes nothing. All else is npm's. */
const NPM = `#!/bin/sh
echo "npm $*" >> "$HOME/calls"
case "$*" in
  ci*|test) exit 0 ;;
  'run pack') mkdir -p dist && cp -R '${ROOT}/dist/packages' dist/ ;;
  'run build:executable -- x64 arm64')
    mkdir -p dist/executable && for each in x64 arm64; do echo file > "dist/executable/sluice-linux-$each"; done ;;
  'run -s sbom') echo '{}' ;;
  publish*) [ -f "$2" ] && tar -xOf "$2" package/package.json > /dev/null ;;
  *) echo "unexpected: npm $*" >&2; exit 1 ;;
esac
`;

describe('the release workflow', () => {
  let folder: string;
  let path: string;

  const run = (job: string, expressions: Readonly<Record<string, string>> = {}) =>
    runSteps(jobs[job]!.steps, {
      cwd: folder,
      env: jobs[job]!.env ?? {},
      machine: { PATH: path, HOME: folder },
      expressions: {
        'github.ref_name': `v${version}`,
        'github.repository': 'example/sluice',
        'github.token': 'none',
        'steps.build.outputs.digest': 'sha256:built',
        ...expressions,
      },
    });
  const calls = async () => (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n');

  beforeAll(async () => {
    folder = temporaryDirectory();
    for (const file of ['package.json', 'CHANGELOG.md']) await cp(join(ROOT, file), join(folder, file));
    await cp(join(ROOT, 'deploy'), join(folder, 'deploy'), { recursive: true });
    for (const lib of await readdir(join(ROOT, 'libs'))) {
      const file = join('libs', lib, 'package.json');
      if (!existsSync(join(ROOT, file))) continue;
      await mkdir(join(folder, 'libs', lib), { recursive: true });
      await cp(join(ROOT, file), join(folder, file));
    }
    await writeProgram(folder, 'npm', NPM);
    await writeProgram(folder, 'docker', recorder('echo sha256:base'));
    for (const program of ['cosign', 'gh']) await writeProgram(folder, program, recorder());
    if (isMissing('helm')) await writeProgram(folder, 'helm', recorder('touch dist/release/sluice-0.0.0.tgz'));
    path = `${join(folder, 'bin')}${delimiter}${PATH}`;
  });

  beforeEach(() => writeFile(join(folder, 'calls'), ''));

  (isMissing('actionlint') ? it.skip : it)('is what actionlint accepts (needs actionlint)', () => {
    execFileSync('actionlint', ['-no-color', join(ROOT, WORKFLOW)], { env: { ...process.env, PATH } });
  });

  it('tests, and fails for a tag that is not the version', async () => {
    await run('test');
    expect(await calls()).toEqual(['npm test']);
    await expect(run('test', { 'github.ref_name': 'v99.0.0' })).rejects.toThrow(
      /has version .*, and the tag is v99\.0\.0/,
    );
  });

  it('publishes every package', async () => {
    await run('packages');
    const published = (await calls()).filter((call) => call.startsWith('npm publish'));
    const packed = (await readdir(join(ROOT, 'dist', 'packages'))).filter((name) => name.endsWith('.tgz'));
    expect(published).toEqual(packed.map((name) => `npm publish ./dist/packages/${name} --access public --provenance`));
  });

  it('builds the image on pinned bases, and signs it by its digest', async () => {
    const known = await run('image');
    expect(known['steps.pin.outputs.NODE_IMAGE']).toMatch(/^node:[\d.]+-bookworm-slim@sha256:base$/);
    expect(known['steps.pin.outputs.version']).toBe(version);
    expect(known['steps.pin.outputs.BASE_IMAGE']).toBe('debian:bookworm-slim@sha256:base');
    expect(await calls()).toContain('cosign sign --yes ghcr.io/example/sluice@sha256:built');
  });

  it('attaches executables, chart, SBOM and checksums to the release, with notes', async () => {
    await run('files');
    const [release = ''] = (await calls()).filter((call) => call.startsWith('gh '));
    expect(release).toMatch(
      new RegExp(
        `^gh release create v${version} --repo example/sluice --title v${version} --notes-file dist/notes.md `,
      ),
    );
    for (const file of ['sluice-linux-x64', 'sluice-linux-arm64', 'sbom.cdx.json', 'SHA256SUMS', 'sluice-'])
      expect(release).toContain(`dist/release/${file}`);
    expect(await readFile(join(folder, 'dist', 'notes.md'), 'utf8')).toMatch(/^## (Unreleased|\d)/);
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: join(folder, 'dist', 'release') });
  });
});
