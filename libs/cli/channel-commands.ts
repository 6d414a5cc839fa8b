import type { AppChannel, removeChannel, ReplyOf } from '@sluice/contracts';
import { parseChannel, parseDuration } from './arguments';
import { audienceOf, audienceText, withAudience } from './audience-rules';
import { Option, type Command } from './commander';
import { confirm, withYes } from './confirm';
import { appPath, managementClient, withApp, type AppOptions } from './connection';
import type { Context } from './context';
import { UsageError } from './failure';
import type { Columns } from './output';
import { addChannelPinCommands } from './pin-commands';
import { timeIn } from './token-commands';

/** A server of an earlier release returns no audience. */
const CHANNEL: Columns<Omit<AppChannel, 'audience'> & Partial<Pick<AppChannel, 'audience'>>> = {
  channel: 'name',
  standard: ({ standard }) => (standard ? 'yes' : 'no'),
  created: ({ created_at: created }) => created ?? undefined,
  expires: ({ expires_at: expires }) => expires ?? 'never',
  audience: ({ audience }) => audienceText(audience),
  'devices may choose it': ({ self_assign: selfAssign = false }: Partial<AppChannel>) =>
    selfAssign ? 'yes' : undefined,
};

const BUILDS = 'the builds of the channel';

/** `sluice channel …` */
export function addChannelCommands(program: Command, context: Context): void {
  const channel = program.command('channel').description('channels of an app');
  const withName = (command: Command) => withApp(command).argument('<name>', 'name of the channel', parseChannel);
  const pathOf = ({ app }: AppOptions, name?: string) =>
    `${appPath(app)}/channels${name === undefined ? '' : `/${name}`}`;

  withApp(channel.command('list').description('list the channels of an app')).action((options) =>
    managementClient(options, context).table<AppChannel>('list the channels', pathOf(options), CHANNEL),
  );

  withAudience(withName(channel.command('add').description('add a channel to an app')), BUILDS)
    .option('--ttl <duration>', 'delete the channel after this time, such as 12h or 7d (default: never)', parseDuration)
    .option('--self-assign', 'let devices choose the channel themselves')
    .action((name, { ttl, selfAssign: self_assign, ...options }) => {
      const expires_at = ttl === undefined ? undefined : timeIn(ttl, context);
      const body = { name, expires_at, self_assign, audience: audienceOf(options) };
      return managementClient(options, context).show(`add the channel ${name}`, 'POST', pathOf(options), CHANNEL, body);
    });

  withName(channel.command('edit').description('change when a channel is deleted, and whether devices may choose it'))
    .option('--ttl <duration>', 'delete the channel after this time from now, such as 12h or 7d', parseDuration)
    .addOption(new Option('--no-expires', 'never delete the channel').conflicts('ttl'))
    .option('--self-assign', 'let devices choose the channel themselves')
    .option('--no-self-assign', 'do not let devices choose it: those that have chosen it leave it')
    .action((name, { ttl, expires, selfAssign: self_assign, ...options }) => {
      if (ttl === undefined && expires && self_assign === undefined) {
        throw new UsageError('Say what to change: --ttl, --no-expires, --self-assign or --no-self-assign.');
      }
      const expiry = ttl === undefined ? (expires ? undefined : null) : timeIn(ttl, context);
      const body = { expires_at: expiry, self_assign };
      const attempt = `edit the channel ${name}`;
      return managementClient(options, context).show(attempt, 'PATCH', pathOf(options, name), CHANNEL, body);
    });

  withAudience(withName(channel.command('audience').description('set which devices a channel is for')), BUILDS)
    .addOption(new Option('--all', `offer ${BUILDS} to all devices`).conflicts(['group', 'attribute', 'pinnedOnly']))
    .action((name, options) => {
      const audience = options.all === true ? null : audienceOf(options);
      if (audience === undefined) throw new UsageError('Pass --group, --attribute, --pinned-only or --all.');
      const attempt = `set the audience of the channel ${name}`;
      return managementClient(options, context).show(attempt, 'PATCH', pathOf(options, name), CHANNEL, { audience });
    });

  addChannelPinCommands(channel, context);

  withName(channel.command('show').description('show a channel')).action((name, options) =>
    managementClient(options, context).show(`show the channel ${name}`, 'GET', pathOf(options, name), CHANNEL),
  );

  withYes(
    withName(
      channel.command('delete').description('delete a channel that was added, with its builds (needs builds.delete)'),
    ),
  ).action(async (name, options) => {
    const attempt = `delete the channel ${name}`;
    const question = () => `Delete the channel ${name} and its builds?`;
    await confirm(attempt, 'Nothing was deleted.', options, context, question);
    const columns = { channel: 'name', deleted: 'deleted' } as const;
    const client = managementClient(options, context);
    await client.show<ReplyOf<typeof removeChannel>>(attempt, 'DELETE', pathOf(options, name), columns);
  });
}
