import type { App } from '@sluice/contracts';
import { Option, type Command } from 'commander';
import { managementClient, withToken, type TokenOptions } from './connection';
import type { Context } from './context';

interface CreateOptions extends TokenOptions {
  readonly name: string;
  readonly bundleId?: string;
  readonly platform?: string;
  readonly description?: string;
}

/** `sluice app …` */
export function addAppCommands(program: Command, context: Context): void {
  const app = program.command('app').description('apps');

  withToken(app.command('create').description('register an app'))
    .requiredOption('--name <name>', 'name of the app')
    .option('--bundle-id <id>', 'reverse-DNS id, such as com.example.app; can never be changed')
    .addOption(new Option('--platform <platform>', 'default: both').choices(['ios', 'android', 'both']))
    .option('--description <text>', 'what the app is')
    .action(async (options: CreateOptions) => {
      const { name, bundleId, platform, description } = options;
      const client = managementClient(options, context);
      const made = await client.call<App>(`create the app "${name}"`, 'POST', '/apps', {
        name,
        bundle_id: bundleId,
        platform,
        description,
      });
      context.output.result(made, (shown) => ({
        id: shown.id,
        'app id': shown.app_id,
        name: shown.name,
        platform: shown.platform,
        description: shown.description ?? undefined,
      }));
    });

  withToken(app.command('list').description('list the apps that the token reaches')).action(
    async (options: TokenOptions) => {
      const client = managementClient(options, context);
      await context.output.list(await client.list<App>('list the apps', '/apps'), {
        id: (shown) => shown.id,
        'app id': (shown) => shown.app_id,
        name: (shown) => shown.name,
        platform: (shown) => shown.platform,
        created: (shown) => shown.created_at,
      });
    },
  );
}
