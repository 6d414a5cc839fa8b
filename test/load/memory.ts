import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const MIB = 1024 * 1024;

/** Resident memory of a process, in MiB: now, and the most since `resetPeak`. Linux alone. */
export function residentMemory(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024) / MIB;
  return { now: field('VmRSS'), peak: field('VmHWM') };
}

/** Resets the kernel's peak to what the process has now. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** A server that is started with this setting collects its garbage on SIGUSR2. */
export const COLLECTS_GARBAGE = { NODE_OPTIONS: `--require ${join(__dirname, '..', 'fuzz', 'collect-garbage.cjs')}` };

/** What a server that `COLLECTS_GARBAGE` and is idle holds, in MiB. */
export async function heldMemory(pid: number, address: string): Promise<number> {
  process.kill(pid, 'SIGUSR2');
  await delay(1_000);
  const metrics = await (await fetch(`${address}/metrics`)).text();
  return Number(/^nodejs_heap_size_used_bytes(?:\{[^}]*\})? ([\d.e+]+)$/m.exec(metrics)?.[1]) / MIB;
}
