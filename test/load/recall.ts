import { setTimeout as delay } from 'node:timers/promises';
import { sixServices, type Deployment } from '../support/deployment';
import { checkUpdate, management, type UpdateAnswer } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';
import { bench, decimals } from './bench';

/** From the request of a recall, on six services, to its response, and to the first corrected response of each replica. */
const RECALLS = 30;
const APP = 'com.example.bench';
const POLL_MS = 2;

async function tokenOf({ gateways, dataDir }: Deployment): Promise<string> {
  const owner = { SLUICE_SERVER: gateways[0]!, DATA_DIR: dataDir };
  const { stdout } = await sluice(['token', 'create', '--name', 'bench', '--all-apps', '--json'], owner);
  return (JSON.parse(stdout) as { readonly token: string }).token;
}

void bench('recall', async ({ folder, say, judge }) => {
  if (!sixServices.available) throw new Error('nats-server is not installed.');
  const deployment = await sixServices.deploy({ DATA_DIR: folder });
  try {
    say('all processes share the cores with the load');
    const { gateways, devices } = deployment;
    const token = await tokenOf(deployment);
    const api = management(gateways[0]!, token);
    await api.post('/apps', { name: 'Bench', bundle_id: APP });
    const created = await api.post<{ data: { plaintext_key: string } }>(`/apps/${APP}/api-keys`, { name: 'app' });
    const key = created.body.data.plaintext_key;
    const release = async (version: string): Promise<number> => {
      const bundle = await zipOf({ 'index.html': `<h1>${version}</h1>` });
      const { body } = await api.upload(`/apps/${APP}/builds`, bundle, { version, channel: 'production' });
      for (const device of devices) {
        while ((await checkUpdate(device, key, 'bench', '0.0.1')).body.version !== version) await delay(POLL_MS);
      }
      return body.data.build.id;
    };
    /** Without the checks of `call`, which take time too. */
    const isMoved = async (device: string, version: string): Promise<boolean> => {
      const headers = { 'X-API-Key': key, 'X-Device-ID': 'bench', 'X-Platform': 'ios', 'X-Current-Version': version };
      const answer = await fetch(`${device}/api/v1/updates/check`, { headers });
      return ((await answer.json()) as UpdateAnswer).available;
    };

    await release('1.0.0');
    const responses: number[] = [];
    const firsts: number[] = [];
    const lasts: number[] = [];
    for (let n = 1; n <= RECALLS; n += 1) {
      const version = `1.${n}.0`;
      const id = await release(version);
      const begin = performance.now();
      const corrected = devices.map(async (device) => {
        while (!(await isMoved(device, version))) await delay(POLL_MS);
        return performance.now() - begin;
      });
      const { status } = await fetch(
        `${gateways[n % gateways.length]!}/api/public/v1/apps/${APP}/builds/${id}/recall`,
        {
          method: 'POST',
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ reason: 'bench' }),
        },
      );
      responses.push(performance.now() - begin);
      if (status !== 200) throw new Error(`The recall had the response ${status}.`);
      const after = await Promise.all(devices.map((device) => isMoved(device, version)));
      if (after.includes(false)) throw new Error('A check after the response of the recall was answered as before it.');
      const times = await Promise.all(corrected);
      firsts.push(Math.min(...times));
      lasts.push(Math.max(...times));
    }
    const spread = (times: number[]) => {
      times.sort((a, b) => a - b);
      const at = (share: number) => `${decimals(times[Math.ceil(times.length * share) - 1]!)} ms`;
      return `median ${at(0.5)}, 90% ${at(0.9)}, longest ${at(1)}`;
    };
    say(`${RECALLS} recalls, from the request`);
    say(`to the response of the recall: ${spread(responses)}`);
    say(`to the first corrected response to a device: ${spread(firsts)}`);
    say(`to that of the last of ${devices.length} replicas: ${spread(lasts)}`);
    judge('longest, to that of the last replica', Math.max(...lasts) / 1_000, 's', { atMost: 1 });
  } finally {
    await deployment.destroy();
  }
});
