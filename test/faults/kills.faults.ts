import { setTimeout as delay } from 'node:timers/promises';
import { temporaryDirectory } from '@sluice/testing';
import { standalone, type Deployment } from '../support/deployment';
import { call } from '../support/http';
import { launchProcess } from '../support/process';
import { auditData } from './audit';
import { faultRun, say } from './run';
import { FAULT_SETTINGS, Scene } from './scene';

const run = faultRun('kills of one process');
const FIRST_STARTS = Math.ceil(run.kills / 10);
const KILLS = Math.ceil(run.kills / 2);
/** A start has come to its end by then, most of the time. */
const START_MS = 1_500;

async function expectReady(address: string): Promise<void> {
  expect((await call(`${address}/health/ready`)).status).toBe(200);
}

describe('one process that is killed', () => {
  let deployment: Deployment | undefined;

  afterEach(() => deployment?.destroy(), 60_000);

  it(
    `starts on what the first start left when it was killed, ${FIRST_STARTS} times`,
    async () => {
      for (let kills = 0; kills < FIRST_STARTS; kills += 1) {
        const dataDir = temporaryDirectory();
        const first = launchProcess('standalone', { DATA_DIR: dataDir });
        await delay(run.random.below(START_MS));
        await first.stop('SIGKILL');
        const second = await standalone.deploy({ DATA_DIR: dataDir });
        try {
          const [address = ''] = second.gateways;
          await expectReady(address);
          const made = await call(`${address}/api/dashboard/v1/tokens`, {
            method: 'POST',
            headers: { Authorization: `Bearer ${await second.ownerKey()}`, 'Content-Type': 'application/json' },
            body: JSON.stringify({ name: 'first', all_apps: true }),
          });
          expect(made.status).toBe(201);
        } finally {
          await second.destroy();
        }
      }
    },
    60_000 + FIRST_STARTS * 20_000,
  );

  it(
    `loses nothing that it acknowledged, over ${KILLS} kills`,
    async () => {
      const { random } = run;
      deployment = await standalone.deploy(FAULT_SETTINGS);
      const scene = await Scene.open(deployment, random);
      let kills = 0;
      let duringStarts = 0;
      while (kills < KILLS) {
        const load = scene.startLoad();
        const [server] = deployment.processes;
        const moment = random.chance(0.5)
          ? delay(random.below(1_000))
          : scene.acknowledgements.next(1 + random.below(80));
        await load.until(moment);
        await server!.stop('SIGKILL');
        kills += 1;
        await load.stop();
        while (kills < KILLS && random.chance(0.3)) {
          const starting = deployment.revive(server!);
          await delay(random.below(START_MS));
          await starting.stop('SIGKILL');
          kills += 1;
          duringStarts += 1;
        }
        const { address } = await deployment.revive(server!).ready;
        await expectReady(address);
        await scene.compare();
      }
      const bundles = await scene.compareBytes();
      await auditData(deployment);
      expect(await deployment.stop()).toEqual([0]);
      say(
        `${kills} kills, ${duringStarts} of them during a start; ` +
          `${scene.acknowledgements.count} acknowledged writes there, ${bundles} bundles right`,
      );
    },
    60_000 + KILLS * 30_000,
  );
});
