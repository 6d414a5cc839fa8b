import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { runInGroup } from './child-group';

let folder: string;

beforeEach(() => {
  folder = temporaryDirectory();
});

const run = (script: string, signal: AbortSignal) =>
  runInGroup('sh', ['-c', script], { cwd: folder, env: process.env, signal });
/** Of a process that the script has started. */
const pidIn = async (name: string): Promise<number> => {
  return eventually(async () => {
    const pid = Number(await readFile(join(folder, name), 'utf8').catch(() => ''));
    return pid > 0 && pid;
  });
};
const lives = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

it('answers the exit code', async () => {
  expect(await run('exit 3', new AbortController().signal)).toBe(3);
});

it('leaves nothing running that an interrupted program has started, whether or not it heeds the signal', async () => {
  const interrupt = new AbortController();
  const server = 'sleep 600 & echo $! > server';
  const stubborn = `sh -c 'trap "" TERM; echo $$ > stubborn; while :; do sleep 1; done' &`;
  const running = run(`sh -c '${server}; sleep 600' & ${stubborn} sleep 600`, interrupt.signal);
  const pids = [await pidIn('server'), await pidIn('stubborn')];
  expect(pids.map(lives)).toEqual([true, true]);
  interrupt.abort();
  expect(await running).toBeNull();
  await eventually(() => !pids.some(lives));
});
