import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { launchProcess } from '../support/process';
import { bench, cpuSeconds, decimals, onServerCore } from './bench';
import { writeHistory } from './history';

/** From the start of the built standalone process to its first answer that it is ready. */
const STARTS = 5;

/** Of 100 apps with three channels: a little over 100,000 events. */
const HISTORY = { apps: 100, channels: ['production', 'staging', 'development'], builds: 48, busy: true } as const;

interface Start {
  readonly seconds: number;
  readonly cpu: number;
}

async function startOn(dataDir: string): Promise<Start> {
  const begin = performance.now();
  const server = await onServerCore(() => launchProcess('standalone', { DATA_DIR: dataDir })).ready;
  try {
    const { status } = await fetch(`${server.address}/health/ready`);
    const seconds = (performance.now() - begin) / 1_000;
    if (status !== 200) throw new Error(`/health/ready answered ${status}.`);
    return { seconds, cpu: cpuSeconds(server.child.pid!) };
  } finally {
    await server.stop();
  }
}

/** A machine that others use too can only make a start slower: the fastest is the program's own. */
async function fastest(start: () => Promise<Start>): Promise<Start & { readonly told: string }> {
  const starts: Start[] = [];
  for (let n = 0; n < STARTS; n += 1) starts.push(await start());
  starts.sort((a, b) => a.seconds - b.seconds);
  const [first] = starts;
  const all = starts.map(({ seconds }) => decimals(seconds)).join(', ');
  return { ...first!, told: `${decimals(first!.cpu)} s of CPU; all starts ${all} s` };
}

const removeReadStore = (dataDir: string) => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataDir, `read.db${suffix}`), { force: true });
};

void bench('start', async ({ folder, say, judge }) => {
  let folders = 0;
  const empty = await fastest(() => {
    const dataDir = join(folder, `empty-${++folders}`);
    mkdirSync(dataDir);
    return startOn(dataDir);
  });
  judge('empty', empty.seconds, 's', { atMost: 2 });
  say(empty.told);

  const dataDir = join(folder, 'full');
  mkdirSync(dataDir);
  const { events } = await writeHistory(dataDir, HISTORY);
  const cold = await fastest(() => {
    removeReadStore(dataDir);
    return startOn(dataDir);
  });
  const full = await fastest(() => startOn(dataDir));
  const thousands = events.toLocaleString('en-US');
  judge(`with ${thousands} events`, full.seconds, 's', { atMost: 4 });
  say(full.told);
  say(`with ${thousands} events and no read store: ${decimals(cold.seconds)} s, ${cold.told}`);
});
