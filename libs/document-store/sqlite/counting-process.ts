import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Logger } from '@sluice/kernel';
import { DocumentStoreUnavailableError } from '../port';
import { isMissingTable, type Fragment, type Record } from './sql';

export type Counted = { readonly records: readonly Record[] } | { readonly fault: string };

export interface CountingProcess {
  /** @throws DocumentStoreUnavailableError when the file can't be read, the process died of the query, or was closed */
  all(query: Fragment): Promise<readonly Record[]>;
  close(): Promise<void>;
}

export interface CountingProcessOptions {
  readonly path: string;
  /** Told of each death. */
  readonly logger?: Logger | undefined;
  /** A process that counted nothing for so long ends, and its memory is free. Default 60,000. */
  readonly idleMs?: number;
}

interface Waiting {
  readonly query: Fragment;
  readonly resolve: (records: readonly Record[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Reads what takes long, or groups what anybody may have written, one query after the other, in a child
 * process: a panic of libsql ends its whole process, in whatever thread it happens. The first query starts
 * it. When it dies, only the current query fails; the next one starts it again.
 */
export function openCountingProcess({ path, logger, idleMs = 60_000 }: CountingProcessOptions): CountingProcess {
  const waiting: Waiting[] = [];
  let child: ChildProcess | undefined;
  let counting: Waiting | undefined;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  const unavailable = (reason: string) => new DocumentStoreUnavailableError(`The document store ${path} ${reason}`);

  const settle = (outcome: Counted | Error): void => {
    const settled = counting;
    counting = undefined;
    if (outcome instanceof Error) settled?.reject(outcome);
    else if ('records' in outcome) settled?.resolve(outcome.records);
    else settled?.reject(faultOf(outcome.fault));
    next();
  };

  const start = (): ChildProcess => {
    const started = fork(require.resolve('./counting.child'), [path], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: process.execArgv.filter((option) => !option.startsWith('--inspect')),
    });
    const ended = (reason: string): void => {
      if (child !== started) return;
      child = undefined;
      logger?.error(`The process that counts in ${path} ended: ${reason}. The next query starts another.`);
      settle(unavailable(`could not be counted in: its process ended (${reason}).`));
    };
    started.on('message', (outcome: Counted) => {
      if (child === started) settle(outcome);
    });
    started.on('error', ({ message }) => ended(message));
    started.on('exit', (code, signal) => ended(signal ?? `exit code ${code}`));
    return started;
  };

  /** Ends the child without a word: it has nothing at work. */
  const rest = (): void => {
    child?.disconnect();
    child = undefined;
  };

  const next = (): void => {
    clearTimeout(idle);
    if (counting !== undefined || closed) return;
    counting = waiting.shift();
    if (counting === undefined) {
      idle = setTimeout(rest, idleMs).unref();
      return;
    }
    const counter = (child ??= start());
    counter.send(counting.query, (error) => {
      // It is ending, or can't be reached: its end rejects the query.
      if (error !== null) counter.kill('SIGKILL');
    });
  };

  return {
    all: (query) =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(unavailable('is closed.'));
          return;
        }
        waiting.push({ query, resolve, reject });
        next();
      }),
    close: async () => {
      closed = true;
      clearTimeout(idle);
      const ending = child;
      child = undefined;
      for (const { reject } of [counting, ...waiting.splice(0)].filter((each) => each !== undefined)) {
        reject(unavailable('is closed.'));
      }
      counting = undefined;
      if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
      // It only reads: nothing is lost with it, and a long query would hold up the end.
      const exited = once(ending, 'exit');
      ending.kill('SIGKILL');
      await exited;
    },
  };
}

/** A table that is gone with its generation is the asker's to look for again. */
function faultOf(message: string): Error {
  const error = new Error(message);
  return isMissingTable(error)
    ? error
    : new DocumentStoreUnavailableError(`The database could not be read: ${message}.`);
}
