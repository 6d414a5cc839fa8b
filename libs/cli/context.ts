import type { Output } from './output';
import type { Terminal } from './terminal';

/** What every command is given. */
export interface Context {
  readonly terminal: Terminal;
  readonly output: Output;
}
