import type { Attack, Target } from '../target';

let token: string;
let app: number;

const rotations = {
  wants: [200],
  async prepare(target: Target) {
    token = target.token();
    app = await target.newApp(token);
    await target.prepared({ method: 'POST', path: `/api/public/v1/apps/${app}/signing-key`, bearer: token, body: {} });
  },
  async run(target: Target, signal: AbortSignal) {
    const send = target.pool(30);
    const path = `/api/public/v1/apps/${app}/signing-key/rotate`;
    await target.repeat(signal, 30, () => send({ method: 'POST', path, bearer: token, body: {} }, signal), 20);
  },
};

export const signingKeyRotations: Attack = {
  name: 'signing-key-rotations',
  does: 'rotates the signing key of an app 30 times concurrently, with a token',
  ...rotations,
  wants: [429],
};

export const unlimitedRotations: Attack = {
  name: 'signing-key-rotations-unlimited',
  does: 'the same with the limits of requests and changes out of the way: it is the generation that is attacked',
  settings: {
    LIMIT_KEY_ACTIONS_PER_HOUR: '1000000',
    LIMIT_REQUESTS_PER_MINUTE: '1000000',
    LIMIT_OWNER_REQUESTS_PER_MINUTE: '1000000',
    LIMIT_CHANGES_PER_HOUR: '1000000',
  },
  ...rotations,
};
