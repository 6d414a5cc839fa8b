import type { Attack } from '../target';

const listOf = (length: number, value: string) => `[${Array<string>(length).fill(value).join(',')}]`;
const SETTINGS = '/svc/v1/listings-ads/feed/settings';
const REPAIR = '/svc/v1/listings-ads/diagnostics/repair';

/** As large as a body may be, then as many values as one may have, then as long as the list may be. */
const FAULTY = [
  [SETTINGS, `{"category_mappings":${listOf(340_000, '{}')}}`],
  [REPAIR, `{"checks":${listOf(500_000, '0')}}`],
  [SETTINGS, `{"category_mappings":${listOf(49_000, '{}')}}`],
  [REPAIR, `{"checks":${listOf(49_000, '0')}}`],
  [SETTINGS, `{"category_mappings":${listOf(1_000, '{}')}}`],
] as const;

export const validationFloods: Attack = {
  name: 'validation-floods',
  does: 'sends JSON with up to half a million faults to feed/settings and diagnostics/repair, as the operator',
  wants: [413, 422],
  atMostBytes: 100_000,
  async run(target, signal) {
    const send = target.pool(2);
    const bearer = target.scene.operatorKey;
    await target.repeat(signal, 2, (n) => {
      const [path, body] = FAULTY[n % FAULTY.length]!;
      return send({ method: 'POST', path, bearer, body }, signal);
    });
  },
};
