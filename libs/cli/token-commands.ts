import type { AccessToken } from '@sluice/contracts';
import { Option, type Command } from './commander';
import { collect, parseDuration, parseId } from './arguments';
import { ownerClient, withServer } from './connection';
import type { Context } from './context';
import { UsageError } from './failure';
import type { Columns } from './output';

const SHOWN_ONCE = 'The token is shown this once: keep it now, for example in SLUICE_TOKEN.';

/** `sluice token …`: commands of the owner. */
export function addTokenCommands(program: Command, context: Context): void {
  const token = program
    .command('token')
    .description('access tokens, made by the owner (owner key: OWNER_KEY, else DATA_DIR/owner.key)');

  const withId = (command: Command) => withServer(command).argument('<id>', 'id of the token', parseId);

  withServer(token.command('create').description('make an access token; it is shown this once'))
    .requiredOption('--name <name>', 'what the token is for')
    .option('--all-apps', 'reach every app of the owner, later ones too')
    .addOption(new Option('--app <id>', 'reach this app; may be repeated').argParser(collect).conflicts('allApps'))
    .option(
      '--permission <name>',
      'builds.delete, apps.delete, keys.delete, or manage_store (operator only); may be repeated',
      collect,
    )
    .option('--expires-in <duration>', 'such as 90s, 12h or 30d (default: never)', parseDuration)
    .action(async (options) => {
      const { name, allApps = false, app = [], permission = [], expiresIn } = options;
      const client = await ownerClient(options, context);
      await client.show(`create the token "${name}"`, 'POST', '/tokens', WITH_SECRET, {
        name,
        permissions: permission,
        all_apps: allApps,
        apps: app.map(reference),
        expires_at: expiresIn === undefined ? null : timeIn(expiresIn, context),
      });
      context.output.note(SHOWN_ONCE);
      if (!allApps && app.length === 0) {
        context.output.note('It reaches only the apps that it creates. For others: --all-apps, or --app ID.');
      }
    });

  withServer(token.command('list').description('list access tokens, without their secrets')).action(async (options) => {
    const client = await ownerClient(options, context);
    const { expires, ...columns } = TOKEN;
    await client.table<AccessToken>('list the tokens', '/tokens', { ...columns, 'last used': 'last_used_at', expires });
  });

  withId(token.command('show').description('show an access token, without its secret')).action(async (id, options) =>
    (await ownerClient(options, context)).show(`show the token ${id}`, 'GET', `/tokens/${id}`, TOKEN),
  );

  withId(token.command('edit').description('change a token; what is not named stays as it is'))
    .option('--name <name>', 'what the token is for')
    .option('--all-apps', 'reach every app of the owner, later ones too')
    .addOption(
      new Option('--app <id>', 'reach this app and no other than those named; may be repeated')
        .argParser(collect)
        .conflicts('allApps'),
    )
    .addOption(new Option('--no-apps', 'reach only the apps that it creates from now on').conflicts(['allApps', 'app']))
    .option('--permission <name>', 'have this permission and no other than those named; may be repeated', collect)
    .addOption(new Option('--no-permissions', 'have none that must be given').conflicts('permission'))
    .option('--expires-in <duration>', 'from now, such as 90s, 12h or 30d', parseDuration)
    .addOption(new Option('--no-expires', 'never expire').conflicts('expiresIn'))
    .action(async (id, options) => {
      const { name, allApps, app, apps, permission, permissions, expiresIn, expires } = options;
      const changes = {
        ...(name !== undefined && { name }),
        ...(allApps === true && { all_apps: true }),
        ...((app !== undefined || !apps) && { all_apps: false, apps: (app ?? []).map(reference) }),
        ...((permission !== undefined || !permissions) && { permissions: permission ?? [] }),
        ...(expiresIn !== undefined && { expires_at: timeIn(expiresIn, context) }),
        ...(!expires && { expires_at: null }),
      };
      if (Object.keys(changes).length === 0) throw new UsageError('Say what is to change: --help names what can.');
      const client = await ownerClient(options, context);
      await client.show(`edit the token ${id}`, 'PATCH', `/tokens/${id}`, TOKEN, changes);
    });

  withId(
    token.command('rotate').description('give a token a new secret; the old one stops working immediately'),
  ).action(async (id, options) => {
    const client = await ownerClient(options, context);
    await client.show(`rotate the token ${id}`, 'POST', `/tokens/${id}/rotate`, WITH_SECRET);
    context.output.note(SHOWN_ONCE);
  });

  withId(token.command('revoke').description('refuse an access token from now on')).action(async (id, options) =>
    (await ownerClient(options, context)).show(`revoke the token ${id}`, 'POST', `/tokens/${id}/revoke`, TOKEN),
  );
}

/** An app's integer id, or its app_id. */
function reference(app: string): number | string {
  return /^\d+$/.test(app) ? Number(app) : app;
}

function timeIn(milliseconds: number, { terminal }: Context): string {
  return new Date(terminal.now().getTime() + milliseconds).toISOString();
}

const TOKEN = {
  ...{ id: 'id', name: 'name', status: 'status' },
  apps: (token) => (token.all_apps ? 'all' : token.apps.join(', ')),
  permissions: (token) => token.permissions.join(', '),
  expires: (token) => token.expires_at ?? 'never',
} satisfies Columns<AccessToken>;

const WITH_SECRET: Columns<AccessToken & { readonly token: string }> = { ...TOKEN, token: 'token' };
