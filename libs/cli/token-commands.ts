import type { AccessToken } from '@sluice/contracts';
import { Option, type Command } from 'commander';
import { collect, parseDuration, parseId } from './arguments';
import { ownerClient, withServer, type ServerOptions } from './connection';
import type { Context } from './context';
import type { Cell } from './output';

interface CreateOptions extends ServerOptions {
  readonly name: string;
  readonly allApps?: true;
  readonly app?: readonly string[];
  readonly permission?: readonly string[];
  readonly expiresIn?: number;
}

/** `sluice token …`: commands of the owner. */
export function addTokenCommands(program: Command, context: Context): void {
  const token = program
    .command('token')
    .description('access tokens, made by the owner (owner key: OWNER_KEY, else DATA_DIR/owner.key)');

  withServer(token.command('create').description('make an access token; it is shown this once'))
    .requiredOption('--name <name>', 'what the token is for')
    .option('--all-apps', 'reach every app of the owner, later ones too')
    .addOption(new Option('--app <id>', 'reach this app; may be repeated').argParser(collect).conflicts('allApps'))
    .option('--permission <name>', 'builds.delete, apps.delete, keys.delete or manage_store; may be repeated', collect)
    .option('--expires-in <duration>', 'such as 90s, 12h or 30d (default: never)', parseDuration)
    .action(async (options: CreateOptions) => {
      const { name, allApps = false, app = [], permission = [], expiresIn } = options;
      const client = await ownerClient(options, context);
      const expiresAt = expiresIn === undefined ? null : new Date(context.terminal.now().getTime() + expiresIn);
      const made = await client.call<AccessToken & { token: string }>(`create the token "${name}"`, 'POST', '/tokens', {
        name,
        permissions: permission,
        all_apps: allApps,
        apps: app.map((id) => (/^\d+$/.test(id) ? Number(id) : id)),
        expires_at: expiresAt?.toISOString() ?? null,
      });
      context.output.result(made, (shown) => ({ ...describe(shown), token: shown.token }));
      context.output.note('The token is shown this once: keep it now, for example in SLUICE_TOKEN.');
      if (!allApps && app.length === 0) {
        context.output.note('It reaches only the apps that it creates. For others: --all-apps, or --app ID.');
      }
    });

  withServer(token.command('list').description('list access tokens, without their secrets')).action(
    async (options: ServerOptions) => {
      const client = await ownerClient(options, context);
      await context.output.list(await client.list<AccessToken>('list the tokens', '/tokens'), {
        id: (shown) => shown.id,
        name: (shown) => shown.name,
        status: (shown) => shown.status,
        apps: reach,
        permissions: (shown) => shown.permissions.join(', '),
        'last used': (shown) => shown.last_used_at,
        expires: (shown) => shown.expires_at ?? 'never',
      });
    },
  );

  withServer(token.command('revoke').description('refuse an access token from now on'))
    .argument('<id>', 'id of the token', parseId)
    .action(async (id: number, options: ServerOptions) => {
      const client = await ownerClient(options, context);
      const revoked = await client.call<AccessToken>(`revoke the token ${id}`, 'POST', `/tokens/${id}/revoke`);
      context.output.result(revoked, describe);
    });
}

function reach(token: AccessToken): string {
  return token.all_apps ? 'all' : token.apps.join(', ');
}

function describe(token: AccessToken): Record<string, Cell> {
  return {
    id: token.id,
    name: token.name,
    status: token.status,
    apps: reach(token),
    permissions: token.permissions.join(', '),
    expires: token.expires_at ?? 'never',
  };
}
