import { createColors } from 'picocolors';
import { variable, type Terminal } from './terminal';
import { UsageError, type Failure } from './failure';

export type Cell = string | number | boolean | null | undefined;

type NameOfCell<T> = { [Name in keyof T]-?: T[Name] extends Cell ? Name : never }[keyof T];

/** A cell for each label: the name of a member, or what makes the cell. */
export type Columns<T> = Readonly<Record<string, NameOfCell<T> | ((item: T) => Cell)>>;

/** Rows of one value. A cell that is undefined is left out. */
export type Description<T> = Columns<T> | ((value: T) => Readonly<Record<string, Cell>>);

/**
 * How a command speaks. With `--json` stdout carries one JSON document and stderr nothing but the
 * error; otherwise results go to stdout and everything said on the way to stderr.
 */
export interface Output {
  /** Whether a progress bar may move on stderr. */
  readonly animated: boolean;
  /** Prints the value with `--json`. Answers whether it did. */
  json(value: unknown): boolean;
  result<T>(value: T, description: Description<T>): void;
  list<T>(items: readonly T[], columns: Columns<T>): Promise<void>;
  /** For people only. */
  qrCode(text: string): Promise<void>;
  /** For people only. */
  note(text: string): void;
  failure(failure: Failure): void;
}

export function createOutput(terminal: Terminal, json: boolean): Output {
  const { stdout, stderr } = terminal;
  const colorful = (stream: Terminal['stdout']) =>
    stream.isTTY === true && variable(terminal, 'NO_COLOR') === undefined && terminal.env.TERM !== 'dumb';
  const plain = createColors(colorful(stdout));
  const loud = createColors(colorful(stderr));

  const printJson = (value: unknown): boolean => {
    if (json) stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    return json;
  };

  return {
    json: printJson,
    animated: !json && stderr.isTTY === true,

    result(value, description) {
      if (printJson(value)) return;
      const described =
        typeof description === 'function' ? Object.entries(description(value)) : cells(value, description);
      const rows = described.filter(([, cell]) => cell !== undefined);
      const width = Math.max(...rows.map(([label]) => label.length));
      for (const [label, cell] of rows) stdout.write(`${plain.dim(label.padEnd(width))}  ${text(cell)}\n`);
    },

    async list(items, columns) {
      if (printJson(items)) return;
      const { default: Table } = await import('cli-table3');
      const table = new Table({ head: Object.keys(columns).map(plain.bold), ...BORDERLESS });
      for (const item of items) table.push(cells(item, columns).map(([, cell]) => text(cell)));
      if (items.length === 0) stderr.write('Nothing found.\n');
      else stdout.write(`${table.toString().replace(/[ \t]+$/gm, '')}\n`);
    },

    async qrCode(text) {
      if (json) return;
      const { default: encodeQR } = await import('qr');
      stdout.write(`\n${halfBlocks(encodeQR(text, 'raw', { ecc: 'low', border: 2 }), plain)}\n`);
    },

    note(said) {
      if (!json) stderr.write(`${printable(said)}\n`);
    },

    failure(failure) {
      const { attempt, code, message, details, advice } = failure;
      if (json) {
        stderr.write(`${JSON.stringify({ error: { code, message, ...(details && { details }) } })}\n`);
        return;
      }
      const title = attempt === undefined ? message : `could not ${attempt}`;
      stderr.write(`${loud.red('error:')} ${printable(title)}\n`);
      if (attempt !== undefined) stderr.write(`  ${loud.bold(printable(code))}: ${printable(message)}\n`);
      for (const line of fieldErrors(details)) stderr.write(`  ${printable(line)}\n`);
      if (advice !== undefined) stderr.write(`${loud.dim(printable(advice))}\n`);
      if (failure instanceof UsageError && advice === undefined)
        stderr.write('Add --help to see how the command is used.\n');
    },
  };
}

/** Two rows of modules on a line. Without colors, it is drawn for a dark background. */
function halfBlocks(rows: readonly (readonly boolean[])[], colors: ReturnType<typeof createColors>): string {
  const isLight = (row: number, column: number) => rows[row]?.[column] !== true;
  return rows
    .filter((_, row) => row % 2 === 0)
    .map((modules, line) => {
      const blocks = modules.map((_, column) => {
        const [upper, lower] = [isLight(2 * line, column), isLight(2 * line + 1, column)];
        return upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ';
      });
      return colors.bgBlack(colors.whiteBright(blocks.join('')));
    })
    .join('\n');
}

const NO_BORDERS = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
};
const BORDERLESS = { chars: NO_BORDERS, style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 } };

/** The rows of one value. */
export function cells<T>(item: T, columns: Columns<T>): [label: string, cell: Cell][] {
  return Object.entries(columns).map(([label, of]) => [
    label,
    typeof of === 'function' ? of(item) : (item[of] as Cell),
  ]);
}

function text(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return printable(String(cell));
}

/** What servers and file names say must not steer the terminal. */
function printable(said: string): string {
  return said.replace(/(?!\n)\p{Cc}/gu, '�');
}

function fieldErrors(details: Readonly<Record<string, unknown>> | undefined): string[] {
  const errors = details?.errors;
  if (typeof errors !== 'object' || errors === null) return [];
  return Object.entries(errors).flatMap(([field, messages]) =>
    [messages].flat().map((message) => `${field}: ${String(message)}`),
  );
}

/** Such as `1.2 MB`: powers of 1000. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let amount = bytes;
  let unit = -1;
  while (amount >= 1_000 && unit < units.length - 1) {
    amount /= 1_000;
    unit += 1;
  }
  return `${amount.toFixed(1)} ${units[unit] ?? ''}`;
}
