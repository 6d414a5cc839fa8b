import { setTimeout as delay } from 'node:timers/promises';
import type { BuildStats } from '@sluice/contracts';
import type { Deployment } from '../support/deployment';
import { management } from '../support/http';
import type { Credentials, Send } from './client';
import type { Random } from './random';
import { release } from './release';

/** Devices that report what became of a release of their own, each until its report is acknowledged. */
export interface Reporters {
  /**
   * Lets each end its report and answers how many were acknowledged. Nothing may be wrong any more.
   * @throws what `send` threw; Error when the statistics tell another number
   */
  stop(): Promise<number>;
}

const ABREAST = 3;
/** After a report that a fault cut off. */
const PAUSE_MS = 50;

/** Releases a bundle of its own first, on an installation without fault. */
export async function reportFromDevices(
  deployment: Deployment,
  credentials: Credentials,
  send: Send,
  random: Random,
): Promise<Reporters> {
  const { build, key, bundleId } = await release(deployment, credentials, 'reporting');
  let stopped = false;
  let devices = 0;
  let installed = 0;

  const report = async (kind: 'download' | 'install', device: string): Promise<boolean> => {
    const request = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': key, 'X-Device-ID': device, 'X-Platform': 'ios' },
      body: JSON.stringify({ bundle_id: bundleId, status: 'complete' }),
    };
    return (await send(`/api/v1/analytics/${kind}`, request, { success: 200 })).kind === 'acknowledged';
  };
  const insist = async (kind: 'download' | 'install', device: string): Promise<void> => {
    while (!(await report(kind, device))) await delay(PAUSE_MS);
  };
  const run = async (): Promise<void> => {
    while (!stopped) {
      const device = `reporter-${(devices += 1)}`;
      await insist('download', device);
      await insist('install', device);
      // As of a device that did not hear the answer.
      if (random.chance(0.1)) await insist('install', device);
      installed += 1;
      await delay(PAUSE_MS);
    }
  };
  const running = Promise.all(Array.from({ length: ABREAST }, run));
  running.catch(() => (stopped = true));

  return {
    async stop() {
      stopped = true;
      await running;
      const api = management(deployment.gateways[0]!, credentials.token);
      const { status, body } = await api.get<{ data: BuildStats }>(`${build}/stats`);
      const { downloads, installs } = status === 200 ? body.data.totals : {};
      if (downloads !== installed || installs !== installed) {
        throw new Error(`Of ${installed} devices the statistics tell ${status} ${JSON.stringify(body)}.`);
      }
      return 2 * installed;
    },
  };
}
