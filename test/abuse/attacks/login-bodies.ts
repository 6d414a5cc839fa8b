import type { Attack } from '../target';

const LARGE = Buffer.from(`[${'0,'.repeat(524_000)}0]`);

export const loginBodies: Attack = {
  name: 'login-bodies',
  does: 'logs in without a key: 1 MiB of JSON on each of 8 connections, malformed JSON and wrong keys on 8 more',
  wants: [413, 401, 429],
  atMostBytes: 10_000,
  async run(target, signal) {
    const [large, small] = [target.pool(8), target.pool(8)];
    const login = { method: 'POST', path: '/api/dashboard/v1/session' } as const;
    await Promise.all([
      // From more addresses than one, or the limit of the address would hide what a body costs.
      target.repeat(signal, 8, (n) =>
        large({ ...login, from: `10.1.${target.round}.${n % 250}`, body: LARGE }, signal),
      ),
      target.repeat(signal, 8, (n) => {
        const body = n % 2 === 0 ? '{"owner_key":' : JSON.stringify({ owner_key: `svc_own_${target.text(32)}` });
        return small({ ...login, from: '10.1.9.9', body }, signal);
      }),
    ]);
  },
};
