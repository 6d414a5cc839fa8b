import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { run, type AddCommands } from './program';

/** Runs the command line of this process, which ends with the exit code of the command. */
export async function runCommandLine(commandLine: readonly string[], addCommands?: AddCommands): Promise<void> {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());

  // A reader such as `head` may go before all is written.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

  const { signal } = interruption;

  async function readLine(question: string, output: Writable): Promise<string> {
    const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY });
    // The interface takes Ctrl-C for itself, and at the end of the input it waits forever.
    const interrupt = () => interruption.abort();
    lines.once('SIGINT', interrupt).once('close', interrupt);
    try {
      return await lines.question(question, { signal });
    } finally {
      lines.off('close', interrupt).close();
    }
  }

  const terminal = {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    interactive: process.stdin.isTTY && process.stderr.isTTY,
    // Fails in a folder that was deleted.
    get folder() {
      return process.cwd();
    },
    ask: (question: string) => readLine(question, process.stderr),
    askSecret: async (question: string) => {
      if (!process.stdin.isTTY) return text(process.stdin);
      // Reading begins before the question is shown: what is typed from then on is not echoed.
      const line = readLine('', new Writable({ write: (_chunk, _encoding, done) => done() }));
      process.stderr.write(question);
      return line.finally(() => process.stderr.write('\n'));
    },
    signal,
    pause: (milliseconds: number) => pause(milliseconds, undefined, { signal }),
    now: () => new Date(),
  };

  process.exitCode = await run(commandLine, terminal, addCommands);
}
