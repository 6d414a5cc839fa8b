import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

export interface ChildGroupOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the program with whatever it has started. */
  readonly signal: AbortSignal;
}

/** Processes get this long to end, and are then killed. */
const GRACE_MS = 5_000;

/**
 * Runs a program with a group of its own. A signal that only its first process got would leave what that one has
 * started behind: npm's shell, Jest and its workers, and the servers that tests start.
 * @returns its exit code; null when a signal ended it
 */
export async function runInGroup(
  program: string,
  args: readonly string[],
  { cwd, env, signal }: ChildGroupOptions,
): Promise<number | null> {
  const child = spawn(program, args, { cwd, env, stdio: 'inherit', detached: true });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const end = () => kill(child.pid, 'SIGTERM');
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    const [code] = await ended;
    return code;
  } finally {
    signal.removeEventListener('abort', end);
    // What outlives its first process: nothing, after a run that was not interrupted.
    for (const deadline = Date.now() + GRACE_MS; kill(child.pid, 0) && Date.now() < deadline;) await delay(50);
    kill(child.pid, 'SIGKILL');
  }
}

/** Whether there was a process of the group. */
function kill(group: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (group === undefined) return false;
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
}
