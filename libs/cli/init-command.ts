import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { STANDARD_CHANNELS } from '@sluice/kernel/channels';
import type { z } from 'zod';
import { Option, type Command } from './commander';
import { parseChannel } from './arguments';
import { mayAsk, withYes } from './confirm';
import { DEFAULT_SERVER } from './connection';
import { loginServer } from './credentials';
import type { Context } from './context';
import { Failure, UsageError } from './failure';
import { proposalsOf } from './init-proposals';
import { PROJECT_FILE, projectSchema, type ProjectFile } from './project-file';
import { variable } from './terminal';

type Member = 'server' | 'app' | 'channel' | 'folder';

const QUESTIONS: Readonly<Record<Member, string>> = {
  server: 'Address of the server',
  app: 'Numeric ID or bundle ID of the app',
  channel: `Channel (${STANDARD_CHANNELS.join(', ')}, or another channel of the app)`,
  folder: 'Folder of the web build',
};

/** `sluice init` */
export function addInitCommand(program: Command, context: Context): void {
  withYes(
    program
      .command('init')
      .description(`write ${PROJECT_FILE}, which sets defaults for the other commands in this folder`),
    'do not ask for values',
  )
    .option('--server <url>', 'URL of the server')
    .option(
      '--app <id>',
      'numeric ID or bundle ID of the app (default: taken from the Capacitor or Expo configuration)',
    )
    .addOption(new Option('--channel <channel>', 'channel of uploads and update checks').argParser(parseChannel))
    .option(
      '--folder <path>',
      'output folder of the web build (default: taken from the Capacitor configuration or the build tool)',
    )
    .option('--force', `replace an existing ${PROJECT_FILE}`)
    .option('--json', 'print JSON: the result on stdout, an error on stderr')
    .action(async (options) => {
      const { terminal, output } = context;
      const path = join(terminal.folder, PROJECT_FILE);
      const attempt = `write ${PROJECT_FILE}`;
      const exists = new Failure({
        attempt,
        code: 'FILE_EXISTS',
        message: `${path} exists.`,
        advice: 'Replace it with: sluice init --force',
      });
      if (options.force !== true && existsSync(path)) throw exists;

      const proposals = {
        server: variable(terminal, 'SLUICE_SERVER') ?? loginServer(terminal) ?? DEFAULT_SERVER,
        channel: 'production',
        folder: 'dist',
        ...proposalsOf(terminal.folder),
      };
      const members = ['server', 'app', 'channel', 'folder'] as const;
      const chosen: Partial<Record<Member, string | undefined>> = {};
      for (const member of members) {
        const given = options[member];
        const proposed = proposals[member];
        if (given === undefined && mayAsk(options, context)) chosen[member] = await ask(member, proposed, context);
        else if ((given ?? proposed) !== undefined) chosen[member] = given ?? proposed;
      }
      if (chosen.app === undefined) throw new UsageError('No app was found here. Name it: --app com.example.app');
      const file = valid(chosen);
      await writeFile(path, `${JSON.stringify(file, null, 2)}\n`, { flag: options.force === true ? 'w' : 'wx' }).catch(
        (error: unknown) => {
          const { code, message } = error as NodeJS.ErrnoException;
          if (code === 'EEXIST') throw exists;
          throw new Failure({ attempt, code: code ?? 'DISK', message, cause: error });
        },
      );
      output.result({ ...file, path }, () => ({ ...file, written: path }));
    });
}

/** Asks until the answer is valid. An empty answer takes the proposal. */
async function ask(member: Member, proposed: string | undefined, { terminal, output }: Context): Promise<string> {
  for (;;) {
    const hint = proposed === undefined ? '' : ` [${proposed}]`;
    const line = (await terminal.ask(`${QUESTIONS[member]}${hint}: `)).trim();
    const answer = line === '' ? (proposed ?? '') : line;
    const { error } = projectSchema.shape[member].safeParse(answer);
    if (error === undefined) return answer;
    output.note(error.issues.map(({ message }) => message).join(' '));
  }
}

function valid(chosen: Readonly<Partial<Record<Member, string | undefined>>>): ProjectFile {
  const { data, error } = projectSchema.safeParse(chosen);
  if (data !== undefined) return data;
  throw new UsageError(
    error.issues.map(({ path, message }: z.core.$ZodIssue) => `--${path.join('.')}: ${message}`).join(' '),
  );
}
