import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { eventually } from '@sluice/testing';
import { standalone, type Deployment } from '../support/deployment';
import { call, management } from '../support/http';

const WRITES = 20;
const CALLS = 'trace=fsync,fdatasync,pwrite64,write,writev,sendto,sendmsg';
const LOG_FILE = 'events.db-wal>';

/** Whether one of our processes may watch another: containers and hardened kernels forbid it. */
function mayTrace(): boolean {
  const sleeper = spawn('sleep', ['10'], { stdio: 'ignore' });
  try {
    const { error } = spawnSync('strace', ['-p', String(sleeper.pid)], { stdio: 'ignore', timeout: 1_000 });
    // It watches until it is stopped, unless it may not.
    return (error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT';
  } finally {
    sleeper.kill();
  }
}

const traceable = mayTrace();

describe('what is acknowledged', () => {
  const run = traceable ? it : it.skip;
  let deployment: Deployment;
  let tracer: ChildProcess;
  const lines: string[] = [];

  beforeAll(async () => {
    if (!traceable) return;
    deployment = await standalone.deploy();
    const [server] = deployment.processes;
    tracer = spawn('strace', ['-f', '-y', '-s', '64', '-e', CALLS, '-p', String(server!.child.pid)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    createInterface({ input: tracer.stderr! }).on('line', (line) => lines.push(line));
    await eventually(() => lines.some((line) => line.includes('attached')));
  }, 30_000);

  afterAll(async () => {
    if (!traceable) return;
    const ended = once(tracer, 'exit');
    tracer.kill();
    await ended;
    await deployment.destroy();
  }, 30_000);

  run(
    `is synced to disk between its write and its answer${traceable ? '' : ' (skipped: strace is missing or may not be used)'}`,
    async () => {
      const address = deployment.gateways[0]!;
      const { body } = await call<{ data: { token: string } }>(`${address}/api/dashboard/v1/tokens`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${await deployment.ownerKey()}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'ci', all_apps: true }),
      });
      const api = management(address, body.data.token);
      for (let write = 0; write < WRITES; write += 1) {
        expect((await api.post('/apps', { name: `App ${write}` })).status).toBe(201);
      }
      await eventually(() => answersIn(lines).length >= WRITES + 1);
      const answers = answersIn(lines);
      expect(answers).toEqual(answers.map(() => ({ written: true, synced: true })));
    },
    60_000,
  );
});

/** Of each answer 201 in turn: whether the event log was written for it, and whether it was synced after that. */
function answersIn(trace: readonly string[]): { written: boolean; synced: boolean }[] {
  const answers = [];
  const syncing = new Set<string>();
  let written = false;
  let synced = false;
  for (const line of trace) {
    const thread = /^\[pid +(\d+)\]/.exec(line)?.[1] ?? '';
    if (line.includes('"HTTP/1.1 201 ')) {
      answers.push({ written, synced });
      written = false;
      synced = false;
    } else if (line.includes('pwrite64(') && line.includes(LOG_FILE)) {
      // A sync that had begun before may not hold this write.
      syncing.clear();
      written = true;
      synced = false;
    } else if (/\b(fsync|fdatasync)\(/.test(line) && line.includes(LOG_FILE)) {
      if (line.endsWith('= 0')) synced = true;
      else if (line.includes('<unfinished')) syncing.add(thread);
    } else if (/<\.\.\. (fsync|fdatasync) resumed>/.test(line) && syncing.delete(thread) && line.endsWith('= 0')) {
      synced = true;
    }
  }
  return answers;
}
