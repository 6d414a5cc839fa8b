import type { Attack } from '../target';

export const ipv6Rotation: Attack = {
  name: 'ipv6-rotation',
  does: 'asks without a token from ever new IPv6 addresses: of one /64, and of /64s that were not seen before',
  wants: [401, 429],
  async run(target, signal) {
    const send = target.pool(32);
    await target.repeat(signal, 32, (n) => {
      const group = () => target.whole(0x10000).toString(16);
      const network = n % 2 === 0 ? '2001:db8:1:2' : `2001:db8:${group()}:${group()}`;
      return send({ path: '/api/public/v1/apps', from: `${network}:${group()}:${group()}:${group()}:1` }, signal);
    });
  },
};
