import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Table from 'cli-table3';
import { natsServerBinary } from '@sluice/testing/nats-server';
import { runInGroup } from './child-group';
import { ENGINES } from './engines';
import { startEngine, type StartedEngine } from './start-engine';

const ROOT = join(__dirname, '..', '..');
const ADAPTERS = 'adapters';
const HTTP = 'HTTP, two replicas of six services';
const SIX_SERVICES = ['--selectProjects', 'services'];

/** An interrupt ends Jest with whatever its tests have started, and then the engines. */
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort());

type Started = ReadonlyMap<string, StartedEngine>;
type Sums = Readonly<Record<'numPassedTests' | 'numFailedTests' | 'numPendingTests' | 'numTotalTests', number>> & {
  readonly success: boolean;
};
interface Suite {
  readonly name: string;
  readonly arguments: readonly string[];
  /** Why it doesn't run. */
  readonly missing?: string;
}

/**
 * Runs the adapters' tests and then the HTTP suite on real engines. What is handed to this program is
 * handed on to Jest, each time; `--outputFile=…` gets the sums of both, in the words of Jest's own.
 */
async function main(given: readonly string[]): Promise<void> {
  const outputFile = given.find((argument) => argument.startsWith('--outputFile='))?.slice('--outputFile='.length);
  const passedOn = given.filter((argument) => argument !== '--json' && !argument.startsWith('--outputFile='));
  const started = new Map<string, StartedEngine>();
  const done: [Suite, Sums | undefined][] = [];
  try {
    for (const engine of ENGINES) {
      const server = await startEngine(engine);
      if (server) started.set(engine.variable, server);
    }
    for (const suite of suitesOn(started)) {
      if (interrupted.signal.aborted) break;
      done.push([suite, suite.missing ? undefined : await jest([...suite.arguments, ...passedOn], started)]);
    }
  } finally {
    for (const server of started.values()) await server.stop();
  }
  const sums = done.flatMap(([, each]) => each ?? []);
  if (outputFile !== undefined) await writeFile(resolve(ROOT, outputFile), JSON.stringify(sumOf(sums)));
  process.exitCode = !interrupted.signal.aborted && sums.every(({ success }) => success) ? 0 : 1;
  process.stdout.write(`${engineTable(started, done)}\n${suiteTable(done)}\n`);
}

function suitesOn(started: Started): Suite[] {
  const stores = ENGINES.filter(({ inItsPlace, variable }) => inItsPlace !== undefined && started.has(variable));
  const missing = natsServerBinary() === undefined ? 'nats-server' : stores.length === 0 ? 'engine' : undefined;
  return [
    { name: ADAPTERS, arguments: ['--selectProjects', 'engines'] },
    // Alone: what it takes away is measured by what six services answer, and their time is that of the machine.
    { name: 'faults', arguments: ['--selectProjects', 'engine-faults'] },
    {
      name: HTTP,
      arguments: SIX_SERVICES,
      ...(missing !== undefined && { missing: `no ${missing}` }),
    },
  ];
}

/** @returns what Jest counted; a Jest that broke counts as one failure */
async function jest(args: readonly string[], started: Started): Promise<Sums> {
  const urls = Object.fromEntries([...started].map(([variable, { url }]) => [variable, url]));
  const folder = await mkdtemp(join(tmpdir(), 'sluice-jest-'));
  const counted = join(folder, 'counted.json');
  const command = ['run', '-s', 'jest', '--', ...args, '--passWithNoTests', '--json', `--outputFile=${counted}`];
  try {
    const env = { ...process.env, ...urls };
    const code = await runInGroup('npm', command, { cwd: ROOT, env, signal: interrupted.signal });
    const sums = JSON.parse(await readFile(counted, 'utf8')) as Sums;
    return { ...sums, success: sums.success && code === 0 };
  } catch {
    return { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, numTotalTests: 1, success: false };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function sumOf(all: readonly Sums[]): Sums {
  const sum = (name: Exclude<keyof Sums, 'success'>) => all.reduce((total, sums) => total + sums[name], 0);
  return {
    numPassedTests: sum('numPassedTests'),
    numFailedTests: sum('numFailedTests'),
    numPendingTests: sum('numPendingTests'),
    numTotalTests: sum('numTotalTests'),
    success: all.every(({ success }) => success),
  };
}

/** A suite that Jest left out as a whole is not reported as run. */
function engineTable(started: Started, done: readonly [Suite, Sums | undefined][]): string {
  const ran = (suite: string) => done.some(([{ name }, sums]) => name === suite && counted(sums) > 0);
  const table = new Table({
    head: ['engine', 'version', 'from', 'adapter', 'under HTTP'],
    style: { head: [], border: [] },
  });
  for (const { name, variable, inItsPlace } of ENGINES) {
    const server = started.get(variable);
    // Deployments would hear each other on one server of NATS.
    const stoodUnder = inItsPlace === undefined ? 'one nats-server each' : server ? 'ran' : inItsPlace;
    const under = ran(HTTP) ? stoodUnder : 'nothing ran';
    if (server) table.push([name, server.version, server.origin, ran(ADAPTERS) ? 'ran' : 'nothing ran', under]);
    else table.push([name, '', `no ${variable}`, 'skipped', under]);
  }
  return table.toString();
}

const counted = (sums: Sums | undefined): number => (sums ? sums.numPassedTests + sums.numFailedTests : 0);

function suiteTable(done: readonly [Suite, Sums | undefined][]): string {
  const table = new Table({ head: ['suite', 'passed', 'failed', 'skipped'], style: { head: [], border: [] } });
  for (const [{ name, missing }, sums] of done) {
    if (sums) table.push([name, sums.numPassedTests, sums.numFailedTests, sums.numPendingTests]);
    else table.push([name, '', '', `all (${missing})`]);
  }
  return table.toString();
}

void main(process.argv.slice(2));
