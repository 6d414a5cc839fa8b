import type { Owner } from '@sluice/contracts';
import type { Command } from 'commander';
import { parseId } from './arguments';
import { ownerClient, withServer, type ServerOptions } from './connection';
import type { Context } from './context';
import type { Cell } from './output';

interface CreateOptions extends ServerOptions {
  readonly name: string;
}

type OwnerWithKey = Owner & { readonly owner_key: string };

/** `sluice owner …` */
export function addOwnerCommands(program: Command, context: Context): void {
  const owner = program
    .command('owner')
    .description('owners, each with their own apps and tokens (owner key: OWNER_KEY, else DATA_DIR/owner.key)');

  withServer(owner.command('list').description('list the owners, as the operator')).action(
    async (options: ServerOptions) => {
      const client = await ownerClient(options, context);
      await context.output.list(await client.list<Owner>('list the owners', '/owners'), {
        id: (shown) => shown.id,
        name: (shown) => shown.name,
        operator: (shown) => shown.operator,
        'key rotated': (shown) => shown.key_rotated_at,
        created: (shown) => shown.created_at,
      });
    },
  );

  withServer(owner.command('create').description('make an owner, as the operator; its key is shown this once'))
    .requiredOption('--name <name>', 'who it is')
    .action(async (options: CreateOptions) => {
      const client = await ownerClient(options, context);
      const { name } = options;
      const made = await client.call<OwnerWithKey>(`create the owner "${name}"`, 'POST', '/owners', { name });
      context.output.result(made, describeWithKey);
      context.output.note('The key is shown this once: hand it to the owner, for OWNER_KEY.');
    });

  withServer(
    owner
      .command('rotate-key')
      .description(
        'give yourself, or as the operator another owner, a new key; the old one and its sessions end at once',
      ),
  )
    .argument('[id]', 'id of another owner', parseId)
    .action(async (id: number | undefined, options: ServerOptions) => {
      const client = await ownerClient(options, context);
      const [attempt, path] =
        id === undefined
          ? ['rotate the owner key', '/owner/rotate-key']
          : [`rotate the key of owner ${id}`, `/owners/${id}/rotate-key`];
      context.output.result(await client.call<OwnerWithKey>(attempt, 'POST', path), describeWithKey);
      context.output.note(
        'The key is shown this once. The operator’s is in DATA_DIR/owner.key as well, unless the server is given OWNER_KEY: set that to the new key.',
      );
    });
}

function describeWithKey({ id, name, operator, owner_key }: OwnerWithKey): Record<string, Cell> {
  return { id, name, operator, key: owner_key };
}
