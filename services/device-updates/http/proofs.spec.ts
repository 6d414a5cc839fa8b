import { proofFaults, proofRows } from '../../../test/support/proofs';

it('docs/conformance/device-api.md names tests that there are', () => {
  const rows = proofRows('conformance/device-api.md');
  expect(rows.length).toBeGreaterThan(35);
  expect(proofFaults(rows)).toEqual([]);
});
