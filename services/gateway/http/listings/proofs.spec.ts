import { proofFaults, proofRows } from '../../../../test/support/proofs';
import { ACCESS_POLICIES, OPEN_ROUTES } from '../access-policy';

const all = proofRows('listings.md');
/** The tables before it tell of members and settings. */
const rows = all.slice(all.findIndex(({ what }) => what.startsWith('Off until turned on')));

describe('docs/listings.md', () => {
  it('names tests that there are', () => {
    expect(rows.length).toBeGreaterThan(25);
    expect(proofFaults(rows)).toEqual([]);
  });

  it('has a row for every route', () => {
    const listings = Object.entries(ACCESS_POLICIES).filter(([, { plane }]) => plane === 'listings');
    const open = [...OPEN_ROUTES].filter((route) => route.includes('/svc/v1'));
    const routes = [...listings.map(([route]) => route), ...open].map((route) =>
      route.replace('/svc/v1', '').replace(/:(\w+)/g, '{$1}'),
    );
    expect(routes.length).toBeGreaterThan(5);
    expect(routes.filter((route) => !rows.some(({ what }) => what.includes(`\`${route}\``)))).toEqual([]);
  });
});
