import { setTimeout as delay } from 'node:timers/promises';
import { checkUpdate } from '../../support/http';
import { zipOf } from '../../support/zip';
import type { Attack, Target } from '../target';

/** Limits count each device for a minute. What else a device sends leaves nothing. */
const DEVICES = 2_000;
const CHANNELS = ['production', 'beta', 'staging'];

/** The app declares attributes, and has a channel that it added, with builds for some devices alone. */
async function target(target: Target): Promise<void> {
  const { app, apiKey, address } = target.scene;
  const bearer = target.token();
  const path = `/api/public/v1/apps/${app}`;
  await target.prepared({ method: 'PATCH', path, bearer, body: { attributes: { plan: 'string', os: 'version' } } });
  await target.prepared({ method: 'POST', path: `${path}/channels`, bearer, body: { name: 'beta' } });
  const file = await zipOf({ 'index.html': 'beta' });
  const audience = JSON.stringify({ attributes: { plan: { in: ['pro', 'team'] }, os: { range: '>=17' } } });
  const builds = [{}, { audience }, { native_range: '>=3 <5', fingerprint: 'f00d', audience }];
  for (const [index, fields] of builds.entries()) {
    const form = { fields: { version: `9.${index}.0`, channel: 'beta', ...fields }, file };
    await target.prepared({ method: 'POST', path: `${path}/builds`, bearer, form });
  }
  while (!(await checkUpdate(address, apiKey, 'device', '0.9.0', 'beta')).body.available) await delay(50);
}

export const targetingChurn: Attack = {
  name: 'targeting-churn',
  does: 'sends update checks with ever new attributes, fingerprints, versions and channels to an app with audiences and added channels',
  wants: [200, 422],
  mostGrowthMiB: 8,
  async prepare(installation) {
    if (installation.round === 0) await target(installation);
  },
  async run(target, signal) {
    const send = target.pool(32);
    await target.repeat(signal, 32, (n) => {
      const channel = CHANNELS[n % 5] ?? target.text(20).toLowerCase();
      const headers = {
        'X-API-Key': target.scene.apiKey,
        'X-Device-ID': `device-${n % DEVICES}`,
        'X-Current-Version': `0.${target.whole(2 ** 31)}.${n}`,
        'X-Platform': n % 2 === 0 ? 'ios' : 'android',
        'X-App-Version': `${target.whole(9)}.${n}`,
        'X-Native-Fingerprint': n % 7 === 0 ? 'f00d' : target.text(64),
        'X-Embedded-Version': `0.${n}.${target.whole(100)}`,
        'X-Attr-Plan': n % 3 === 0 ? 'pro' : target.text(60),
        'X-Attr-Os': `${target.whole(30)}.${n}.0`,
        [`X-Attr-${target.text(12)}`]: target.text(60),
      };
      const from = `10.15.${target.whole(8)}.${target.whole(250)}`;
      return send({ path: `/api/v1/updates/check?channel=${channel}`, from, headers }, signal);
    });
  },
};
