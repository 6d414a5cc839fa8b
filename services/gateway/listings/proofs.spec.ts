import { proofFaults, proofRows } from '../../../test/support/proofs';
import { PLANES } from '../openapi/planes';

const rows = proofRows('conformance/listings.md');

describe('docs/conformance/listings.md', () => {
  it('names tests that there are', () => {
    expect(rows.length).toBeGreaterThan(25);
    expect(proofFaults(rows)).toEqual([]);
  });

  it('has a row for every route', () => {
    const routes = PLANES['listings-ads'].routes.map(({ method, url }) =>
      `${method} ${url}`.replace('/svc/v1', '').replace(/:(\w+)/g, '{$1}'),
    );
    expect(routes.length).toBeGreaterThan(5);
    expect(routes.filter((route) => !rows.some(({ what }) => what.includes(`\`${route}\``)))).toEqual([]);
  });
});
