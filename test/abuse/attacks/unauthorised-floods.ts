import type { Attack } from '../target';

export const unauthorisedFloods: Attack = {
  name: 'unauthorised-floods',
  does: 'brings wrong access tokens, owner keys and API keys, and asks for paths that are not there, from one address and from many',
  wants: [401, 404, 429],
  async run(target, signal) {
    const send = target.pool(32);
    await target.repeat(signal, 32, (n) => {
      const from = n % 2 === 0 ? '10.15.255.1' : `10.15.${target.whole(250)}.${target.whole(250)}`;
      switch (Math.floor(n / 2) % 4) {
        case 0:
          return send({ path: '/api/public/v1/apps', from, bearer: `svc_pat_${target.text(32)}` }, signal);
        case 1:
          return send({ path: '/api/dashboard/v1/apps', from, bearer: `svc_own_${target.text(32)}` }, signal);
        case 2: {
          const headers = {
            'X-API-Key': `svc_app_${target.text(32)}`,
            'X-Device-ID': 'd',
            'X-Current-Version': '1.0.0',
          };
          return send({ path: '/api/v1/updates/check', from, headers }, signal);
        }
        default:
          return send({ path: `/${target.text(30)}`, from }, signal);
      }
    });
  },
};
