import { proofFaults, proofRows } from '../../../test/support/proofs';

it('docs/conformance/device-plane.md names tests that there are', () => {
  const rows = proofRows('conformance/device-plane.md');
  expect(rows.length).toBeGreaterThan(35);
  expect(proofFaults(rows)).toEqual([]);
});
