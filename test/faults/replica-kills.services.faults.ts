import { setTimeout as delay } from 'node:timers/promises';
import { sixServices, type Deployment } from '../support/deployment';
import { call } from '../support/http';
import { auditData } from './audit';
import { faultRun, say } from './run';
import { FAULT_SETTINGS, Scene } from './scene';

const run = faultRun('kills of replicas');
const KILLS = Math.floor((run.kills * 2) / 5);
const START_MS = 2_000;

describe('replicas that are killed one at a time', () => {
  let deployment: Deployment | undefined;

  afterAll(() => deployment?.destroy(), 60_000);

  (sixServices.available ? it : it.skip)(
    `lose nothing that they acknowledged, over ${KILLS} kills, while devices are answered throughout (${sixServices.name})`,
    async () => {
      const { random } = run;
      deployment = await sixServices.deploy(FAULT_SETTINGS);
      const scene = await Scene.open(deployment, random);
      const watch = await scene.watchDevices();
      const killed = new Map<string, number>();
      let kills = 0;
      let duringStarts = 0;
      while (kills < KILLS) {
        const load = scene.startLoad();
        const victim = random.pick(deployment.processes);
        const moment = random.chance(0.5)
          ? delay(random.below(1_000))
          : scene.acknowledgements.next(1 + random.below(40));
        await load.until(moment);
        await victim.stop('SIGKILL');
        scene.inspectLogs();
        kills += 1;
        killed.set(victim.name, (killed.get(victim.name) ?? 0) + 1);
        // Writing continues without it.
        await load.until(scene.acknowledgements.next(10));
        while (kills < KILLS && random.chance(0.2)) {
          const starting = deployment.revive(victim);
          await load.until(delay(random.below(START_MS)));
          await starting.stop('SIGKILL');
          kills += 1;
          duringStarts += 1;
        }
        const { address } = await load.until(deployment.revive(victim).ready);
        expect((await call(`${address}/health/ready`)).status).toBe(200);
        await load.stop();
        await scene.compare();
      }
      const answers = await watch.stop();
      const bundles = await scene.compareBytes();
      await auditData(deployment);
      expect(await deployment.stop()).toEqual(deployment.processes.map(() => 0));
      const services = [...killed].map(([name, count]) => `${name} ${count}`).join(', ');
      say(
        `${kills} kills (${services}, ${duringStarts} during a start); ${scene.acknowledgements.count} acknowledged writes there, ` +
          `${bundles} bundles right, ${answers} checks answered meanwhile`,
      );
    },
    120_000 + KILLS * 60_000,
  );
});
