import type { Owner, Storage } from '@sluice/contracts';
import type { Command } from './commander';
import { parseId } from './arguments';
import { ownerClient, withServer } from './connection';
import type { Context } from './context';
import { formatBytes, type Cell, type Columns } from './output';

type OwnerWithKey = Owner & { readonly owner_key: string };

/** `sluice owner …` */
export function addOwnerCommands(program: Command, context: Context): void {
  const owner = program
    .command('owner')
    .description('owners, each with their own apps and tokens (needs the owner key: OWNER_KEY, or DATA_DIR/owner.key)');

  withServer(owner.command('list').description('list all owners (operator only)')).action(async (options) =>
    (await ownerClient(options, context)).table<Owner>('list the owners', '/owners', {
      ...{ id: 'id', name: 'name', operator: 'operator' },
      suspended: (shown) => shown.suspended?.reason ?? null,
      ...{ 'key rotated': 'key_rotated_at', created: 'created_at' },
    }),
  );

  withServer(owner.command('storage').description('show how much storage your bundles use, and your limit')).action(
    async (options) => {
      const client = await ownerClient(options, context);
      await client.show<Storage>('read the storage', 'GET', '/storage', ({ used_bytes, limit_bytes, apps }) => ({
        used: formatBytes(used_bytes),
        limit: formatBytes(limit_bytes),
        ...Object.fromEntries(apps.map(({ id, bytes }) => [`app ${id}`, formatBytes(bytes)])),
      }));
    },
  );

  withServer(owner.command('create').description('create an owner (operator only). The key is shown only once'))
    .requiredOption('--name <name>', 'name of the person or team')
    .action(async (options) => {
      const client = await ownerClient(options, context);
      const { name } = options;
      await client.show(`create the owner "${name}"`, 'POST', '/owners', WITH_KEY, { name });
      context.output.note('The key is shown this once: hand it to the owner, for OWNER_KEY.');
    });

  withServer(
    owner
      .command('rotate-key')
      .description(
        'rotate your owner key or, as the operator, the key of another owner. The old key and its sessions stop working immediately',
      ),
  )
    .argument('[id]', 'ID of another owner (default: yourself)', parseId)
    .option('--revoke-tokens', 'also revoke all access tokens of the owner, for example if the key leaked')
    .action(async (id, options) => {
      const client = await ownerClient(options, context);
      const [attempt, path] =
        id === undefined
          ? ['rotate the owner key', '/owner/rotate-key']
          : [`rotate the key of owner ${id}`, `/owners/${id}/rotate-key`];
      const body = { revoke_tokens: options.revokeTokens ?? false };
      await client.show(attempt, 'POST', path, WITH_KEY, body);
      context.output.note(
        "The key is shown this once. The operator's is in DATA_DIR/owner.key as well, unless the server is given OWNER_KEY: set that to the new key.",
      );
    });

  withServer(
    owner
      .command('suspend')
      .description('suspend an owner: the key, sessions and tokens are rejected until "owner resume" (operator only)'),
  )
    .argument('<id>', 'ID of the owner', parseId)
    .requiredOption('--reason <reason>', 'reason, shown in the list of owners')
    .option(
      '--stop-devices',
      "also reject requests from devices of the owner's apps; devices keep their installed bundle",
    )
    .action(async (id, options) => {
      const client = await ownerClient(options, context);
      const body = { reason: options.reason, stop_devices: options.stopDevices ?? false };
      await client.show(`suspend owner ${id}`, 'POST', `/owners/${id}/suspend`, describe, body);
    });

  withServer(owner.command('resume').description('end the suspension of an owner (operator only)'))
    .argument('<id>', 'ID of the owner', parseId)
    .action(async (id, options) =>
      (await ownerClient(options, context)).show(`resume owner ${id}`, 'POST', `/owners/${id}/resume`, describe),
    );
}

function describe({ id, name, suspended }: Owner): Record<string, Cell> {
  const devices = suspended === null ? null : suspended.stop_devices ? 'rejected' : 'served';
  return { id, name, suspended: suspended?.reason ?? 'no', devices };
}

const WITH_KEY: Columns<OwnerWithKey> = { id: 'id', name: 'name', operator: 'operator', key: 'owner_key' };
