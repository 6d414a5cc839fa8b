import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(__dirname, '..', '..');

export interface ServerProcess {
  readonly name: string;
  /** `http://127.0.0.1:PORT` */
  readonly address: string;
  readonly child: ChildProcess;
  /** Everything that it has logged so far. */
  readonly log: readonly string[];
  /** Sends the signal and waits for the end; answers the exit code, null when a signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** A main that was started and may not be ready yet. */
export interface StartingProcess {
  /** Everything that it has logged so far. */
  readonly log: readonly string[];
  /** Rejects, with its log, when it ends before it is ready. */
  readonly ready: Promise<ServerProcess>;
  /** As that of the ServerProcess that it becomes. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** High enough that no test meets a limit that it doesn't set itself. */
const NO_LIMITS = {
  LIMIT_REQUESTS_PER_MINUTE: '1000000',
  LIMIT_OWNER_REQUESTS_PER_MINUTE: '1000000',
  LIMIT_CHANGES_PER_HOUR: '1000000',
  LIMIT_UPLOADS_PER_HOUR: '1000000',
  LIMIT_KEY_ACTIONS_PER_HOUR: '1000000',
  LIMIT_DEVICE_PER_MINUTE: '1000000',
  LIMIT_ADDRESS_PER_MINUTE: '1000000',
};

/** Starts a main that is built in `root`, without limits unless `env` sets them. */
export function launchProcess(name: string, env: Readonly<Record<string, string>>, root = ROOT): StartingProcess {
  const main = join(root, 'dist', 'services', name, 'main.js');
  const child = spawn(process.execPath, [main], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info', ...NO_LIMITS, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const log: string[] = [];
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return ended;
  };
  const ready = new Promise<ServerProcess>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      log.push(line);
      if (!line.includes('"Sluice is ready"')) return;
      resolve({ name, address: (JSON.parse(line) as { address: string }).address, child, log, stop });
    });
    void ended.then((code) =>
      reject(new Error(`${name} ended with ${String(code)} before it was ready:\n${log.join('\n')}`)),
    );
  });
  ready.catch(() => undefined);
  return { log, ready, stop };
}

/** Starts a built main and waits until it says that it is ready. */
export function startProcess(name: string, env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  return launchProcess(name, env).ready;
}

/** Runs the built command `sluice`; answers what it printed and its exit code. */
export async function sluice(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'libs', 'cli', 'main.js'), ...args], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
