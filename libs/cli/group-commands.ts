import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { deleteGroup, Group, ReplyOf } from '@sluice/contracts';
import { bundleForm } from './bundle-form';
import type { Command } from './commander';
import { confirm, withYes } from './confirm';
import { appPath, managementClient, withApp, type AppOptions } from './connection';
import type { Context } from './context';
import { queryOf } from './http-client';
import type { Columns } from './output';
import { startProgress } from './progress';
import { unreadable } from './read-text';

const PAGE = 50;

const GROUP: Columns<Group> = {
  group: 'name',
  devices: 'devices',
  revision: 'revision',
  updated: 'updated_at',
};

/** `sluice group …` */
export function addGroupCommands(program: Command, context: Context): void {
  const group = program.command('group').description('device groups, for the audiences of builds and channels');
  const pathOf = ({ app }: AppOptions, name: string) => `${appPath(app)}/groups/${encodeURIComponent(name)}`;

  withApp(group.command('list').description('list the device groups of an app')).action(async (options) => {
    const client = managementClient(options, context);
    const found: Group[] = [];
    for (let page = 1, size = PAGE; size === PAGE; page += 1) {
      const path = `${appPath(options.app)}/groups${queryOf({ page, per_page: PAGE })}`;
      const groups = await client.call<Group[]>('list the groups', 'GET', path);
      found.push(...groups);
      size = groups.length;
    }
    if (context.output.json(found)) return;
    await context.output.list(found, GROUP);
  });

  withApp(
    group.command('upload').description('create or replace a device group from a file with one device ID in each line'),
  )
    .argument('<group>', 'name of the group')
    .argument('<file>', 'text file in UTF-8 with at most 1,000,000 device IDs')
    .action(async (name, path, options) => {
      const attempt = `upload the group ${name}`;
      const { size } = await stat(path).catch((error: unknown) => {
        throw unreadable('list of devices', error);
      });
      const client = managementClient(options, context);
      const progress = await startProgress('Uploading', size, context);
      try {
        const form = bundleForm({}, { path, size, name: basename(path) }, (bytes) => progress.update(bytes));
        context.output.result(await client.upload<Group>(attempt, pathOf(options, name), form), GROUP);
      } finally {
        progress.stop();
      }
    });

  withYes(withApp(group.command('delete').description('delete a device group')))
    .argument('<group>', 'name of the group')
    .action(async (name, options) => {
      const attempt = `delete the group ${name}`;
      const question = `Delete the group ${name}? Builds that are only for it are then offered to no device.`;
      await confirm(attempt, 'Nothing was deleted.', options, context, () => question);
      const columns = { group: 'name', deleted: 'deleted' } as const;
      await managementClient(options, context).show<ReplyOf<typeof deleteGroup>>(
        attempt,
        'DELETE',
        pathOf(options, name),
        columns,
      );
    });
}
