import type { changePins, Pins, ReplyOf } from '@sluice/contracts';
import { parseDuration, parseId } from './arguments';
import type { Command } from './commander';
import { appPath, managementClient, withApp, type AppOptions } from './connection';
import type { Context } from './context';
import { UsageError } from './failure';
import type { Columns } from './output';

type Changed = ReplyOf<typeof changePins>;

const columns: Columns<Pins> = {
  build: 'build_id',
  'pinned devices': 'devices',
  'first pin expires': 'first_expires_at',
  'last pin expires': 'last_expires_at',
};

/** `sluice device pin`, `unpin`, `pins` */
export function addPinCommands(device: Command, context: Context): void {
  const pathOf = ({ app }: AppOptions, build: number) => `${appPath(app)}/builds/${build}/pins`;
  const withBuild = (command: Command) => withApp(command).requiredOption('--build <id>', 'id of the build', parseId);

  withBuild(device.command('pin').description('offer devices a build whatever its rollout percentage'))
    .argument('<device...>', 'device ids, as the devices send them')
    .option('--for <duration>', 'how long the pins are valid, such as 12h or 30d (default: 90 days)', parseDuration)
    .action(async (add, { build, for: milliseconds, ...options }) => {
      const expires_at = milliseconds === undefined ? undefined : new Date(Date.now() + milliseconds).toISOString();
      const attempt = `pin devices to build ${build}`;
      const client = managementClient(options, context);
      const changed = await client.call<Changed>(attempt, 'PATCH', pathOf(options, build), { add, expires_at });
      for (const { device_id: id, message } of changed.warnings) {
        context.output.note(id === null ? message : `${id}: ${message}`);
      }
      context.output.result(changed, columns);
    });

  withBuild(device.command('unpin').description('remove the pins of devices from a build'))
    .argument('[device...]', 'device ids, as the devices send them')
    .option('--all', 'remove all pins of the build')
    .action(async (remove, { build, all, ...options }) => {
      if ((all === true) === remove.length > 0) throw new UsageError('Name the devices, or give --all.');
      const client = managementClient(options, context);
      const path = pathOf(options, build);
      const attempt = `remove pins of build ${build}`;
      if (all) await client.show<Changed>(attempt, 'DELETE', path, columns);
      else await client.show<Changed>(attempt, 'PATCH', path, columns, { remove });
    });

  withBuild(device.command('pins').description('count the devices that are pinned to a build')).action(
    ({ build, ...options }) =>
      managementClient(options, context).show<Pins>(
        `count the pins of build ${build}`,
        'GET',
        pathOf(options, build),
        columns,
      ),
  );
}
