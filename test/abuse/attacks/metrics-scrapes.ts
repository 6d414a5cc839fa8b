import type { Attack } from '../target';

export const metricsScrapes: Attack = {
  name: 'metrics-scrapes',
  does: 'scrapes /metrics 200 times concurrently',
  wants: [200],
  async run(target, signal) {
    const send = target.pool(200);
    await target.repeat(signal, 200, () => send({ path: '/metrics' }, signal));
  },
};
