import type { App, Plan } from '@sluice/contracts';
import { isStandardChannel } from '@sluice/kernel/channels';
import { InvalidArgumentError, Option, type Command, type OptionValues } from './commander';
import { appPath, type AppOptions } from './connection';
import type { Context } from './context';
import { Failure, UsageError } from './failure';
import type { ApiClient } from './http-client';
import { readText } from './read-text';

export type Step = Plan['steps'][number];

interface RulesOptions {
  readonly step?: readonly Step[];
  readonly threshold?: number;
  readonly onFail?: string;
  readonly file?: string;
}

/** Adds the option for steps. */
export function withSteps<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return command.option(
    '--step <percentage:minutes:devices>',
    'a step, such as 5:60:500: 5 percent of devices for at least 60 minutes; the plan is held if fewer than 500 devices have reported a result by then (repeatable)',
    (text: string, before: readonly Step[] | undefined) => [...(before ?? []), parseStep(text)],
  );
}

/** Adds the options that describe the rules of a plan. */
export function withRules<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return withSteps(command)
    .option(
      '--threshold <percent>',
      'limit of failures and rollbacks in percent (default: 2; raised to 1.5 times the rate of the previous build if that is higher)',
      parsePercent,
    )
    .addOption(
      new Option('--on-fail <action>', 'what happens if a gate fails (default: hold)').choices([
        'hold',
        'halt',
        'recall',
      ]),
    )
    .option('--file <path>', 'JSON file with the whole plan, instead of the other options');
}

/** The body that these options describe. @throws UsageError, Failure */
export async function rulesOf({ step: steps, threshold, onFail: on_fail, file }: RulesOptions): Promise<object> {
  const given = steps ?? threshold ?? on_fail;
  if ((file === undefined) === (given === undefined) || (file === undefined && steps === undefined)) {
    throw new UsageError('Pass --step once for each step, or --file.');
  }
  if (file !== undefined) return planIn(file);
  const gates = threshold === undefined ? undefined : { failures: { threshold_percent: threshold } };
  return { steps, gates, on_fail };
}

/** The option of a command that releases a build. */
export const planOption = () =>
  new Option(
    '--plan <template|path>',
    'rollout plan of the build: the name of a plan template, or the path of a JSON file, which must contain a dot or a slash',
  ).conflicts('rollout');

export interface Rollout {
  readonly rollout_percentage?: number | undefined;
  /** The name of a template, or a plan. */
  readonly plan?: string | object | undefined;
}

/** What --rollout and --plan say, else the default rollout of the app for the channel. */
export async function rolloutOf(
  { rollout, plan, app }: AppOptions & { readonly rollout?: number; readonly plan?: string },
  channel: string,
  client: ApiClient,
  { output }: Context,
): Promise<Rollout> {
  if (rollout !== undefined) return { rollout_percentage: rollout };
  if (plan !== undefined) return { plan: /[./\\]/.test(plan) ? await planIn(plan) : plan };
  const { default_rollout: defaults } = await client.call<ShownApp>(`read the app ${app}`, 'GET', appPath(app));
  const proposed = isStandardChannel(channel) ? defaults?.[channel] : undefined;
  if (proposed === undefined) return {};
  const named = typeof proposed === 'number' ? `${proposed}%` : `template ${proposed}`;
  output.note(`Rollout: ${named}, the app's default for ${channel}. To use another, add --rollout or --plan.`);
  return typeof proposed === 'number' ? { rollout_percentage: proposed } : { plan: proposed };
}

/** A server of an earlier release has no default rollouts. */
type ShownApp = Partial<Pick<App, 'default_rollout'>>;

function parseStep(text: string): Step {
  const [, percentage, minutes, devices] = /^(\d{1,3}):(\d{1,5}):(\d{1,8})$/.exec(text) ?? [];
  if (percentage === undefined) {
    throw new InvalidArgumentError('It must be percentage:minutes:devices, such as 5:60:500.');
  }
  return { percentage: Number(percentage), hold_minutes: Number(minutes), min_devices: Number(devices) };
}

function parsePercent(text: string): number {
  if (/^\d{1,2}(\.\d{1,3})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 0.1 to 90.');
}

async function planIn(path: string): Promise<object> {
  const text = await readText('plan', path);
  try {
    const plan: unknown = JSON.parse(text);
    if (typeof plan === 'object' && plan !== null) return plan;
  } catch {
    // Reported below.
  }
  throw new Failure({
    code: 'NO_PLAN',
    message: `${path} holds no JSON object. Write a plan such as {"steps": [...]}.`,
  });
}
