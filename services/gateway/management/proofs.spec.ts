import { proofFaults, proofRows } from '../../../test/support/proofs';
import { describePlane } from '@sluice/openapi';
import { PLANES } from '../openapi/planes';

const rows = proofRows('conformance/management-api.md');

/** Every `code` that the description of the plane lets a refusal hold. */
function codesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { code } = schema as { code?: { enum?: string[]; const?: string } };
  const own = [code?.enum ?? [], code?.const ?? []].flat();
  return [...own, ...Object.values(schema).flatMap(codesIn)];
}

describe('docs/conformance/management-api.md', () => {
  it('names tests that there are', () => {
    expect(rows.length).toBeGreaterThan(80);
    expect(proofFaults(rows)).toEqual([]);
  });

  it('has a row for every route', () => {
    const routes = PLANES.management.routes.map(({ method, url }) =>
      `${method} ${url}`.replace('/api/public/v1', '').replace(/:(\w+)/g, '{$1}'),
    );
    expect(routes.filter((route) => !rows.some(({ what }) => what.includes(`\`${route}\``)))).toEqual([]);
  });

  it('has a row for every code that the plane rejects with', () => {
    const codes = [...new Set(codesIn(describePlane(PLANES.management)))];
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !rows.some(({ what }) => what.includes(`\`${code}\``)))).toEqual([]);
  });
});
