import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const ROOT = join(__dirname, '..', '..');

/** The shell commands of a document, block by block, without the indentation of a list. */
export function shellBlocks(document: string, language: 'sh' | 'bash' = 'sh'): string[] {
  const page = readFileSync(join(ROOT, document), 'utf8');
  return [...page.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'))].map(
    ([, indent = '', commands = '']) => commands.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** Runs a program as a person would, expects exit code 0, and returns what it printed. */
export async function runProgram(
  [program = '', ...args]: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, NO_COLOR: '1', npm_config_offline: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  expect({ args, code: code as number | null, output: code === 0 ? '' : stderr + stdout }).toEqual({
    args,
    code: 0,
    output: '',
  });
  return stdout;
}

/** Lets `npx sluice` find the built command in the folder, as in a checkout. */
export async function linkCommand(folder: string): Promise<void> {
  await mkdir(join(folder, 'node_modules', '.bin'), { recursive: true });
  await symlink(join(ROOT, 'dist', 'libs', 'cli', 'main.js'), join(folder, 'node_modules', '.bin', 'sluice'));
}

/** Writes a program into the folder `bin` of `folder`. Returns the PATH that finds it first. */
export async function writeProgram(folder: string, name: string, script: string): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, name), script);
  await chmod(join(bin, name), 0o755);
  return `${bin}:${process.env['PATH']}`;
}
