import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

export interface ProofRow {
  readonly what: string;
  /** Each `file` › title, or a file alone. */
  readonly proofs: readonly string[];
}

/** The rows of a page of `docs/` that maps what is promised to the tests that prove it. */
export function proofRows(page: string): ProofRow[] {
  return readFileSync(join(ROOT, 'docs', page), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (what|-+) /.test(line))
    .map((line) => {
      const [, what = '', proofs = ''] = line.split('|').map((cell) => cell.trim());
      return { what, proofs: proofs.split('<br>') };
    });
}

/** What is wrong with the rows: a file or a title that there is not. */
export function proofFaults(rows: readonly ProofRow[]): string[] {
  return rows.flatMap(({ what, proofs }) =>
    proofs.flatMap((proof) => {
      const fault = faultOf(proof);
      return fault === undefined ? [] : [`${what}: ${fault}`];
    }),
  );
}

/** As prettier quotes a title in a source. */
const quoted = (title: string): string[] => [`'${title}'`, `"${title}"`, `\`${title}\``];

function faultOf(proof: string): string | undefined {
  const [, file = '', title] = /^`([^`]+)`(?: › (.+))?$/.exec(proof) ?? [];
  if (file === '') return `it must read \`file\` › title: ${proof}`;
  const path = join(ROOT, file);
  if (!existsSync(path)) return `there is no ${file}`;
  if (title === undefined) return undefined;
  const source = readFileSync(path, 'utf8');
  return quoted(title).some((text) => source.includes(text)) ? undefined : `${file} has no test "${title}"`;
}
