import type typed from '@commander-js/extra-typings';
import * as commander from 'commander';

export type { OptionValues } from '@commander-js/extra-typings';

/** Commander, whose commands infer what their actions are given from the options and arguments that they declare. */
export const { Argument, Command, CommanderError, Help, InvalidArgumentError, Option } =
  commander as unknown as typeof typed;
export type Option = typed.Option;
export type Command<
  Args extends unknown[] = [],
  // eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- commander: a command that has no option
  Options extends typed.OptionValues = Record<never, never>,
> = typed.Command<Args, Options>;
export type CommanderError = typed.CommanderError;
