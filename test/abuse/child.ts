import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';

const LOADER = join(__dirname, '..', 'register-swc.cjs');

/** A process of the suite that answers one request at a time. */
export interface Child {
  readonly pid: number;
  /** @throws Error with the message of what the child threw, or when it ended */
  ask<Answer>(request: object): Promise<Answer>;
  stop(): Promise<void>;
}

type Reply = { readonly answer: unknown } | { readonly fault: string };

/** What is measured does not wait for what attacks it, where both share a core. */
export const MEASURED = -10;
export const ATTACKING = -5;

/** @param file of this folder, whose `answerParent` answers */
export function startChild(file: string, priority: number): Child {
  const child = withPriority(priority, () => fork(join(__dirname, file), { execArgv: ['-r', LOADER] }));
  const ended = once(child, 'exit');
  process.once('exit', () => child.kill('SIGKILL'));
  return {
    pid: child.pid!,
    async ask<Answer>(request: object) {
      const replied = nextReply(child);
      child.send(request);
      const reply = await replied;
      if ('fault' in reply) throw new Error(reply.fault);
      return reply.answer as Answer;
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function nextReply(child: ChildProcess): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new Error('A process of the suite ended.'));
    child.once('exit', gone).once('message', (reply) => {
      child.off('exit', gone);
      resolve(reply as Reply);
    });
  });
}

/** In the child: answers each request of the parent, and ends with it. */
export function answerParent(answer: (request: never) => Promise<unknown>): void {
  process.once('disconnect', () => process.exit());
  process.on('message', (request) => {
    answer(request as never).then(
      (answered) => process.send!({ answer: answered }),
      (fault: unknown) =>
        process.send!({ fault: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault) }),
    );
  });
}

/**
 * Starts a process, all of whose threads go before others by so much: those of other sessions, too, where the system
 * does not group processes by session. Only root may do so; else they go as usual.
 * @param priority of the system: below 0
 */
export function withPriority<Started>(priority: number, start: () => Started): Started {
  const before = getPriority();
  try {
    setPriority(priority);
  } catch {
    return start();
  }
  try {
    return start();
  } finally {
    setPriority(before);
  }
}
