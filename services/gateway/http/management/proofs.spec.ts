import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCESS_POLICIES } from '../access-policy';
import { describePlane } from '../openapi/document';
import { PLANES } from '../openapi/planes';

const ROOT = join(__dirname, '..', '..', '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'management-api.md'), 'utf8');

const rows = PAGE.split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (what|-+) /.test(line))
  .map((line) => {
    const [, what = '', proofs = ''] = line.split('|').map((cell) => cell.trim());
    return { what, proofs: proofs.split('<br>') };
  });

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

/** Every `code` that the description of the plane lets a refusal hold. */
function codesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { code } = schema as { code?: { enum?: string[]; const?: string } };
  const own = [code?.enum ?? [], code?.const ?? []].flat();
  return [...own, ...Object.values(schema).flatMap(codesIn)];
}

describe('docs/management-api.md', () => {
  it('names tests that there are', () => {
    expect(rows.length).toBeGreaterThan(80);
    const faults = rows.flatMap(({ what, proofs }) =>
      proofs.flatMap((proof) => {
        const fault = faultOf(proof);
        return fault === undefined ? [] : [`${what}: ${fault}`];
      }),
    );
    expect(faults).toEqual([]);
  });

  it('has a row for every route', () => {
    const routes = Object.entries(ACCESS_POLICIES)
      .filter(([, { plane }]) => plane === 'management')
      .map(([route]) => route.replace('/api/public/v1', '').replace(/:(\w+)/g, '{$1}'));
    expect(routes.filter((route) => !rows.some(({ what }) => what.includes(`\`${route}\``)))).toEqual([]);
  });

  it('has a row for every code that the plane refuses with', () => {
    const codes = [...new Set(codesIn(describePlane(PLANES.management)))];
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !rows.some(({ what }) => what.includes(`\`${code}\``)))).toEqual([]);
  });
});
