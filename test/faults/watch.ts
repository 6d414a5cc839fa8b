import type { Deployment } from '../support/deployment';
import { checkUpdate } from '../support/http';
import type { ServerProcess } from '../support/process';
import { isAlive, type Credentials } from './client';
import { release } from './release';

/** A device that asks every device process, one after the other and all the time, for one release. */
export interface DeviceWatch {
  /** Ends it and answers how many right answers it got. @throws Error when a living process gave another, or none */
  stop(): Promise<number>;
}

/** Below the limit of one address. */
const PAUSE_MS = 20;

/**
 * Releases a bundle of its own first, on an installation without fault. As long as one device process lives at a
 * time, a client that tries the next when a connection is refused is always answered.
 */
export async function watchDevices(deployment: Deployment, credentials: Credentials): Promise<DeviceWatch> {
  const { key, checksum } = await release(deployment, credentials, 'watched');
  let stopped = false;
  let answered = 0;

  const ask = async (process: ServerProcess): Promise<void> => {
    if (!isAlive(process)) return;
    try {
      const { status, body } = await checkUpdate(process.address, key, `watch-${answered}`, '0.0.0');
      if (status === 200 && body.checksum === checksum) answered += 1;
      else throw new Error(`A living device process answered ${status} ${JSON.stringify(body)}.`);
    } catch (error) {
      if (isAlive(process)) throw error;
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
