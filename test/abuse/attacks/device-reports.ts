import type { Attack } from '../target';

/** Addresses in each round: together they may send 24,000 reports a minute. */
const ADDRESSES = 4;

let tokens: string[];

export const deviceReports: Attack = {
  name: 'device-reports',
  does: 'reports failed installs of random devices with random errors of 500 characters from 4 addresses, while a token requests the statistics 20 times concurrently',
  wants: [200],
  prepare(target) {
    tokens = [target.token(), target.token()];
  },
  async run(target, signal) {
    const [reports, stats] = [target.pool(32), target.pool(20)];
    const { app, build, bundleId, apiKey } = target.scene;
    await Promise.all([
      target.repeat(signal, 32, (n) => {
        const from = `10.4.${target.round}.${n % ADDRESSES}`;
        const headers = { 'X-API-Key': apiKey, 'X-Device-ID': target.text(32) };
        const body = { bundle_id: bundleId, status: 'failed', error: target.text(500) };
        return reports({ method: 'POST', path: '/api/v1/analytics/install', from, headers, body }, signal);
      }),
      target.repeat(signal, 20, (n) => {
        const bearer = tokens[n % tokens.length]!;
        return stats({ path: `/api/public/v1/apps/${app}/builds/${build}/stats`, bearer }, signal);
      }),
    ]);
  },
};
