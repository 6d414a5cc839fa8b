import type { Attack } from '../target';

const CHANNELS = ['production', 'staging', 'development'];

export const cacheChurn: Attack = {
  name: 'cache-churn',
  does: 'sends update checks with ever new versions, fingerprints, devices and channels from many addresses, with the key of an install',
  wants: [200],
  async run(target, signal) {
    const send = target.pool(32);
    await target.repeat(signal, 32, (n) => {
      const channel = n % 4 === 3 ? target.text(20) : CHANNELS[n % 4]!;
      const version = `${target.whole(2 ** 31)}.${target.whole(2 ** 31)}.${target.whole(2 ** 31)}`;
      const headers = {
        'X-API-Key': target.scene.apiKey,
        'X-Device-ID': target.text(64),
        'X-Current-Version': n % 3 === 0 ? `0.0.${n}-${target.text(20)}` : version,
        'X-Platform': n % 2 === 0 ? 'ios' : 'android',
        'X-App-Version': `${target.whole(100)}.${n}`,
        ...(n % 2 === 0 && {
          'X-Embedded-Version': `0.${n}.${target.whole(100)}`,
          'X-Native-Fingerprint': target.text(64),
        }),
      };
      const from = `10.14.${target.whole(250)}.${target.whole(250)}`;
      return send({ path: `/api/v1/updates/check?channel=${channel}`, from, headers }, signal);
    });
  },
};
