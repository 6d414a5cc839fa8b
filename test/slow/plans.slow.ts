import { hash } from 'node:crypto';
import type { Plan } from '@sluice/contracts';
import { eventually } from '@sluice/testing';
import { seededRandom } from '../faults/random';
import { say } from '../faults/run';
import { standalone, type Deployment } from '../support/deployment';
import { call, checkUpdate, management } from '../support/http';
import { MovedClock } from '../support/moved-clock';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';
import { EMBEDDED, Fleet, type FleetDevice, type FleetOptions } from './fleet';

/** `npm run test:long` sets both. */
const SEEDS = (process.env['PLAN_SEEDS'] ?? '1,2,3').split(',').map(Number);
/** The seeds of healthy builds, the first and the last. */
const [FIRST_RUN = 1, LAST_RUN = 1] = (process.env['PLAN_RUNS'] ?? '1-6').split('-').map(Number);
const HEALTHY_RUNS = LAST_RUN - FIRST_RUN + 1;
/** Of a bad build: all of them check for updates. */
const DEVICES = 20_000;
/** Of a healthy build: in each step, so many of those that its rollout holds check for updates. */
const [HEALTHY_DEVICES, EACH_STEP] = [10_000, 500];
/** Healthy builds that are rolled out at the same time. */
const AT_ONCE = 20;
const FORGED = 1_000;
const MINUTE = 60_000;
const PERCENTAGES = [5, 25, 50, 100];

type Sent = Pick<Plan['steps'][number], 'hold_minutes' | 'min_devices'>;

/** An app with one build, which a plan rolls out. */
interface Rollout {
  readonly build: number;
  readonly fleet: Fleet;
  readonly apiKey: string;
  /** Have not checked for updates yet. */
  waiting: readonly FleetDevice[];
  readonly plan: () => Promise<Plan>;
}

/** The place of a device in the rollout of a build, in percent: it is offered the build below the percentage. */
function bucketOf(device: string, build: number): number {
  return (100 * Number.parseInt(hash('sha256', `${device}:${build}`).slice(0, 8), 16)) / 2 ** 32;
}

describe('builds that plans roll out, with simulated devices', () => {
  const clock = new MovedClock();
  let deployment: Deployment;
  let token: string;
  const fleets: Fleet[] = [];

  const api = () => management(deployment.gateways[0]!, token);

  /** With steps of these percentages, which halt the build if it fails. */
  async function rollOut(
    name: string,
    step: Sent,
    of: Pick<FleetOptions, 'devices' | 'random' | 'failureRate' | 'downloading'>,
  ): Promise<Rollout> {
    const app = `/apps/com.example.${name}`;
    await api().post('/apps', { name, bundle_id: `com.example.${name}` });
    const key = await api().post<{ data: { plaintext_key: string } }>(`${app}/api-keys`, { name });
    const apiKey = key.body.data.plaintext_key;
    const bundle = await zipOf({ 'index.html': `<h1>${name}</h1>` });
    const build = await api().release(`${app}/builds`, bundle, { version: '1.1.0', channel: 'production' });
    const path = `${app}/builds/${build}/plan`;
    const steps = PERCENTAGES.map((percentage) => ({ percentage, ...step }));
    expect((await api().put(path, { steps, on_fail: 'halt' })).status).toBe(200);
    const fleet = new Fleet({ ...of, apiKey, channel: 'production' });
    await fleet.connect(deployment.devices[0]!);
    fleets.push(fleet);
    return {
      build,
      fleet,
      apiKey,
      waiting: fleet.devices,
      plan: async () => (await api().get<{ data: Plan }>(path)).body.data,
    };
  }

  /** Some devices that the rollout holds, and that have not checked yet, install the build. */
  async function installOn(rollout: Rollout, percentage: number): Promise<void> {
    const { build, fleet, waiting } = rollout;
    const asking = waiting.filter(({ id }) => bucketOf(id, build) < percentage).slice(0, EACH_STEP);
    const { status } = await rollout.plan();
    if (status !== 'running') return;
    const before = fleet.tally.offers;
    await fleet.check(asking);
    expect(fleet.tally.offers - before).toBe(asking.length);
    const asked = new Set(asking);
    rollout.waiting = waiting.filter((device) => !asked.has(device));
  }

  /** Reports of as many devices, all from one address. */
  async function forge({ build, apiKey, fleet, waiting }: Rollout, status: string): Promise<void> {
    // One that has not rolled it back.
    const { id } = fleet.devices.find((device) => {
      return bucketOf(device.id, build) < PERCENTAGES[0]! && (device.version !== EMBEDDED || waiting.includes(device));
    })!;
    const offer = await checkUpdate(deployment.devices[0]!, apiKey, id, EMBEDDED);
    expect(offer.body.available).toBe(true);
    const send = (device: number) =>
      call(`${deployment.devices[0]!}/api/v1/analytics/install`, {
        method: 'POST',
        headers: {
          ...{ 'X-API-Key': apiKey, 'X-Device-ID': `forged-${device}`, 'X-Forwarded-For': '203.0.113.7' },
          'Content-Type': 'application/json',
        },
        body: JSON.stringify({ bundle_id: offer.body.bundleId, status }),
      });
    for (let sent = 0; sent < FORGED; sent += 50) {
      const responses = await Promise.all(Array.from({ length: 50 }, (_, index) => send(sent + index)));
      expect(responses.map((response) => response.status)).toEqual(responses.map(() => 200));
    }
  }

  /** A look at a plan that took a minute would rest for another, so those that reports caused end before. */
  async function passMinute(rollouts: readonly Rollout[]): Promise<void> {
    for (let round = 0; round < 5; round += 1) for (const { plan } of rollouts) await plan();
    clock.advance(MINUTE);
  }

  beforeAll(async () => {
    deployment = await standalone.deploy({
      ...clock.env,
      ...{ TRUSTED_PROXIES: '127.0.0.1/32', APP_LIMIT: '1000', LIMIT_DOWNLOADS_PER_ADDRESS: '100000' },
    });
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      DATA_DIR: deployment.dataDir,
    });
    ({ token } = JSON.parse(made.stdout) as { token: string });
  }, 180_000);

  afterEach(async () => {
    await Promise.all(fleets.splice(0).map((fleet) => fleet.close()));
  });

  afterAll(() => deployment.destroy(), 60_000);

  it(
    `stops a build that fails on 30% of the devices before 1.5% of ${DEVICES} are offered it`,
    async () => {
      const exposed: number[] = [];
      for (const seed of SEEDS) {
        const of = { devices: DEVICES, random: seededRandom(seed), failureRate: 0.3, downloading: 1 };
        const { fleet, plan } = await rollOut(`bad${seed}`, { hold_minutes: 60, min_devices: 500 }, of);
        await fleet.round(1);
        expect(fleet.tally.checks).toBe(DEVICES);
        await eventually(async () => (await plan()).status === 'failed');
        expect((await plan()).judged).toMatchObject({ verdict: 'fail', step: 1 });
        exposed.push(fleet.tally.offers);
        await fleet.close();
      }
      const shares = exposed.map((offers) => `${((100 * offers) / DEVICES).toFixed(2)}%`);
      say(`offered of ${DEVICES} devices, seeds ${SEEDS.join()}: ${exposed.join()} (${shares.join()})`);
      expect(Math.max(...exposed)).toBeLessThanOrEqual(0.015 * DEVICES);
      expect(Math.min(...exposed)).toBeGreaterThan(0);
    },
    30_000 + SEEDS.length * 60_000,
  );

  it(
    `completes the plans of ${HEALTHY_RUNS} builds that fail on 0.5% of the devices`,
    async () => {
      const stopped: string[] = [];
      let [failures, installs] = [0, 0];
      for (let first = FIRST_RUN; first <= LAST_RUN; first += AT_ONCE) {
        const runs: Rollout[] = [];
        for (let seed = first; seed < first + AT_ONCE && seed <= LAST_RUN; seed += 1) {
          const of = { devices: HEALTHY_DEVICES, random: seededRandom(seed), failureRate: 0.005 };
          runs.push(await rollOut(`healthy${seed}`, { hold_minutes: 0, min_devices: 400 }, of));
        }
        for (const [index, percentage] of PERCENTAGES.entries()) {
          for (const rollout of runs) await installOn(rollout, percentage);
          await passMinute(runs);
          await Promise.all(
            runs.map(({ plan }) =>
              eventually(
                async () => {
                  const { step, status } = await plan();
                  return status !== 'running' || step! >= index + 2;
                },
                { everyMs: 200 },
              ),
            ),
          );
        }
        for (const { build, fleet, plan } of runs) {
          const { status, message } = await plan();
          if (status !== 'completed') stopped.push(`build ${build}: ${message}`);
          failures += fleet.tally.failures;
          installs += fleet.tally.offers;
          await fleet.close();
        }
      }
      const rate = `${((100 * failures) / installs).toFixed(2)}% of ${installs} installations failed`;
      say(
        `of ${HEALTHY_RUNS} healthy builds, seeds ${FIRST_RUN} to ${LAST_RUN}, ${stopped.length} stopped (${rate}) ${stopped.join(' ')}`,
      );
      expect(stopped.length).toBeLessThanOrEqual(HEALTHY_RUNS / 100);
    },
    120_000 + HEALTHY_RUNS * 10_000,
  );

  it(`neither stops nor passes a plan by ${FORGED} reports of one address`, async () => {
    const step = { hold_minutes: 0, min_devices: EACH_STEP / 2 };
    const of = { devices: HEALTHY_DEVICES, failureRate: 0.005 };
    const healthy = await rollOut('forged-failures', step, { ...of, random: seededRandom(1) });
    await installOn(healthy, PERCENTAGES[0]!);
    await forge(healthy, 'failed');
    const unused = await rollOut('forged-successes', step, { ...of, random: seededRandom(2) });
    await forge(unused, 'complete');
    const plans = async () => [await healthy.plan(), await unused.plan()];
    expect(await plans()).toMatchObject([
      { status: 'running', step: 1 },
      { status: 'running', step: 1 },
    ]);
    await passMinute([healthy, unused]);
    await eventually(async () => (await plans()).every(({ judged }) => judged !== null));
    expect(await plans()).toMatchObject([
      { status: 'running', step: 2, judged: { verdict: 'pass' } },
      { status: 'held', step: 1, because: 'inconclusive', judged: { finished: 3, left_out: FORGED - 3 } },
    ]);
  }, 180_000);
});
