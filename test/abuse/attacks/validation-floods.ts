import type { Attack } from '../target';

const MAPPINGS = Buffer.from(`{"category_mappings":[${'{},'.repeat(339_999)}{}]}`);
const CHECKS = Buffer.from(`{"checks":[${'0,'.repeat(499_999)}0]}`);

export const validationFloods: Attack = {
  name: 'validation-floods',
  does: 'sends 1 MB of JSON with half a million faults to feed/settings and diagnostics/repair, as the operator',
  wants: [422],
  atMostBytes: 100_000,
  async run(target, signal) {
    const send = target.pool(2);
    const bearer = target.scene.operatorKey;
    await target.repeat(signal, 2, (n) =>
      send(
        n % 2 === 0
          ? { method: 'POST', path: '/svc/v1/listings-ads/feed/settings', bearer, body: MAPPINGS }
          : { method: 'POST', path: '/svc/v1/listings-ads/diagnostics/repair', bearer, body: CHECKS },
        signal,
      ),
    );
  },
};
