import type { Command, OptionValues } from './commander';
import type { Context } from './context';
import { Failure } from './failure';

export interface ConfirmOptions {
  readonly yes?: true | undefined;
  readonly json?: true | undefined;
}

/** Adds what every command understands that asks before it acts. */
export function withYes<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  description = 'do not ask for confirmation (with --json or without a terminal, no command asks)',
) {
  return command.option('--yes', description);
}

/** Whether there is a person to ask, who did not say yes beforehand. */
export function mayAsk({ yes, json }: ConfirmOptions, { terminal }: Context): boolean {
  return terminal.interactive && yes !== true && json !== true;
}

/**
 * Asks a yes or no of a person, where there is one to ask. `undone`: what a no leaves undone.
 * @throws Failure NOT_CONFIRMED
 */
export async function confirm(
  attempt: string,
  undone: string,
  options: ConfirmOptions,
  context: Context,
  question: () => string | Promise<string>,
): Promise<void> {
  if (!mayAsk(options, context)) return;
  if (/^y(es)?$/i.test((await context.terminal.ask(`${await question()} [y/N] `)).trim())) return;
  throw new Failure({ attempt, code: 'NOT_CONFIRMED', message: undone });
}
