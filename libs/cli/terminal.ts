import type { Writable } from 'node:stream';

/** What a command sees of the process that runs it. */
export interface Terminal {
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the current folder. */
  readonly folder: string;
  /** Whether a person can be asked. */
  readonly interactive: boolean;
  /** Shows the question and answers the line typed. Rejects when `signal` aborts. */
  ask(question: string): Promise<string>;
  /** As `ask`, without showing the input. Where no person can be asked, all of stdin. */
  askSecret(question: string): Promise<string>;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** Rejects when `signal` aborts. */
  pause(milliseconds: number): Promise<void>;
  now(): Date;
}

/** An environment variable, trimmed; an empty one counts as not set. */
export function variable({ env }: Terminal, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}
