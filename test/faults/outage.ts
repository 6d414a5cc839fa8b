import { setTimeout as delay } from 'node:timers/promises';
import { deployServices, type Deployment } from '../support/deployment';
import type { Relay } from '@sluice/testing/relay';
import { auditData } from './audit';
import type { Random } from './random';
import { say } from './run';
import { FAULT_SETTINGS, LONG_LEASE, Scene, type Load } from './scene';

/** Something that an installation is left without for a while. */
export interface Outage {
  readonly begin: () => unknown;
  /** It is there until this resolves. */
  readonly lasts: (load: Load) => Promise<unknown>;
  readonly end: () => unknown;
}

/** Six services at work, with devices that check and report. */
export interface Site {
  readonly deployment: Deployment;
  readonly scene: Scene;
  /**
   * Lets an outage come over it. Every call of a writer meanwhile is answered as sendToAny allows; afterwards
   * writes are acknowledged again, without intervention, and what is there is what was acknowledged.
   */
  outlive(outage: Outage): Promise<void>;
  /** While the engine behind the relay takes 500 ms for each call. */
  outliveSlowness(relay: Relay): Promise<void>;
  /** Ends the devices, compares the responses that they got with what is in the engines. */
  end(): Promise<void>;
  destroy(): Promise<void>;
}

/** So many writes are acknowledged before an outage, and again after it. */
const WRITES = 30;
const SLOW_MS = 500;
/** Acknowledged while an engine is slow. */
const SLOW_WRITES = 15;

/** One replica of each service, but of the device plane, which is to answer throughout. */
const REPLICAS = { 'device-updates': 2 };

export async function openSite(
  env: Readonly<Record<'BUS_URL', string> & Record<string, string>>,
  random: Random,
): Promise<Site> {
  const deployment = await deployServices({ ...FAULT_SETTINGS, ...LONG_LEASE, ...env }, REPLICAS);
  const scene = await Scene.open(deployment, random);
  const watch = await scene.watchDevices();
  const reporters = await scene.reportFromDevices(random.fork());

  const outlive = async ({ begin, lasts, end }: Outage): Promise<void> => {
    const load = scene.startLoad();
    await load.until(scene.acknowledgements.next(WRITES));
    await load.until(Promise.resolve(begin()));
    await lasts(load);
    await load.until(Promise.resolve(end()));
    await load.until(scene.acknowledgements.next(WRITES));
    await load.stop();
    await scene.settle();
    await scene.compare();
  };

  return {
    ...{ deployment, scene, outlive },
    outliveSlowness: (relay) =>
      outlive({
        begin: () => relay.slow(SLOW_MS),
        lasts: (load) => load.until(scene.acknowledgements.next(SLOW_WRITES)),
        end: () => relay.slow(0),
      }),
    async end() {
      const [checks, reports] = [await watch.stop(), await reporters.stop()];
      const bundles = await scene.compareBytes();
      await auditData(deployment);
      expect(Math.min(checks, reports, bundles)).toBeGreaterThan(0);
      expect(await deployment.stop()).toEqual(deployment.processes.map(() => 0));
      const { count } = scene.acknowledgements;
      say(
        `${count} acknowledged writes there, ${bundles} bundles right, ${checks} checks and ${reports} reports answered`,
      );
    },
    destroy: () => deployment.destroy(),
  };
}

export const lasting = (ms: number) => (load: Load) => load.until(delay(ms));
