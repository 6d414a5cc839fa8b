import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Command } from '../../libs/cli/commander';
import type { Context } from '../../libs/cli/context';
import { createProgram } from '../../libs/cli/program';
import { projectSchema } from '../../libs/cli/project-file';
import { ROOT } from './made-secrets';

/** Written from the declarations of the commands: `npm run docs:cli`. */
export const CLI_PAGE = join(ROOT, 'docs', 'cli.md');

/** JSON schemas of the files that commands read, next to the code: npm run docs:cli. */
export const SCHEMAS: Readonly<Record<string, z.ZodType>> = { 'sluice.schema.json': projectSchema };
export const schemaPath = (name: string) => join(ROOT, 'libs', 'cli', name);

/** An option that this many commands share is described once. */
const COMMON = 20;

/** Declaring the commands reads nothing of their context. */
export const PROGRAM = createProgram({ terminal: {} } as Context, false);

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
  return command.options.map(({ flags, description, argChoices }) => ({
    flags,
    description: [description, ...(argChoices === undefined ? [] : [`one of ${argChoices.join(', ')}`])].join(': '),
  }));
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

function section({ name, command }: CliCommand): string {
  const rows = [
    ...command.registeredArguments.map((argument): [string, string] => [
      argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
      argument.description,
    ]),
    ...optionsOf(command)
      .filter((option) => !isCommon(option))
      .map(({ flags, description }): [string, string] => [flags, description]),
  ];
  return [
    `### \`${name}\``,
    escaped(sentence(command.description())),
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

\`npx sluice\` releases bundles through a Sluice server. \`--help\` after a command lists its options.

- An option takes precedence over the environment (\`SLUICE_SERVER\`, \`SLUICE_TOKEN\`, \`SLUICE_APP\`, \`SLUICE_CHANNEL\`),
  the environment over \`sluice.json\`, and \`sluice.json\` over the login. [The command in a project](guides/cli.md)
  describes both.
- Commands for owners use the owner key from \`OWNER_KEY\`, or else from \`owner.key\` in \`DATA_DIR\`. They send it only to
  the server of \`--server\` or \`SLUICE_SERVER\`, or else to \`http://127.0.0.1:8080\`.
- With \`--json\`, stdout holds one JSON document, and stderr holds only the error.
- The exit code is 0 on success, 1 if the command was rejected or failed, 2 if it was called incorrectly, and 130 if it was
  interrupted.
- The \`listings\` commands use an access token if there is one. It needs the permission \`manage_store\`
  (\`sluice token create --name store --permission manage_store\`), which only the first owner can grant. Without a token
  they use the first owner's key. The switch, the entitlement, the OAuth client and the webhook always need the first
  owner's key.
- \`listings sync --wait\` ends with exit code 1 unless the run completes.

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
