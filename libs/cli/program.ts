import { VERSION } from '@sluice/config/version';
import { Command, CommanderError, Help, type Option } from './commander';
import { addApplyCommand } from './apply-command';
import { addAppCommands } from './app-commands';
import { addBuildCommands } from './build-commands';
import { addChannelCommands } from './channel-commands';
import { addCheckCommand } from './check-command';
import { addCompletionCommand } from './completion-command';
import { addDoctorCommand } from './doctor-command';
import { ExitCode, Failure, UsageError } from './failure';
import { addHistoryCommand } from './history-command';
import { addImportCommands } from './import-command';
import { addInitCommand } from './init-command';
import { addKeyCommands } from './key-commands';
import { addGroupCommands } from './group-commands';
import { addKeystoreCommands } from './keystore-commands';
import { addListingsCommands } from './listings-commands';
import { addLoginCommands } from './login-commands';
import type { Context } from './context';
import { createOutput } from './output';
import { addOwnerCommands } from './owner-commands';
import { fillDefaults } from './project-file';
import { addPlanTemplateCommands } from './plan-template-commands';
import { addPreviewCommands } from './preview-commands';
import { addProjectionsCommands } from './projections-commands';
import { addSecretsCommands } from './secrets-commands';
import { addSettingsCommand } from './settings-command';
import { addSigningKeyCommands } from './signing-key-commands';
import { addStatsCommands } from './stats-commands';
import type { Terminal } from './terminal';
import { addTokenCommands } from './token-commands';
import { addUpgradeCommand } from './upgrade-command';
import { addUploadCommand } from './upload-command';

const INTERRUPTED = 130;

/** Adds commands that need more than a server's address. */
export type AddCommands = (program: Command, context: Context) => void;

/** Some mandatory options have a default that their description states. */
export const isRequired = ({ mandatory, description }: Pick<Option, 'mandatory' | 'description'>): boolean =>
  mandatory && !description.includes('(default: ');

/** The command `sluice` with all its subcommands. */
export function createProgram(context: Context, json: boolean, addCommands?: AddCommands): Command {
  const { terminal } = context;
  const program = new Command('sluice')
    .description('Releases app bundles through a Sluice server.')
    .version(VERSION, '--version', 'print the version')
    // Behind a command, --version is that of a bundle.
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({
      optionDescription: (option) =>
        `${new Help().optionDescription(option)}${isRequired(option) ? ' (required)' : ''}`,
    })
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError: (text, write) => {
        if (!json) write(text);
      },
    })
    .showHelpAfterError(json ? false : 'Add --help to see how the command is used.');
  addCommands?.(program, context);
  addInitCommand(program, context);
  addLoginCommands(program, context);
  addOwnerCommands(program, context);
  addTokenCommands(program, context);
  addAppCommands(program, context);
  addApplyCommand(program, context);
  addKeyCommands(program, context);
  addSigningKeyCommands(program, context);
  addGroupCommands(program, context);
  addKeystoreCommands(program, context);
  addUploadCommand(program, context);
  addBuildCommands(program, context);
  addChannelCommands(program, context);
  addPreviewCommands(program, context);
  addImportCommands(program, context);
  addPlanTemplateCommands(program, context);
  addHistoryCommand(program, context);
  addCheckCommand(program, context);
  addStatsCommands(program, context);
  addListingsCommands(program, context);
  addProjectionsCommands(program, context);
  addSecretsCommands(program, context);
  addSettingsCommand(program, context);
  addUpgradeCommand(program, context);
  addDoctorCommand(program, context);
  addCompletionCommand(program, context);
  return program;
}

/**
 * Runs one command line and answers its exit code: 0 done, 1 refused or failed, 2 called wrongly,
 * 130 interrupted, or what the command documents. Never throws, and never prints a stack trace.
 */
export async function run(
  commandLine: readonly string[],
  terminal: Terminal,
  addCommands?: AddCommands,
): Promise<number> {
  const json = commandLine.includes('--json');
  const output = createOutput(terminal, json);
  const context = { terminal, output };

  const program = createProgram(context, json, addCommands);
  if (!commandLine.includes('--help')) {
    program.hook('preSubcommand', (_, command) => fillDefaults(command as unknown as Command, context));
  }
  try {
    await program.parseAsync(commandLine, { from: 'user' });
    return 0;
  } catch (error) {
    if (terminal.signal.aborted) {
      output.note('Interrupted.');
      return INTERRUPTED;
    }
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      if (json) output.failure(new UsageError(error.message.replace(/^error: /, '')));
      return 2;
    }
    if (error instanceof ExitCode) return error.exitCode;
    const failure = error instanceof Failure ? error : unexpected(error);
    output.failure(failure);
    return failure.exitCode;
  }
}

function unexpected(error: unknown): Failure {
  const { code, message } = error as NodeJS.ErrnoException;
  return new Failure({ code: code ?? 'UNEXPECTED', message: message, cause: error });
}
