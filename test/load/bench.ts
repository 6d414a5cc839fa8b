import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join, resolve } from 'node:path';

/** What a number must be at least, or at most. `held: false`: printed, but no reason to fail yet. */
export type Bound = ({ readonly atLeast: number } | { readonly atMost: number }) & { readonly held?: false };

export interface Bench {
  /** Empty, on a real disk, and removed when the run ends. */
  readonly folder: string;
  /** Prints one line of the run. */
  readonly say: (line: string) => void;
  /** Prints a number with its bound; the run exits with 1 when it misses it. */
  readonly judge: (what: string, value: number, unit: string, bound: Bound) => void;
}

const ROOT = join(__dirname, '..', '..');
const TMPFS = [0x0102_1994, 0x8584_58f6];
const SERVER_CORE = 0;
const LOAD_CORE = 1;

/** Counted before this process takes to one of them. */
const CORES = availableParallelism();

/** Whether the server gets a core of its own here, and the load another. */
const pinning = CORES > 1 && spawnSync('taskset', ['-V'], { stdio: 'ignore' }).status === 0;

/** Starts a process on the core of servers; this process runs on the other one. */
export function onServerCore<Started>(start: () => Started): Started {
  moveTo(SERVER_CORE);
  try {
    return start();
  } finally {
    moveTo(LOAD_CORE);
  }
}

/** Children inherit the core of the thread that starts them. */
function moveTo(core: number): void {
  if (pinning) spawnSync('taskset', ['-p', '-c', String(core), String(process.pid)], { stdio: 'ignore' });
}

/** Runs one benchmark: prints what the machine is like, then what the run says; a fault exits with 1. */
export async function bench(name: string, run: (bench: Bench) => Promise<void>): Promise<void> {
  let folder: string | undefined;
  const remove = () => folder !== undefined && rmSync(folder, { recursive: true, force: true });
  process.once('SIGINT', () => process.exit(130));
  process.once('exit', remove);
  try {
    folder = folderOnDisk(name);
    const cores = pinning
      ? 'a server and its load have a core each'
      : 'no taskset or one core only: a server and its load share';
    console.log(`${name}: Node ${process.version}, ${cores}; load average ${loadNow()}`);
    await run({ folder, say: (line) => console.log(`  ${line}`), judge });
    console.log(`  load average at the end ${loadNow()}`);
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
}

function judge(what: string, value: number, unit: string, bound: Bound): void {
  const [words, limit, kept] =
    'atLeast' in bound
      ? (['at least', bound.atLeast, value >= bound.atLeast] as const)
      : (['at most', bound.atMost, value <= bound.atMost] as const);
  const missed = bound.held === false ? 'not yet held' : 'MISSED';
  const [shown, wanted] = [value, limit].map((number) => `${decimals(number)}${unit && ` ${unit}`}`);
  console.log(`  ${what}: ${shown} (${words} ${wanted}: ${kept ? 'kept' : missed})`);
  if (!kept && bound.held !== false) process.exitCode = 1;
}

export function decimals(number: number): string {
  return Math.abs(number) >= 100 ? Math.round(number).toLocaleString('en-US') : String(Number(number.toPrecision(3)));
}

/** @param values at least one */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** Processor time that the process and its threads have used so far, in seconds. Linux alone. */
export function cpuSeconds(pid: number): number {
  const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = after.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** How long the main thread of the process has been ready to run and had no core, in seconds. Linux alone. */
export function coreWaitSeconds(pid: number): number {
  const [, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(waited) / 1e9;
}

function loadNow(): string {
  return `${loadavg()[0]?.toFixed(1) ?? '?'} on ${CORES} cores`;
}

/** Below `data/` of this checkout, or below BENCH_DIR. @throws when that is no disk */
function folderOnDisk(name: string): string {
  const parent = resolve(process.env['BENCH_DIR'] ?? join(ROOT, 'data'));
  mkdirSync(parent, { recursive: true });
  if (TMPFS.includes(statfsSync(parent).type)) {
    throw new Error(`${parent} lies in memory; set BENCH_DIR to a folder on a real disk.`);
  }
  return mkdtempSync(join(parent, `bench-${name}-`));
}
