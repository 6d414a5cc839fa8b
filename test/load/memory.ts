import { readFileSync, writeFileSync } from 'node:fs';

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
