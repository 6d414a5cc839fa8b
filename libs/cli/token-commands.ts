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
    .description(
      'access tokens for CI, scripts and this command (needs the owner key: OWNER_KEY, or DATA_DIR/owner.key)',
    );

  const withId = (command: Command) => withServer(command).argument('<id>', 'ID of the token', parseId);

  withServer(
    token
      .command('create')
      .description('create an access token, which is shown only once. It can always access the apps that it creates'),
  )
    .requiredOption('--name <name>', 'name of the token, such as its purpose')
    .option('--all-apps', 'grant access to all apps of the owner, including future ones')
    .addOption(
      new Option('--app <id>', 'grant access to this app; numeric ID or bundle ID; may be repeated')
        .argParser(collect)
        .conflicts('allApps'),
    )
    .option(
      '--permission <name>',
      'extra permission: builds.delete, apps.delete, keys.delete, or manage_store (operator only); may be repeated',
      collect,
    )
    .option('--expires-in <duration>', 'lifetime, such as 90s, 12h or 30d (default: unlimited)', parseDuration)
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
        context.output.note('It can access only the apps that it creates. For others: --all-apps, or --app ID.');
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

  withId(token.command('edit').description('change a token. Options that you omit stay unchanged'))
    .option('--name <name>', 'name of the token, such as its purpose')
    .option('--all-apps', 'grant access to all apps of the owner, including future ones')
    .addOption(
      new Option('--app <id>', 'grant access to this app only; may be repeated for several apps')
        .argParser(collect)
        .conflicts('allApps'),
    )
    .addOption(
      new Option(
        '--no-apps',
        'remove access to all existing apps; the token can still access apps that it creates later',
      ).conflicts(['allApps', 'app']),
    )
    .option('--permission <name>', 'grant this extra permission only; may be repeated for several permissions', collect)
    .addOption(new Option('--no-permissions', 'remove all extra permissions').conflicts('permission'))
    .option('--expires-in <duration>', 'lifetime from now, such as 90s, 12h or 30d', parseDuration)
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
      if (Object.keys(changes).length === 0) throw new UsageError('Pass at least one option to change. See --help.');
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

  withId(token.command('revoke').description('revoke an access token immediately and permanently')).action(
    async (id, options) =>
      (await ownerClient(options, context)).show(`revoke the token ${id}`, 'POST', `/tokens/${id}/revoke`, TOKEN),
  );
}

/** An app's integer id, or its app_id. */
function reference(app: string): number | string {
  return /^\d+$/.test(app) ? Number(app) : app;
}

export function timeIn(milliseconds: number, { terminal }: Context): string {
  return new Date(terminal.now().getTime() + milliseconds).toISOString();
}

const TOKEN = {
  ...{ id: 'id', name: 'name', status: 'status' },
  apps: (token) => (token.all_apps ? 'all' : token.apps.join(', ')),
  permissions: (token) => token.permissions.join(', '),
  expires: (token) => token.expires_at ?? 'never',
} satisfies Columns<AccessToken>;

const WITH_SECRET: Columns<AccessToken & { readonly token: string }> = { ...TOKEN, token: 'token' };
