import { proofFaults, proofRows } from '../../../test/support/proofs';
import { PLANES } from '../openapi/planes';

const all = proofRows('listings.md');
/** The tables before it tell of members and settings. */
const rows = all.slice(all.findIndex(({ what }) => what.startsWith('Off until turned on')));

describe('docs/listings.md', () => {
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
