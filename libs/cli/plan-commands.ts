import type { Plan, ReplyOf, setPlan } from '@sluice/contracts';
import type { Command } from './commander';
import { parseId } from './arguments';
import { appPath, managementClient, withApp, type AppOptions } from './connection';
import type { Context } from './context';
import { ExitCode, UsageError } from './failure';
import { follow } from './follow';
import { rulesOf, type Step, withRules, withSteps } from './plan-rules';

/** Between two looks at a plan; the last one repeats. */
const POLL_DELAYS_MS = [1_000, 2_000, 5_000, 10_000];
const FAILED = 1;
const HELD = 3;

type SetPlan = ReplyOf<typeof setPlan>;

/** `sluice build plan`, `plan-set`, `plan-edit`, `plan-hold`, `plan-resume`, `plan-skip`, `plan-delete` */
export function addPlanCommands(build: Command, context: Context): void {
  const withBuild = (command: Command) => withApp(command).argument('<build>', 'ID of the build', parseId);
  const pathOf = ({ app }: AppOptions, id: number) => `${appPath(app)}/builds/${id}/plan`;

  withBuild(build.command('plan').description('show the rollout plan of a build'))
    .option(
      '--wait',
      'wait until the plan is completed, held or ended; exit with 0 if it is completed, with 3 if it is held although no gate failed, else with 1',
    )
    .action(async (id, options) => {
      const client = managementClient(options, context);
      const read = () => client.call<Plan>(`read the plan of build ${id}`, 'GET', pathOf(options, id));
      const plan = options.wait ? await untilSettled(read, context) : await read();
      context.output.result(plan, described);
      if (options.wait && plan.status !== 'completed') throw new ExitCode(exitCodeOf(plan));
    });

  withRules(
    withBuild(
      build.command('plan-set').description('set a rollout plan, which raises the rollout of the build step by step'),
    ),
  )
    .option('--template <name>', 'plan template whose settings the plan copies, instead of the other options')
    .action(async (id, { template, ...options }) => {
      const { step, threshold, onFail, file } = options;
      if (template !== undefined && [step, threshold, onFail, file].some((given) => given !== undefined)) {
        throw new UsageError('Pass --template without the other options of the plan.');
      }
      const body = template === undefined ? await rulesOf(options) : { template };
      const path = pathOf(options, id);
      await managementClient(options, context).show<SetPlan>(
        `set the plan of build ${id}`,
        'PUT',
        path,
        described,
        body,
      );
    });

  withSteps(
    withBuild(build.command('plan-edit').description('replace the steps that a rollout plan has not entered yet')),
  ).action(async (id, { step, ...options }) => {
    if (step === undefined) throw new UsageError('Pass --step once for each step after the present one.');
    const client = managementClient(options, context);
    const path = pathOf(options, id);
    const plan = await client.call<Plan>(`read the plan of build ${id}`, 'GET', path);
    const body = { steps: [...plan.steps.slice(0, plan.step ?? 0), ...step] };
    const attempt = `change the plan of build ${id}`;
    context.output.result(await client.call<Plan>(attempt, 'PATCH', path, body, plan.revision), described);
  });

  const changes = [
    ['hold', 'hold the rollout plan of a build; the build keeps its percentage'],
    ['resume', 'resume a rollout plan that is held; its step starts again'],
    ['skip', 'enter the next step of a rollout plan now'],
  ] as const;
  for (const [verb, description] of changes) {
    withBuild(build.command(`plan-${verb}`).description(description)).action((id, options) => {
      const path = `${pathOf(options, id)}/${verb}`;
      return managementClient(options, context).show<Plan>(`${verb} the plan of build ${id}`, 'POST', path, described);
    });
  }

  withBuild(build.command('plan-delete').description('end a rollout plan; the build keeps its percentage')).action(
    (id, options) => {
      const client = managementClient(options, context);
      return client.show<Plan>(`delete the plan of build ${id}`, 'DELETE', pathOf(options, id), described);
    },
  );
}

function untilSettled(read: () => Promise<Plan>, context: Context): Promise<Plan> {
  let told = '';
  const look = async () => {
    const plan = await read();
    if (plan.status !== 'running') return plan;
    if (plan.message !== told) context.output.note(plan.message);
    told = plan.message;
    return undefined;
  };
  return follow(look, POLL_DELAYS_MS, context);
}

function exitCodeOf({ status, because }: Plan): number {
  return status === 'held' && because !== 'failed' ? HELD : FAILED;
}

const WIDTH = 20;

function described(plan: SetPlan): Readonly<Record<string, string | number | undefined>> {
  const { now, judged, step, baseline, webhook_answer: answer } = plan;
  const evidence = now ?? judged;
  const present = plan.steps[(step ?? 0) - 1];
  return {
    ...{ build: plan.build_id, version: plan.version, channel: plan.channel, plan: plan.status, state: plan.message },
    template: plan.template ?? undefined,
    ...Object.fromEntries(plan.steps.map((each, index) => [`step ${index + 1}`, lineOf(each, index + 1, plan)])),
    devices: evidence
      ? `${barOf(evidence.finished, present?.min_devices ?? 0)} ${evidence.finished} finished, ${evidence.failed} failed (${evidence.failed_percent}%)`
      : undefined,
    'left out':
      evidence && evidence.left_out > 0 ? `${evidence.left_out} of addresses with too many devices` : undefined,
    'certainly above': evidence ? `${evidence.at_least_percent}%` : undefined,
    limit: `${plan.limit_percent}%${baseline === null ? '' : `, from build ${baseline.build_id}`}`,
    'on failure': plan.on_fail,
    'step lasts until': plan.hold_until ?? undefined,
    'webhook gate': answer
      ? `${answer.verdict}${answer.reason === null ? '' : `: ${answer.reason}`} (${answer.at})`
      : plan.gates.webhook?.url,
    'last verdict': judged ? `${judged.verdict} in step ${judged.step} at ${judged.at}` : undefined,
    warning: plan.warnings.length === 0 ? undefined : plan.warnings.join('\n'),
    'gate secret': plan.gate_secret && `${plan.gate_secret} (it is not shown again)`,
  };
}

function lineOf({ percentage, hold_minutes, min_devices }: Step, number: number, plan: Plan): string {
  const { step, status } = plan;
  const sign = number < (step ?? 0) || (number === step && status === 'completed') ? '✓' : number === step ? '→' : ' ';
  return `${sign} ${barOf(percentage, 100)} ${percentage}%, at least ${hold_minutes} min and ${min_devices} devices`;
}

/** Such as `█████░░░░░`. */
function barOf(value: number, of: number): string {
  const filled = of === 0 ? WIDTH : Math.min(WIDTH, Math.floor((value / of) * WIDTH));
  return `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}`;
}
