import type { deletePlanTemplate, PlanTemplate, ReplyOf } from '@sluice/contracts';
import type { Command } from './commander';
import { confirm, withYes } from './confirm';
import { appPath, managementClient, withApp, type AppOptions } from './connection';
import type { Context } from './context';
import { rulesOf, withRules } from './plan-rules';

/** An app has at most 20. */
const ALL = '?per_page=50';

/** `sluice plan-template …` */
export function addPlanTemplateCommands(program: Command, context: Context): void {
  const template = program.command('plan-template').description('reusable settings for rollout plans');
  const withTemplate = (command: Command) => withApp(command).argument('<name>', 'name of the template');
  const pathOf = ({ app }: AppOptions, name = '') => `${appPath(app)}/plan-templates${name}`;
  const named = (options: AppOptions, name: string) => pathOf(options, `/${encodeURIComponent(name)}`);

  withApp(template.command('list').description('list the plan templates of an app')).action(async (options) => {
    const client = managementClient(options, context);
    const found = await client.call<PlanTemplate[]>('list the plan templates', 'GET', pathOf(options, ALL));
    if (context.output.json(found)) return;
    await context.output.list(found, {
      ...{ name: 'name', steps: stepsOf },
      ...{ 'on failure': 'on_fail', changed: 'updated_at' },
    });
  });

  withRules(
    withTemplate(
      template
        .command('set')
        .description('create or change a plan template; plans that were copied from it stay as they are'),
    ),
  ).action(async (name, options) => {
    const body = await rulesOf(options);
    const client = managementClient(options, context);
    await client.show(`set the plan template ${name}`, 'PUT', named(options, name), described, body);
  });

  withTemplate(template.command('get').description('show a plan template')).action((name, options) =>
    managementClient(options, context).show(`show the plan template ${name}`, 'GET', named(options, name), described),
  );

  withYes(
    withTemplate(
      template.command('delete').description('delete a plan template; plans that were copied from it stay as they are'),
    ),
  ).action(async (name, options) => {
    const attempt = `delete the plan template ${name}`;
    await confirm(attempt, 'Nothing was deleted.', options, context, () => `Delete the plan template ${name}?`);
    const columns = { template: 'name', deleted: 'deleted' } as const;
    const client = managementClient(options, context);
    await client.show<ReplyOf<typeof deletePlanTemplate>>(attempt, 'DELETE', named(options, name), columns);
  });
}

const stepsOf = ({ steps }: PlanTemplate) => steps.map(({ percentage }) => `${percentage}%`).join(', ');

function described({ name, steps, gates, windows, time_zone, on_fail, updated_at }: PlanTemplate) {
  return {
    template: name,
    ...Object.fromEntries(
      steps.map(({ percentage, hold_minutes, min_devices }, index) => [
        `step ${index + 1}`,
        `${percentage}%, at least ${hold_minutes} min and ${min_devices} devices`,
      ]),
    ),
    'failure threshold': `${gates.failures.threshold_percent}%`,
    silence: `${gates.silence.threshold_percent}% after ${gates.silence.after_minutes} min`,
    windows:
      windows.length === 0
        ? undefined
        : `${windows.map(({ days, from, to }) => `${days.join(' ')} ${from} to ${to}`).join(', ')} (${time_zone})`,
    ...{ 'on failure': on_fail, changed: updated_at },
  };
}
