import { setTimeout as delay } from 'node:timers/promises';
import { zipOf } from '../../support/zip';
import type { Attack } from '../target';

let app: number;
let build: number;

export const tenantGrowth: Attack = {
  name: 'tenant-growth',
  does: 'makes and revokes tokens and switches a rollout on and off, as an owner, 4 concurrently each',
  wants: [200, 201],
  async prepare(target) {
    if (target.round > 0) return;
    const bearer = target.scene.tenantKey;
    const body = { name: 'CI', all_apps: true };
    const sentForToken = { method: 'POST', path: '/api/dashboard/v1/tokens', bearer, body } as const;
    const { token } = (await target.prepared<{ data: { token: string } }>(sentForToken)).data;
    app = await target.newApp(token);
    const form = { fields: { version: '1.0.0', channel: 'production' }, file: await zipOf({ 'index.html': 'x' }) };
    const path = `/api/public/v1/apps/${app}/builds`;
    const sent = { method: 'POST', path, bearer: token, form } as const;
    ({ id: build } = (await target.prepared<{ data: { build: { id: number } } }>(sent)).data.build);
    for (;;) {
      const { data } = await target.prepared<{ data: { status: string } }>({ path: `${path}/${build}`, bearer: token });
      if (data.status === 'active') return;
      await delay(50);
    }
  },
  async run(target, signal) {
    const send = target.pool(8);
    const bearer = target.scene.tenantKey;
    const tokens = '/api/dashboard/v1/tokens';
    const rollout = `/api/dashboard/v1/apps/${app}/builds/${build}/rollout`;
    await Promise.all([
      target.repeat(signal, 4, async (n) => {
        const body = { name: `Token ${n}`, all_apps: true };
        const made = await send({ method: 'POST', path: tokens, bearer, body }, signal);
        if (made.status !== 201 || n % 2 === 0) return;
        const { data } = JSON.parse(made.text) as { data: { id: number } };
        await send({ method: 'POST', path: `${tokens}/${data.id}/revoke`, bearer, body: {} }, signal);
      }),
      target.repeat(signal, 4, (n) =>
        send({ method: 'PATCH', path: rollout, bearer, body: { enabled: n % 2 === 0 } }, signal),
      ),
    ]);
  },
};
