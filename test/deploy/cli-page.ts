import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { applySchema } from '../../libs/cli/apply-file';
import type { Command } from '../../libs/cli/commander';
import type { Context } from '../../libs/cli/context';
import { createProgram, isRequired } from '../../libs/cli/program';
import { projectSchema } from '../../libs/cli/project-file';
import { serverCommands } from '../../services/standalone/server-commands';
import { ROOT } from './made-secrets';

/** Written from the declarations of the commands: `npm run docs:cli`. */
export const CLI_PAGE = join(ROOT, 'docs', 'cli.md');

/** JSON schemas of the files that commands read, next to the code: npm run docs:cli. */
export const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  'apply.schema.json': applySchema,
  'sluice.schema.json': projectSchema,
};
export const schemaPath = (name: string) => join(ROOT, 'libs', 'cli', name);

/** An option that this many commands share is described once. */
const COMMON = 20;

/** Declaring the commands reads nothing of their context. */
export const PROGRAM = createProgram(
  { terminal: {} } as Context,
  false,
  serverCommands('sluice', () => Promise.reject(new Error('Only declared'))),
);

export interface CliCommand {
  /** With the program: `sluice build promote`. */
  readonly name: string;
  readonly command: Command;
}

function commandsBelow(command: Command, name: string): CliCommand[] {
  const parts = command.commands as readonly Command[];
  if (parts.length === 0) return [{ name, command }];
  return parts.flatMap((part) => commandsBelow(part, `${name} ${part.name()}`));
}

export const CLI_COMMANDS: readonly CliCommand[] = commandsBelow(PROGRAM, 'sluice');

interface DescribedOption {
  readonly flags: string;
  readonly description: string;
}

function optionsOf(command: Command): DescribedOption[] {
  return command.options.map((option) => {
    const { flags, description, argChoices, defaultValue } = option;
    const given = typeof defaultValue === 'boolean' ? undefined : (defaultValue as string | number | undefined);
    return { flags, description: described(description, argChoices, given, isRequired(option)) };
  });
}

function described(
  text: string,
  choices: readonly string[] | undefined,
  defaultValue: string | number | undefined,
  required: boolean,
): string {
  return [
    text,
    choices === undefined ? '' : `; one of ${choices.join(', ')}`,
    defaultValue === undefined ? '' : ` (default: ${defaultValue})`,
    required ? ' (required)' : '',
  ].join('');
}

const key = ({ flags, description }: DescribedOption) => `${flags} ${description}`;
const uses = new Map<string, number>();
for (const { command } of CLI_COMMANDS) {
  for (const option of optionsOf(command)) uses.set(key(option), (uses.get(key(option)) ?? 0) + 1);
}
const isCommon = (option: DescribedOption) => uses.get(key(option))! >= COMMON;
const common = new Map(
  CLI_COMMANDS.flatMap(({ command }) => optionsOf(command))
    .filter(isCommon)
    .map((option) => [key(option), option]),
);

const escaped = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '\\<');
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;

function table(head: string, rows: readonly (readonly [string, string])[]): string {
  const cells = [
    [head, 'description'],
    ['---', '---'],
    ...rows.map(([name, text]) => [`\`${name.replaceAll('|', '\\|')}\``, escaped(text)]),
  ];
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** With what must be given; none for a command that takes options alone. */
function usage({ name, command }: CliCommand): string[] {
  const required = command.options.filter(isRequired).map(({ flags }) => flags);
  if (required.length + command.registeredArguments.length === 0) return [];
  return [`\`\`\`text\n${[name, ...required, command.usage()].join(' ')}\n\`\`\``];
}

function section({ name, command }: CliCommand): string {
  const rows = [
    ...command.registeredArguments.map((argument): [string, string] => [
      argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
      described(argument.description, argument.argChoices, argument.defaultValue as string | undefined, false),
    ]),
    ...optionsOf(command)
      .filter((option) => !isCommon(option))
      .map(({ flags, description }): [string, string] => [flags, description]),
  ];
  return [
    `### \`${name}\``,
    escaped(sentence(command.description())),
    ...usage({ name, command }),
    ...(rows.length > 0 ? [table('argument or option', rows)] : []),
  ].join('\n\n');
}

/** The page as Markdown; tables are not padded. */
export function cliPage(): string {
  const groups = (PROGRAM.commands as readonly Command[]).map((group) => {
    const sections = commandsBelow(group, `sluice ${group.name()}`).map(section);
    return group.commands.length === 0
      ? sections.join('\n\n').replace(/^###/, '##')
      : [`## \`sluice ${group.name()}\``, escaped(sentence(group.description())), ...sections].join('\n\n');
  });
  return `# Command line

<!-- Generated from the declarations in libs/cli: npm run docs:cli -->

\`npx sluice\` releases bundles through a Sluice server. \`--help\` after a command lists its options. To install the
command in your app's repository, see [Using the CLI in your app's repository](guides/cli.md).

- A value comes from the first of these that has it: the option, the environment (\`SLUICE_SERVER\`, \`SLUICE_TOKEN\`,
  \`SLUICE_APP\`, \`SLUICE_CHANNEL\`), \`sluice.json\`, and the login that \`sluice login\` stored.
- Some commands need the owner key. It is read from \`OWNER_KEY\`, or else from \`owner.key\` in \`DATA_DIR\` (default:
  \`./data\`). It is sent only to the server given by \`--server\` or \`SLUICE_SERVER\` (default:
  \`http://127.0.0.1:8080\`), never to the server of \`sluice.json\` or of a login. If \`sluice.json\` contains a server,
  these commands fail until you give the server yourself.
- The operator is the first owner of an installation. Commands marked as "operator only" need the operator's key.
- A command asks for confirmation only on a terminal, without \`--json\` and without \`--yes\`. Otherwise it acts without asking,
  even if it deletes something: a script does not need \`--yes\`.
- With \`--json\`, stdout contains one JSON document, and stderr only the error.
- The exit code is 0 on success, 1 if the command was rejected or failed, 2 if it was called incorrectly, and 130 if it was
  interrupted. \`apply --dry-run --exit-code\` exits with 3 if there is something to change, and
  \`build plan --wait\` if the plan is held although no gate failed.
- \`start\` and \`quickstart\` run the server. They exist in a checkout and in the
  [executable](operations/executable.md), but not in \`@sluice/cli\`.
- The \`listings\` commands use an access token if there is one. It needs the permission \`manage_store\`
  (\`sluice token create --name shop --permission manage_store\`), which only the operator can grant. Without a token they
  use the operator's owner key. \`listings enable\`, \`disable\`, \`entitlement\`, \`oauth-client\` and \`webhook\` always need
  the operator's owner key.

## Common options

${table(
  'option',
  [...common.values()].map(({ flags, description }) => [flags, description]),
)}

${groups.join('\n\n')}
`;
}

if (require.main === module) {
  writeFileSync(CLI_PAGE, cliPage());
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    writeFileSync(schemaPath(name), JSON.stringify(z.toJSONSchema(schema, { io: 'input' })));
  }
  const written = [CLI_PAGE, ...Object.keys(SCHEMAS).map(schemaPath)];
  execFileSync('npx', ['prettier', '--write', ...written], { stdio: 'inherit' });
}
