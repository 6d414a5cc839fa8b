import { setTimeout as delay } from 'node:timers/promises';
import { sixServices, type Deployment } from '../support/deployment';
import type { ServerProcess } from '../support/process';
import { auditData } from './audit';
import type { Send } from './client';
import type { Release } from './release';
import { ReplicatedService } from './replicated-service';
import { faultRun, say } from './run';
import { FAULT_SETTINGS, LONG_LEASE, Scene } from './scene';

const { random } = faultRun('a rolling restart');
/** How long Kubernetes waits before it stops a process, so that no client opens a connection to it any more. */
const PRE_STOP_MS = 200;

/** Devices that ask one after the other. */
class Checks {
  private stopped = false;
  private readonly answers: Promise<number>;

  constructor(send: Send, { key, checksum }: Release) {
    this.answers = this.ask(send, key, checksum);
    this.answers.catch(() => undefined);
  }

  /** Answers how many were answered. @throws what `send` threw; Error when one was offered another build */
  stop(): Promise<number> {
    this.stopped = true;
    return this.answers;
  }

  private async ask(send: Send, key: string, checksum: string): Promise<number> {
    for (let asked = 0; ; asked += 1) {
      if (this.stopped) return asked;
      const device = { 'X-Device-ID': `device-${asked}`, 'X-Current-Version': '0.0.0', 'X-Platform': 'ios' };
      const headers = { 'X-API-Key': key, ...device };
      const outcome = await send('/api/v1/updates/check?channel=production', { headers }, { success: 200 });
      expect(outcome).toMatchObject({ kind: 'acknowledged', body: { checksum } });
    }
  }
}

describe('a rolling restart', () => {
  const planes = { gateway: new ReplicatedService(), 'device-updates': new ReplicatedService() };
  let deployment: Deployment | undefined;

  afterAll(async () => {
    for (const plane of Object.values(planes)) plane.close();
    await deployment?.destroy();
  }, 60_000);

  (sixServices.available ? it : it.skip)(
    `fails no request (${sixServices.name})`,
    async () => {
      deployment = await sixServices.deploy({ ...FAULT_SETTINGS, ...LONG_LEASE });
      const planeOf = (name: string) => planes[name as keyof typeof planes] as ReplicatedService | undefined;
      for (const process of deployment.processes) await planeOf(process.name)?.admit(process);
      const scene = await Scene.open(deployment, random, () => planes.gateway.send);
      const reporters = await scene.reportFromDevices(random.fork(), planes['device-updates'].send);
      const checks = new Checks(planes['device-updates'].send, await scene.release('checked'));
      const load = scene.startLoad();
      const replace = async (former: ServerProcess): Promise<void> => {
        const successor = await deployment!.revive(former).ready;
        const plane = planeOf(former.name);
        await plane?.admit(successor);
        plane?.withdraw(former);
        await delay(PRE_STOP_MS);
        expect(await former.stop('SIGTERM')).toBe(0);
      };
      // All services simultaneously, as when their image changes, and of each one replica after the other.
      for (const round of [0, 1]) {
        await load.until(scene.acknowledgements.next(20));
        const formers = deployment.processes.filter((_, place) => place % 2 === round);
        await load.until(Promise.all(formers.map(replace)));
      }
      await load.until(scene.acknowledgements.next(20));
      await load.stop();
      const [answers, reports] = [await checks.stop(), await reporters.stop()];
      await scene.settle();
      await scene.compare();
      await auditData(deployment);
      expect(await deployment.stop()).toEqual(deployment.processes.map(() => 0));
      say(`${scene.acknowledgements.count} writes, ${answers} checks and ${reports} reports, all answered`);
    },
    240_000,
  );
});
