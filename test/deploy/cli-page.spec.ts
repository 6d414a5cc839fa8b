import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../../libs/cli/commander';
import { z } from 'zod';
import { CLI_COMMANDS, CLI_PAGE, cliPage, PROGRAM, SCHEMAS, schemaPath } from './cli-page';
import { ROOT } from './made-secrets';

it('describes each command in docs/cli.md as it is declared (else: npm run docs:cli)', () => {
  // Prettier pads tables and escapes.
  const plain = (text: string) => text.replace(/ +\|/g, ' |').replace(/-{3,}/g, '---').replaceAll('\\', '').trim();
  expect(plain(readFileSync(CLI_PAGE, 'utf8'))).toBe(plain(cliPage()));
});

it.each(Object.entries(SCHEMAS))(
  'libs/cli/%s describes what the command accepts (else: npm run docs:cli)',
  (name, schema) => {
    expect(JSON.parse(readFileSync(schemaPath(name), 'utf8'))).toEqual(z.toJSONSchema(schema, { io: 'input' }));
  },
);

it('describes every command', () => {
  expect(CLI_COMMANDS.length).toBeGreaterThan(50);
  expect(CLI_COMMANDS.filter(({ command }) => command.description() === '').map(({ name }) => name)).toEqual([]);
});

/** What is wrong with a command line; undefined when each of its subcommands and options exists. */
function faultOf(words: readonly string[]): string | undefined {
  let command = PROGRAM;
  let rest = words;
  while (command.commands.length > 0 && /^[a-z][a-z-]*$/.test(rest[0] ?? '')) {
    const next = (command.commands as readonly Command[]).find((part) => part.name() === rest[0]);
    if (next === undefined) return `${command.name()} has no command ${rest[0]}`;
    command = next;
    rest = rest.slice(1);
  }
  if (command.commands.length > 0) return undefined;
  const options = rest.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split('=')[0]!);
  const unknown = options.find((option) => option !== '--help' && !command.options.some(({ long }) => long === option));
  return unknown === undefined ? undefined : `${command.name()} has no option ${unknown}`;
}

it('finds commands and options that do not exist', () => {
  expect(faultOf(['build', 'vanish'])).toBe('build has no command vanish');
  expect(faultOf(['build', 'pause', '2', '--softly'])).toBe('pause has no option --softly');
  expect(faultOf(['build', 'pause', '2', '--app', 'com.example.shop'])).toBeUndefined();
});

it('names only commands and options that exist, in every document', () => {
  const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  const faults = documents.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8').replace(/\\\n/g, ' ');
    // As code: in a span, or as a line of a block.
    return [...text.matchAll(/(?:`|^(?:[A-Z_]+=\S+ )*|\$\()(?:npx )?sluice ([^`\n|)]+)/gm)].flatMap(([, line]) => {
      const fault = faultOf(
        line!
          .split(/ (?:#|>|&&) /)[0]!
          .trim()
          .split(/\s+/),
      );
      return fault === undefined ? [] : [`${path}: sluice ${line}: ${fault}`];
    });
  });
  expect(faults).toEqual([]);
});
