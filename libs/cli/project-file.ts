import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { channelNameSchema } from '@sluice/contracts';
import { CHANNEL_NAME_RULE } from '@sluice/kernel/channels';
import { z } from 'zod';
import type { Command } from './commander';
import type { Context } from './context';
import { UsageError } from './failure';
import { unreadable } from './read-text';
import { variable } from './terminal';

export const PROJECT_FILE = 'sluice.json';

/** The address of a server: http or https, without credentials and without a query. */
export function isServerAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '';
}

const isBelow = (path: string) => path !== '' && !isAbsolute(path) && !/^\.\.(?:[/\\]|$)/.test(normalize(path));

/** The members of sluice.json. It is committed with the app, so it has no member for a secret. */
export const projectSchema = z
  .strictObject({
    $schema: z.string().optional().meta({ description: 'Address of this schema, for editors.' }),
    server: z
      .string()
      .refine(isServerAddress, 'It must be an http or https address, for example https://updates.example.com.')
      .optional()
      .meta({ description: 'URL of the Sluice server.', format: 'uri' }),
    app: z.string().min(1).max(255).optional().meta({ description: 'Numeric ID or bundle ID of the app.' }),
    channel: channelNameSchema.optional().meta({ description: 'The channel for uploads and update checks.' }),
    folder: z
      .string()
      .refine(isBelow, 'It must be a relative path below the folder of sluice.json, for example dist.')
      .optional()
      .meta({ description: 'The output of the web build, relative to sluice.json.' }),
  })
  .meta({ title: 'sluice.json', description: 'Defaults of the command sluice for one app.' });

export type ProjectFile = z.infer<typeof projectSchema>;

export interface Project extends ProjectFile {
  /** Absolute path of the sluice.json. */
  readonly path: string;
}

/** A command reads the file several times. */
const known = new WeakMap<Context, Project | null>();

/**
 * The sluice.json of the current folder, or of the nearest folder above it. One that another user put there is ignored,
 * because requests would go to the server that it names.
 * @throws UsageError if it is not valid
 */
export function findProject(context: Context): Project | undefined {
  let project = known.get(context);
  if (project === undefined) {
    const path = nearest(context);
    project = path === undefined ? null : readProject(path);
    known.set(context, project);
  }
  return project ?? undefined;
}

function nearest({ terminal, output }: Context): string | undefined {
  const here = statSync(terminal.folder).uid;
  const me = process.getuid?.();
  for (let folder = terminal.folder, above = ''; folder !== above; above = folder, folder = dirname(folder)) {
    const path = join(folder, PROJECT_FILE);
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts === undefined) continue;
    if (me === undefined || [me, 0, here].includes(facts.uid)) return path;
    output.note(`${path} is ignored: it belongs to another user.`);
  }
  return undefined;
}

function readProject(path: string): Project {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(PROJECT_FILE, error);
  }
  return { ...parseProject(text, path), path };
}

/** @throws UsageError that names the file, the member and what is expected */
function parseProject(text: string, path: string): ProjectFile {
  const advice = 'Correct the file, or write it again: sluice init --force';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is not valid JSON: ${(error as Error).message}`, advice);
  }
  const { data, error } = projectSchema.safeParse(value);
  if (data !== undefined) return data;
  const faults = error.issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? `${issue.keys.join(', ')}: there is no such field. Allowed are server, app, channel and folder, and never a secret.`
      : `${issue.path.join('.') || 'the file'}: ${issue.message}`,
  );
  throw new UsageError(`${path} is not valid. ${faults.join(' ')}`, advice);
}

/** Absolute path of the web build that sluice.json names. @throws UsageError if it names none */
export function projectFolder(context: Context): string {
  const project = findProject(context);
  if (project?.folder !== undefined) return join(dirname(project.path), project.folder);
  throw new UsageError(`Name the folder or the zip file to upload, or set folder in ${PROJECT_FILE}.`);
}

type Default = 'app' | 'channel';
const VARIABLES = { app: 'SLUICE_APP', channel: 'SLUICE_CHANNEL' } as const;

/** Which options take their value from the environment or sluice.json when the command line has none. */
const defaults = new WeakMap<object, Default>();

/** Lets an option take its value from SLUICE_APP or SLUICE_CHANNEL, else from sluice.json. */
export function withDefault<O extends object>(option: O, member: Default): O {
  defaults.set(option, member);
  return option;
}

/** Fills in the options made by `withDefault`, before the command line is parsed. @throws UsageError */
export function fillDefaults(command: Command, context: Context): void {
  for (const part of command.commands as readonly Command[]) fillDefaults(part, context);
  for (const option of command.options) {
    const member = defaults.get(option);
    if (member === undefined) continue;
    const given = variable(context.terminal, VARIABLES[member]);
    if (given !== undefined && member === 'channel') {
      const { error } = channelNameSchema.safeParse(given);
      if (error !== undefined) throw new UsageError(`${VARIABLES[member]}: ${CHANNEL_NAME_RULE} Received: ${given}`);
    }
    const value = given ?? findProject(context)?.[member];
    if (value !== undefined) command.setOptionValueWithSource(option.attributeName(), value, 'config');
  }
}
