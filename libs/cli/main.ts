#!/usr/bin/env node
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
  signal,
  pause: (milliseconds: number) => pause(milliseconds, undefined, { signal }),
  now: () => new Date(),
};

void run(process.argv.slice(2), terminal).then((exitCode) => {
  process.exitCode = exitCode;
});
