import type { Deployment } from '../support/deployment';
import { checkUpdate, management, sha256 } from '../support/http';
import type { ServerProcess } from '../support/process';
import { zipOf } from '../support/zip';
import type { Credentials } from './client';

/** A device that asks every device process, one after the other and all the time, for one release. */
export interface DeviceWatch {
  /** Ends it and answers how many right answers it got. @throws Error when a living process gave another, or none */
  stop(): Promise<number>;
}

/** Below the limit of one address. */
const PAUSE_MS = 20;

interface Release {
  readonly key: string;
  readonly checksum: string;
}

/** Releases a bundle of its own first, on an installation without fault. */
export async function watchDevices(deployment: Deployment, { token }: Credentials): Promise<DeviceWatch> {
  const release = await publish(deployment, token);
  let stopped = false;
  let answered = 0;

  const ask = async (process: ServerProcess): Promise<void> => {
    const alive = () => process.child.exitCode === null && !process.child.killed;
    if (!alive()) return;
    try {
      const { status, body } = await checkUpdate(process.address, release.key, `watch-${answered}`, '0.0.0');
      if (status === 200 && body.checksum === release.checksum) answered += 1;
      else throw new Error(`A living device process answered ${status} ${JSON.stringify(body)}.`);
    } catch (error) {
      if (alive()) throw error;
    }
  };
  const run = async (): Promise<void> => {
    while (!stopped) {
      for (const process of deployment.processes) {
        if (deployment.devices.includes(process.address)) await ask(process);
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  const running = run();
  running.catch(() => undefined);
  return {
    async stop() {
      stopped = true;
      await running;
      return answered;
    },
  };
}

async function publish(deployment: Deployment, token: string): Promise<Release> {
  const api = management(deployment.gateways[0]!, token);
  const app = '/apps/com.example.watched';
  await api.post('/apps', { name: 'Watched', bundle_id: 'com.example.watched' });
  const key = await api.post<{ data: { plaintext_key: string } }>(`${app}/api-keys`, { name: 'watch' });
  const bundle = await zipOf({ 'index.html': 'watched' });
  const accepted = await api.upload(`${app}/builds`, bundle, { version: '1.0.0', channel: 'production' });
  for (;;) {
    const job = await api.get<{ data: { status: string } }>(`/jobs/${accepted.body.data.job_id}`);
    if (job.body.data.status === 'completed') return { key: key.body.data.plaintext_key, checksum: sha256(bundle) };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
