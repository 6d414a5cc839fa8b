import type { AddCommands, Terminal } from '@sluice/cli';
import { banner } from './banner';
import type { Server } from './main';
import { quickstart } from './quickstart';

/**
 * Adds `sluice start` and `sluice quickstart`.
 * @param command what a person types to run the CLI
 * @param load prepares the server in this process; may throw Failure
 */
export function serverCommands(command: string, load: (env: Terminal['env']) => Promise<Server>): AddCommands {
  return (program, { terminal }) => {
    const prepare = async (): Promise<Server> => {
      const server = await load(terminal.env);
      // Until the server handles these signals itself, they end the process immediately.
      for (const signal of ['SIGTERM', 'SIGINT']) process.removeAllListeners(signal);
      return server;
    };
    program
      .command('start')
      .description('start the server. Environment variables configure it. "sluice" without a command does the same')
      .action(async () => {
        const { serve } = await prepare();
        await serve((address, settings) => terminal.stdout.write(banner(address, settings, command)));
      });
    program
      .command('quickstart')
      .description('start the server in an empty DATA_DIR with a first app, and update a simulated device')
      .action(() => quickstart(command, prepare, terminal));
  };
}

/** The server starts if there is no command. */
export function commandOrStart(args: readonly string[]): readonly string[] {
  return args.length === 0 ? ['start'] : args;
}
