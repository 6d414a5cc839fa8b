import type { ApiKey } from '@sluice/contracts';
import type { Command } from 'commander';
import { managementClient, withToken, type TokenOptions } from './connection';
import type { Context } from './context';

interface KeyOptions extends TokenOptions {
  readonly app: string;
}

interface CreateOptions extends KeyOptions {
  readonly name: string;
}

type CreatedKey = Pick<ApiKey, 'id' | 'name' | 'status'> & { readonly plaintext_key: string };

/** `sluice key …` */
export function addKeyCommands(program: Command, context: Context): void {
  const key = program.command('key').description('API keys, with which devices ask for updates');

  withToken(key.command('create').description('make an API key'))
    .requiredOption('--app <id>', 'id or app id of the app')
    .requiredOption('--name <name>', 'name of the key')
    .action(async (options: CreateOptions) => {
      const client = managementClient(options, context);
      const path = `/apps/${encodeURIComponent(options.app)}/api-keys`;
      const made = await client.call<CreatedKey>(`create the key "${options.name}"`, 'POST', path, {
        name: options.name,
      });
      context.output.result(made, ({ id, name, status, plaintext_key }) => ({ id, name, status, key: plaintext_key }));
    });

  withToken(key.command('list').description('list the API keys of an app, without their secrets'))
    .requiredOption('--app <id>', 'id or app id of the app')
    .action(async (options: KeyOptions) => {
      const client = managementClient(options, context);
      const path = `/apps/${encodeURIComponent(options.app)}/api-keys`;
      await context.output.list(await client.list<ApiKey>('list the keys', path), {
        id: (shown) => shown.id,
        name: (shown) => shown.name,
        key: (shown) => shown.key_preview,
        status: (shown) => shown.status,
        restricted: (shown) => !shown.unrestricted,
        'last used': (shown) => shown.last_used_at,
        created: (shown) => shown.created_at,
      });
    });
}
