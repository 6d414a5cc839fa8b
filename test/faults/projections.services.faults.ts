import { setTimeout as delay } from 'node:timers/promises';
import { sixServices, type Deployment } from '../support/deployment';
import { sluice, type ServerProcess } from '../support/process';
import { faultRun, say } from './run';
import { FAULT_SETTINGS, LONG_LEASE, Scene, type Load } from './scene';

const { random } = faultRun('replicas of projections');
const test = sixServices.available ? it : it.skip;

jest.setTimeout(240_000);

const TAKEN_OVER_MS = 10_000;
/** Embedded engines: a process that is stopped while it writes keeps the file's lock, and then no process writes. */
const LOCKED_MS = 20_000;

describe(`projections on ${sixServices.name}`, () => {
  let deployment: Deployment;
  let scene: Scene;

  beforeAll(async () => {
    if (!sixServices.available) return;
    deployment = await sixServices.deploy({ ...FAULT_SETTINGS, ...LONG_LEASE });
    scene = await Scene.open(deployment, random);
  });

  afterAll(async () => {
    if (sixServices.available) await deployment.destroy();
  });

  async function compare(): Promise<void> {
    await scene.settle();
    await scene.compare();
    const { code, stdout } = await sluice(['projections', 'verify', '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      OWNER_KEY: await deployment.ownerKey(),
    });
    expect([code, stdout]).toEqual([0, expect.any(String)]);
  }

  test.each([0, 1])('are taken over by the replicas that are left, without a gap (replica %d dies)', async (place) => {
    const load = scene.startLoad();
    await load.until(scene.acknowledgements.next(20));
    const victims = deployment.processes.filter(({ name }, each) => name !== 'gateway' && each % 2 === place);
    await load.until(Promise.all(victims.map((victim) => victim.stop('SIGKILL'))));
    await load.until(scene.acknowledgements.next(20));
    await load.stop();
    await scene.settle(TAKEN_OVER_MS);
    await Promise.all(victims.map((victim) => deployment.revive(victim).ready));
    await compare();
  });

  test('are not changed by a replica that was paused and resumes at an old position', async () => {
    const load = scene.startLoad();
    let moved = 0;
    for (const zombie of deployment.processes.filter(({ name }) => ['registry', 'build-pipeline'].includes(name))) {
      const before = scene.acknowledgements.count;
      await stopBetweenWrites(zombie, load);
      moved += scene.acknowledgements.count - before;
      zombie.child.kill('SIGCONT');
    }
    await load.until(scene.acknowledgements.next(10));
    await load.stop();
    await compare();
    say(`${moved} writes were acknowledged while a replica was stopped`);
  });

  /** Until others have gone ahead of it. */
  async function stopBetweenWrites({ child }: ServerProcess, load: Load): Promise<void> {
    for (;;) {
      await load.until(delay(random.below(500)));
      child.kill('SIGSTOP');
      const ahead = scene.acknowledgements.next(5).then(() => true);
      if (await load.until(Promise.race([ahead, delay(LOCKED_MS, false)]))) return;
      child.kill('SIGCONT');
    }
  }
});
