import type { Attack } from '../target';

let tokens: string[];

export const historyReads: Attack = {
  name: 'history-reads',
  does: 'reads the history of a channel of thousands of events, and how it was on a day, 8 concurrently by tokens and the owner',
  wants: [200],
  prepare(target) {
    tokens = Array.from({ length: 4 }, () => target.token());
  },
  async run(target, signal) {
    const send = target.pool(8);
    const { busyApp, operatorKey } = target.scene;
    const reads = ['/history?per_page=1', '/history?per_page=50&page=40', '/builds?as_of=2026-01-02T00:00:00.000Z'];
    await target.repeat(signal, 8, (n) => {
      const path = reads[n % reads.length]!;
      return n % 2 === 0
        ? send({ path: `/api/public/v1/apps/${busyApp}${path}`, bearer: tokens[n % tokens.length]! }, signal)
        : send({ path: `/api/dashboard/v1/apps/${busyApp}${path}`, bearer: operatorKey }, signal);
    });
  },
};
