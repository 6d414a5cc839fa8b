import type { Plan } from '@sluice/contracts';
import { eventually } from '@sluice/testing';
import { sixServices, type Deployment } from '../support/deployment';
import { management } from '../support/http';
import { MovedClock } from '../support/moved-clock';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

const describeIt = sixServices.available ? describe : describe.skip;
const MINUTE = 60_000;
const HOURS_AHEAD = [2, -2];

interface Entry {
  readonly at: string;
  readonly type: string;
}

describeIt('a rollout plan, with replicas whose clocks are hours ahead and behind', () => {
  const clock = new MovedClock();
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await sixServices.deploy(clock.env, (service, replica) => {
      const hours = service === 'build-pipeline' ? (HOURS_AHEAD[replica] ?? 0) : 0;
      return { MOVED_CLOCK_OWN: String(hours * 60 * MINUTE) };
    });
  }, 180_000);

  afterAll(() => deployment.destroy(), 60_000);

  it('enters each step when it is over by the time of the event store', async () => {
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      DATA_DIR: deployment.dataDir,
    });
    const api = management(deployment.gateways[0]!, (JSON.parse(made.stdout) as { token: string }).token);
    const app = '/apps/com.example.clocks';
    await api.post('/apps', { name: 'Clocks', bundle_id: 'com.example.clocks' });
    const bundle = await zipOf({ 'index.html': '<h1>1.0.0</h1>' });
    const id = await api.release(`${app}/builds`, bundle, { version: '1.0.0', channel: 'production' });
    const build = `${app}/builds/${id}`;
    const steps = [5, 50, 100].map((percentage) => ({ percentage, hold_minutes: 5, min_devices: 0 }));
    expect((await api.put(`${build}/plan`, { steps })).status).toBe(200);
    const plan = async () => (await api.get<{ data: Plan }>(`${build}/plan`)).body.data;
    const events = async (wanted: string) =>
      (await api.get<{ data: Entry[] }>(`${build}/history?type=${wanted}`)).body.data;

    // The replica that is ahead tries too early.
    await eventually(async () => (await events('StepDue')).length > 0);
    expect(await plan()).toMatchObject({ status: 'running', step: 1 });
    const passTimeUntil = (check: () => Promise<boolean>) =>
      eventually(
        async () => {
          if (await check()) return true;
          clock.advance(MINUTE / 4);
          return false;
        },
        { everyMs: 500 },
      );
    for (const step of [2, 3]) await passTimeUntil(async () => (await plan()).step === step);
    await passTimeUntil(async () => (await plan()).status === 'completed');

    const entered = (await events('StepEntered')).map(({ at }) => Date.parse(at)).reverse();
    expect(entered).toHaveLength(3);
    const ends = [...entered.slice(1), ...(await events('PlanCompleted')).map(({ at }) => Date.parse(at))];
    expect(ends).toHaveLength(3);
    for (const [index, end] of ends.entries()) {
      expect(end - entered[index]!).toBeGreaterThanOrEqual(5 * MINUTE);
      expect(end - entered[index]!).toBeLessThan(30 * MINUTE);
    }
  }, 180_000);
});
