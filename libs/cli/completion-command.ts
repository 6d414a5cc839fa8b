import { Argument, type Command } from './commander';
import type { Context } from './context';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `sluice completion` */
export function addCompletionCommand(program: Command, context: Context): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and their values in your shell')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(SHELLS))
    .action((shell) => void context.terminal.stdout.write(SCRIPTS[shell](positionsOf(program, ''))));
}

interface Word {
  readonly word: string;
  readonly description: string;
}

/** What can follow a command. */
interface Position {
  /** Such as ` build promote`; empty for the program. */
  readonly command: string;
  /** Subcommands, or the choices of an argument. */
  readonly words: readonly Word[];
  /** `values` undefined: the option takes none. Empty: any value, which may be the name of a file. */
  readonly options: readonly (Word & { readonly values: readonly string[] | undefined })[];
}

function positionsOf(command: Command, name: string): Position[] {
  const parts = command.commands as readonly Command[];
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const options = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description, argChoices, required, optional }) =>
      !long ? [] : [{ word: long, description, values: required || optional ? (argChoices ?? []) : undefined }],
    );
  const words = [
    ...parts.map((part) => ({ word: part.name(), description: part.description() })),
    ...choices.map((word) => ({ word, description: '' })),
  ];
  return [{ command: name, words, options }, ...parts.flatMap((part) => positionsOf(part, `${name} ${part.name()}`))];
}

const wordsOf = (words: readonly Word[]) => words.map(({ word }) => word).join(' ');
const commandsOf = (positions: readonly Position[]) => positions.slice(1).map(({ command }) => `'${command}'`);
const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', ' ')}'`;

/** In each, the words so far that name a command decide what can follow; elsewhere shells complete files. */
const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], (positions: readonly Position[]) => string>> = {
  bash: (positions) => `# Completes sluice in bash: source <(sluice completion bash)
_sluice() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} named= offered= options= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$named \${COMP_WORDS[i]}" in
      ${commandsOf(positions).join(' | ')}) named+=" \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$named" in
${positions.map(({ command, words, options }) => `    '${command}') offered='${wordsOf(words)}' options='${wordsOf(options)}' ;;\n`).join('')}  esac
  case "$named $previous" in
${positions
  .flatMap(({ command, options }) => options.map((option) => ({ ...option, command })))
  .filter(({ values }) => values !== undefined)
  .map(({ command, word, values = [] }) => `    '${command} ${word}') offered='${values.join(' ')}' options= ;;\n`)
  .join('')}  esac
  [[ $current == -* ]] && offered=$options
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o default -F _sluice sluice
`,

  zsh: (positions) => `# Completes sluice in zsh: source <(sluice completion zsh)
autoload -Uz compinit bashcompinit && compinit && bashcompinit
${SCRIPTS.bash(positions)}`,

  fish: (positions) => `# Completes sluice in fish: sluice completion fish | source
function __sluice_at
    set -l named ''
    for word in (commandline -opc)[2..]
        contains -- "$named $word" ${commandsOf(positions).join(' ')}; and set named "$named $word"
    end
    test "$named" = "$argv[1]"
end
${positions
  .flatMap(({ command, words, options }) => {
    const at = `complete -c sluice -n ${quoted(`__sluice_at '${command}'`)}`;
    return [
      ...words.map(({ word, description }) => `${at} -f -a ${word} -d ${quoted(description)}\n`),
      ...options.map(({ word, description, values }) => {
        const value = values === undefined ? '' : values.length === 0 ? ' -r' : ` -x -a ${quoted(values.join(' '))}`;
        return `${at} -l ${word.slice(2)}${value} -d ${quoted(description)}\n`;
      }),
    ];
  })
  .join('')}`,
};
