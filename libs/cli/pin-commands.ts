import type { changePins, ChannelPins, Pins, ReplyOf } from '@sluice/contracts';
import { parseChannel, parseDuration, parseId } from './arguments';
import type { Command } from './commander';
import { appPath, managementClient, withApp, type AppOptions } from './connection';
import type { Context } from './context';
import { UsageError } from './failure';
import type { Columns } from './output';

type Changed = ReplyOf<typeof changePins>;

const VALID = {
  'pinned devices': 'devices',
  'first pin expires': 'first_expires_at',
  'last pin expires': 'last_expires_at',
} as const;
const OF_BUILD: Columns<Pins> = { build: 'build_id', ...VALID };
const OF_CHANNEL: Columns<ChannelPins> = { channel: 'channel', ...VALID };

/** What devices are pinned to. */
interface Target<Of> {
  /** As in `pin devices to build 7`. */
  readonly what: string;
  readonly path: string;
  readonly columns: Columns<Of>;
}

const ofBuild = ({ app, build }: AppOptions & { readonly build: number }): Target<Pins> => ({
  ...{ what: `build ${build}`, path: `${appPath(app)}/builds/${build}/pins`, columns: OF_BUILD },
});

const ofChannel = ({ app }: AppOptions, name: string): Target<ChannelPins> => ({
  ...{ what: `the channel ${name}`, path: `${appPath(app)}/channels/${name}/pins`, columns: OF_CHANNEL },
});

/** `sluice device pin`, `unpin`, `pins` */
export function addPinCommands(device: Command, context: Context): void {
  const withBuild = (command: Command) => withApp(command).requiredOption('--build <id>', 'ID of the build', parseId);

  withBuild(device.command('pin').description('offer devices a build whatever its rollout percentage'))
    .argument('<device...>', 'device IDs, as the devices send them')
    .option('--for <duration>', 'how long the pins are valid, such as 12h or 30d (default: 90 days)', parseDuration)
    .action((add, options) => pin(ofBuild(options), add, options, context));

  withBuild(device.command('unpin').description('remove the pins of devices from a build'))
    .argument('[device...]', 'device IDs, as the devices send them')
    .option('--all', 'remove all pins of the build')
    .action((remove, options) => unpin(ofBuild(options), remove, options, context));

  withBuild(device.command('pins').description('count the devices that are pinned to a build')).action((options) =>
    count(ofBuild(options), options, context),
  );
}

/** `sluice channel pin`, `unpin`, `pins` */
export function addChannelPinCommands(channel: Command, context: Context): void {
  const withName = (command: Command) => withApp(command).argument('<name>', 'name of the channel', parseChannel);

  withName(channel.command('pin').description('add devices to the audience of a channel, whatever its rules'))
    .argument('<device...>', 'device IDs, as the devices send them')
    .option('--for <duration>', 'how long the pins are valid, such as 12h or 30d (default: 90 days)', parseDuration)
    .action((name, add, options) => pin(ofChannel(options, name), add, options, context));

  withName(channel.command('unpin').description('remove the pins of devices from a channel'))
    .argument('[device...]', 'device IDs, as the devices send them')
    .option('--all', 'remove all pins of the channel')
    .action((name, remove, options) => unpin(ofChannel(options, name), remove, options, context));

  withName(channel.command('pins').description('count the devices that are pinned in a channel')).action(
    (name, options) => count(ofChannel(options, name), options, context),
  );
}

async function pin<Of extends object>(
  { what, path, columns }: Target<Of>,
  add: readonly string[],
  { for: milliseconds, ...options }: AppOptions & { readonly for?: number },
  context: Context,
): Promise<void> {
  const expires_at = milliseconds === undefined ? undefined : new Date(Date.now() + milliseconds).toISOString();
  const client = managementClient(options, context);
  const attempt = `pin devices to ${what}`;
  const changed = await client.call<Of & Pick<Changed, 'warnings'>>(attempt, 'PATCH', path, {
    add,
    expires_at,
  });
  for (const { device_id: id, message } of changed.warnings) {
    context.output.note(id === null ? message : `${id}: ${message}`);
  }
  context.output.result<Of>(changed, columns);
}

async function unpin<Of extends object>(
  { what, path, columns }: Target<Of>,
  remove: readonly string[],
  { all, ...options }: AppOptions & { readonly all?: true },
  context: Context,
): Promise<void> {
  if ((all === true) === remove.length > 0) throw new UsageError('Name the devices, or give --all.');
  const client = managementClient(options, context);
  const attempt = `remove pins of ${what}`;
  if (all) await client.show<Of>(attempt, 'DELETE', path, columns);
  else await client.show<Of>(attempt, 'PATCH', path, columns, { remove });
}

function count<Of extends object>({ what, path, columns }: Target<Of>, options: AppOptions, context: Context) {
  return managementClient(options, context).show<Of>(`count the pins of ${what}`, 'GET', path, columns);
}
