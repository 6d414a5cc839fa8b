import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();

/** The candidates of bash for the last word of a line, which may be empty. */
async function complete(line: string): Promise<string[]> {
  const { stdout } = await server.run(['completion', 'bash']);
  const script = join(server.folder, 'completion.bash');
  writeFileSync(script, stdout);
  const words = line.split(' ');
  const commands = `source ${script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const {
    status,
    stdout: candidates,
    stderr,
  } = spawnSync('bash', ['--norc', '-uc', commands, 'bash', ...words], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return candidates.split('\n').filter(Boolean);
}

const available = spawnSync('bash', ['--version']).error === undefined;

(available ? describe : describe.skip)(`completion in bash${available ? '' : '; bash is not installed here'}`, () => {
  it.each([
    ['sluice up', ['upload', 'upgrade']],
    [
      'sluice build p',
      ['promote', 'pause', 'plan', 'plan-set', 'plan-edit', 'plan-hold', 'plan-resume', 'plan-skip', 'plan-delete'],
    ],
    ['sluice signing-key re', ['retire']],
    ['sluice build promote --t', ['--token', '--to']],
    ['sluice app create --platform ', ['ios', 'android', 'both']],
    ['sluice app create --platform a', ['android']],
    // The channels of an app are on the server.
    ['sluice build promote 3 --to ', []],
    ['sluice build promote --to staging --ro', ['--rollout']],
    ['sluice build --app a.b promote --man', ['--mandatory']],
    ['sluice completion ', ['bash', 'zsh', 'fish']],
    ['sluice --vers', ['--version']],
    // Files, which bash completes itself.
    ['sluice upload ', []],
    ['sluice check --download ', []],
    ['sluice keystore download --out build/', []],
  ])('of "%s" offers %j', async (line, candidates) => {
    expect(await complete(line)).toEqual(candidates);
  });
});

it('offers every command in each shell', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await server.run(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['listings', 'promote', 'fingerprint']) expect(stdout).toContain(word);
  }
});

it('rejects another shell', async () => {
  expect(await server.run(['completion', 'tcsh'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('bash, zsh, fish'),
  });
});
