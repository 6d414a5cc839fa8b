import type { tokenInfoSchema } from '@sluice/contracts';
import type { z } from 'zod';
import type { Command } from './commander';
import { clientWith, managementClient, serverAddress, withProject, withToken } from './connection';
import { credentialsPath, deleteLogin, saveLogin } from './credentials';
import type { Context } from './context';
import { Failure, UsageError } from './failure';
import type { ApiClient } from './http-client';
import type { Cell } from './output';
import { variable } from './terminal';

type TokenInfo = z.infer<typeof tokenInfoSchema>;

/** `sluice login`, `sluice logout` and `sluice whoami`. */
export function addLoginCommands(program: Command, context: Context): void {
  const { terminal, output } = context;
  const readToken = (attempt: string, client: ApiClient) => client.call<TokenInfo>(attempt, 'GET', '/token');

  withProject(
    program
      .command('login')
      .description('store an access token for a server. Asks for the token without showing it, or reads it from stdin'),
  ).action(async (options) => {
    const server = serverAddress(options, context);
    const token = (await terminal.askSecret(`Access token for ${server}: `)).trim();
    if (token === '') {
      throw new UsageError(
        'No access token was given.',
        'Type it when asked, or send it on stdin: sluice login < FILE',
      );
    }
    if (token.startsWith('svc_own_')) {
      throw new UsageError(
        'This is an owner key. A login stores an access token: sluice token create --name NAME --all-apps',
      );
    }
    const info = await readToken(`log in to ${server}`, clientWith(token, server, context));
    saveLogin(server, token, terminal);
    output.result({ server, ...info, file: credentialsPath(terminal) }, (shown) => ({
      ...describe(shown),
      'stored in': shown.file,
    }));
    if (variable(terminal, 'SLUICE_TOKEN') !== undefined) output.note('SLUICE_TOKEN is set, and is used instead.');
  });

  withProject(
    program.command('logout').description('delete the stored access token of a server. The token stays valid'),
  ).action((options) => {
    const server = serverAddress(options, context);
    if (!deleteLogin(server, terminal)) {
      throw new Failure({ code: 'NOT_LOGGED_IN', message: `No access token is stored for ${server}.` });
    }
    output.result({ server, deleted: true }, { server: 'server', deleted: 'deleted' });
    output.note('To end the token itself: sluice token revoke ID');
  });

  withToken(
    program.command('whoami').description('show the server, and the apps and permissions of the access token'),
  ).action(async (options) => {
    const info = await readToken('read the access token', managementClient(options, context));
    output.result({ server: serverAddress(options, context), ...info }, describe);
  });
}

function describe(info: TokenInfo & { readonly server: string }): Record<string, Cell> {
  return {
    server: info.server,
    token: info.name,
    permissions: info.permissions.join(', '),
    apps: info.all_apps ? 'all' : info.apps.map(({ app_id }) => app_id).join(', '),
    expires: info.expires_at ?? 'never',
  };
}
