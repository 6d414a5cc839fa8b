#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { run } from './program';

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());

// A reader such as `head` may go before all is written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const { signal } = interruption;
const terminal = {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  interactive: process.stdin.isTTY && process.stderr.isTTY,
  ask: async (question: string) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    // The interface takes Ctrl-C for itself.
    lines.once('SIGINT', () => interruption.abort());
    try {
      return await lines.question(question, { signal });
    } finally {
      lines.close();
    }
  },
  signal,
  pause: (milliseconds: number) => pause(milliseconds, undefined, { signal }),
  now: () => new Date(),
};

void run(process.argv.slice(2), terminal).then((exitCode) => {
  process.exitCode = exitCode;
});
