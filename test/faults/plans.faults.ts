import { setTimeout as delay } from 'node:timers/promises';
import { readSettings } from '@sluice/config';
import type { Plan } from '@sluice/contracts';
import { openEngines } from '@sluice/engines';
import { eventually } from '@sluice/testing';
import { standalone, type Deployment } from '../support/deployment';
import { management } from '../support/http';
import { MovedClock } from '../support/moved-clock';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';
import { faultRun, say } from './run';
import { FAULT_SETTINGS } from './scene';

const run = faultRun('kills while plans advance');
const APP = 'com.example.planned';
const MINUTE = 60_000;
const PLANS = 16;
const STEPS = 20;
/** A start has come to its end by then, most of the time. */
const START_MS = 1_500;
/** Most plans that were due at the start have entered their steps by then. */
const WORK_MS = 300;
/** Of kills: builds are inspected between two. */
const ROUND = 10;

type Step = Pick<Plan['steps'][number], 'percentage' | 'hold_minutes'>;

/** A plan in its stream, and what its build has of it. */
interface Audited {
  readonly steps: readonly { readonly percentage: number; readonly holdMinutes: number }[];
  entered: number;
  applied: number;
  /** Milliseconds since the epoch, by the event store. */
  since: number;
  dueAt: number;
  isOver: boolean;
}

describe('a process that is killed while plans advance', () => {
  const clock = new MovedClock();
  let deployment: Deployment;
  let token: string;
  const builds: number[] = [];

  const api = () => management(deployment.gateways[0]!, token);
  const path = (id: number) => `/apps/${APP}/builds/${id}`;
  const planOf = async (id: number) => (await api().get<{ data: Plan }>(`${path(id)}/plan`)).body.data;
  const rolloutOf = async (id: number) =>
    (await api().get<{ data: { rollout_percentage: number } }>(path(id))).body.data.rollout_percentage;

  async function set(id: number): Promise<void> {
    const steps = Array.from({ length: STEPS }, (_, index): Step => ({
      percentage: ((index + 1) * 100) / STEPS,
      hold_minutes: run.random.below(3),
    }));
    const body = { steps: steps.map((step) => ({ ...step, min_devices: 0 })) };
    expect((await api().put(`${path(id)}/plan`, body)).status).toBe(200);
  }

  /** No build is above the step of its plan. Sets plans that are over again. */
  async function inspect(): Promise<void> {
    for (const id of builds) {
      const rollout = await rolloutOf(id);
      const { steps, step, status } = await planOf(id);
      expect(rollout).toBeLessThanOrEqual(steps[step! - 1]!.percentage);
      if (status === 'completed') await set(id);
    }
  }

  /** @returns how many plans were completed, steps entered, and kills that came between a due step and its rollout */
  async function audit(kills: readonly number[]) {
    const engines = await openEngines(readSettings({ ...deployment.env, BUS_URL: 'inproc:' }), 'audit');
    const counted = { plans: 0, completed: 0, entered: 0, applied: 0, interrupted: 0 };
    const plans = new Map<number, Audited>();
    try {
      for await (const { type, stream, data, recordedAt } of engines.events.readAll({
        prefixes: ['plan-', 'channel-'],
      })) {
        const at = Date.parse(recordedAt);
        const event = data as unknown as {
          buildId: number;
          step: number;
          percentage: number;
          rolloutPercentage: number;
        };
        const wrong = (why: string) =>
          new Error(
            `${type} of build ${event.buildId} in ${stream}: ${why}: ${JSON.stringify(plans.get(event.buildId))} ${JSON.stringify(data)} ${recordedAt}`,
          );
        if (type === 'PlanSet') {
          if (plans.get(event.buildId)?.isOver === false) throw wrong('it has a plan that is not over');
          const { steps } = data as unknown as Pick<Audited, 'steps'>;
          plans.set(event.buildId, { steps, entered: 0, applied: 0, since: at, dueAt: at, isOver: false });
          counted.plans += 1;
          continue;
        }
        const plan = plans.get(event.buildId);
        if (plan === undefined) continue;
        const isEarly = () => at - plan.since < Math.max(1, plan.steps[plan.entered - 1]?.holdMinutes ?? 1) * MINUTE;
        switch (type) {
          case 'StepEntered':
            if (plan.isOver || event.step !== plan.entered + 1) throw wrong('a step was skipped or repeated');
            if (event.percentage !== plan.steps[event.step - 1]?.percentage) throw wrong('another percentage');
            if (plan.entered > 0 && isEarly()) throw wrong('before the end of the step');
            plan.entered = event.step;
            plan.since = at;
            counted.entered += 1;
            break;
          case 'PlanCompleted':
            if (plan.isOver || plan.entered !== plan.steps.length || isEarly()) throw wrong('before its end');
            plan.isOver = true;
            counted.completed += 1;
            break;
          case 'RolloutChanged': {
            const step = 1 + plan.steps.findIndex(({ percentage }) => percentage === event.rolloutPercentage);
            if (step === 0 || step > plan.entered) throw wrong('above the step');
            if (step <= plan.applied) throw wrong('the rollout of a step was repeated');
            plan.applied = step;
            counted.applied += 1;
            if (kills.some((kill) => plan.dueAt < kill && kill < at)) counted.interrupted += 1;
            break;
          }
          case 'StepDue':
            plan.dueAt = at;
            break;
          case 'GateJudged':
            break;
          default:
            if (stream.startsWith('plan-')) throw wrong('nothing else happened');
        }
      }
      return counted;
    } finally {
      await engines.close();
    }
  }

  beforeAll(async () => {
    deployment = await standalone.deploy({ ...FAULT_SETTINGS, ...clock.env });
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      DATA_DIR: deployment.dataDir,
    });
    ({ token } = JSON.parse(made.stdout) as { token: string });
    await api().post('/apps', { name: 'Planned', bundle_id: APP });
    for (let n = 0; n < PLANS; n += 1) {
      const bundle = await zipOf({ 'index.html': `<h1>${n}</h1>` });
      const fields = { version: `1.${n}.0`, channel: 'production' };
      builds.push(await api().release(`/apps/${APP}/builds`, bundle, fields));
    }
  }, 60_000);

  afterAll(() => deployment.destroy(), 60_000);

  it(
    `skips, repeats and hastens no step over ${run.kills} kills`,
    async () => {
      const { random } = run;
      const kills: number[] = [];
      let duringStarts = 0;
      const [server] = deployment.processes;
      await Promise.all(builds.map(set));
      while (kills.length < run.kills) {
        await delay(random.below(WORK_MS));
        kills.push(clock.now());
        await deployment.processes[0]!.stop('SIGKILL');
        // Steps that are over become due while no process runs, so each start enters some.
        clock.advance(MINUTE);
        while (kills.length < run.kills && random.chance(0.2)) {
          const starting = deployment.revive(server!);
          await delay(random.below(START_MS));
          kills.push(clock.now());
          await starting.stop('SIGKILL');
          duringStarts += 1;
        }
        await deployment.revive(server!).ready;
        if (kills.length % ROUND === 0) await inspect();
      }
      for (const id of builds) {
        await eventually(
          async () => {
            const { steps, step } = await planOf(id);
            return (await rolloutOf(id)) === steps[step! - 1]!.percentage;
          },
          { withinMs: 30_000 },
        );
      }
      expect(await deployment.stop()).toEqual([0]);
      const counted = await audit(kills);
      say(`plans and kills: ${JSON.stringify({ kills: kills.length, duringStarts, ...counted })}`);
      // Of few kills, none may meet a step.
      if (run.kills >= 30) expect(counted.interrupted).toBeGreaterThan(0);
    },
    120_000 + run.kills * 15_000,
  );
});
