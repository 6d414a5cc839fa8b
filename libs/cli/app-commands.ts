import type { App, OwnedApp, removeApp, replaceGateSecret, ReplyOf, Retention } from '@sluice/contracts';
import { isStandardChannel } from '@sluice/kernel/channels';
import { InvalidArgumentError, Option, type Command } from './commander';
import { wholeNumber } from './arguments';
import { confirm, mayAsk, withYes, type ConfirmOptions } from './confirm';
import { appPath, managementClient, ownerClient, withToken } from './connection';
import type { Context } from './context';
import { queryOf, type ApiClient } from './http-client';
import { formatBytes, type Columns } from './output';

const PLATFORMS = ['ios', 'android', 'both'];

/** 0: all. */
type KeepBuilds = number | 'default';

const parseKeepBuilds = (text: string): KeepBuilds => {
  if (text === 'default') return text;
  if (text === 'all') return 0;
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 10_000) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 10000, all or default.');
};

/** By channel; null: none. */
type DefaultRollout = Readonly<Record<string, number | string | null>>;

function parseDefaultRollout(text: string): DefaultRollout {
  const [, channel = '', value = ''] = /^([a-z]+)=([a-z0-9-]+)$/.exec(text) ?? [];
  if (!isStandardChannel(channel)) {
    throw new InvalidArgumentError(
      'It must be a standard channel and a value, such as production=careful or staging=50.',
    );
  }
  return { [channel]: value === 'none' ? null : /^\d+$/.test(value) ? Number(value) : value };
}

/** By name; null: none any longer. */
type AttributeEdits = Readonly<Record<string, 'string' | 'version' | null>>;

function parseAttribute(text: string): AttributeEdits {
  const [, name = '', type = ''] = /^([a-z][a-z0-9-]*)=(string|version|none)$/.exec(text) ?? [];
  if (name === '') {
    throw new InvalidArgumentError('It must be a name and a type, such as plan=string, os=version or plan=none.');
  }
  return { [name]: type === 'none' ? null : (type as 'string' | 'version') };
}

/** By platform; null: none any longer. */
type DefaultChannels = Readonly<Record<string, string | null>>;

function parseDefaultChannel(text: string): DefaultChannels {
  const [, platform = '', channel = ''] = /^(ios|android|web|all)=([a-z0-9-]+)$/.exec(text) ?? [];
  if (platform === '') {
    throw new InvalidArgumentError(
      'It must be a platform (ios, android, web or all) and a channel, such as ios=beta or all=none.',
    );
  }
  return { [platform]: channel === 'none' ? null : channel };
}

/** By alias; null: none any longer. */
type AliasEdits = Readonly<Record<string, string | null>>;

function parseAlias(text: string): AliasEdits {
  const [, alias = '', channel = ''] = /^(.+)=([a-z0-9-]+)$/.exec(text) ?? [];
  if (alias === '') {
    throw new InvalidArgumentError('It must be an alias and a channel, such as "Beta testers=beta" or Beta=none.');
  }
  return { [alias]: channel === 'none' ? null : channel };
}

/** `sluice app …` */
export function addAppCommands(program: Command, context: Context): void {
  const app = program.command('app').description('apps');

  withToken(app.command('create').description('register an app'))
    .requiredOption('--name <name>', 'name of the app')
    .option('--bundle-id <id>', 'bundle ID in reverse-DNS form, such as com.example.app; can never be changed')
    .addOption(
      new Option(
        '--platform <platform>',
        'native platform of the app; an ios app offers nothing to Android devices, and vice versa (default: both)',
      ).choices(PLATFORMS),
    )
    .option('--description <text>', 'description of the app')
    .action(({ name, bundleId: bundle_id, platform, description, ...options }) => {
      const body = { name, bundle_id, platform, description };
      return managementClient(options, context).show<App>(`create the app "${name}"`, 'POST', '/apps', APP, body);
    });

  withToken(app.command('list').description('list the apps that the token can access'))
    .option('--removed', 'list deleted apps instead (needs the owner key)')
    .action(async (options) => {
      const columns = {
        id: 'id',
        'app id': 'app_id',
        name: 'name',
        platform: 'platform',
        created: 'created_at',
      } as const;
      if (options.removed !== true)
        return managementClient(options, context).table<App>('list the apps', '/apps', columns);
      const removed = { ...columns, removed: 'removed_at' } as const;
      const client = await ownerClient(options, context);
      return client.table<OwnedApp>('list the removed apps', '/apps', removed, { removed: 'true' });
    });

  withToken(app.command('show').description('show an app'))
    .argument('<app>', 'numeric ID or bundle ID of the app')
    .action((id, options) => {
      const columns: Columns<App> = { ...APP, created: 'created_at' };
      return managementClient(options, context).show<App>(`show the app ${id}`, 'GET', appPath(id), columns);
    });

  withToken(
    app
      .command('gate-secret')
      .description('create or replace the secret that signs the requests to webhook gates, and show it once'),
  )
    .argument('<app>', 'numeric ID or bundle ID of the app')
    .action((id, options) => {
      const path = `${appPath(id)}/gate-secret`;
      type Made = ReplyOf<typeof replaceGateSecret>;
      const columns: Columns<Made> = { 'gate secret': 'gate_secret' };
      return managementClient(options, context).show<Made>(`replace the gate secret of ${id}`, 'POST', path, columns);
    });

  withYes(
    withToken(app.command('edit').description('change the name, platform, description or other settings of an app')),
  )
    .argument('<app>', 'numeric ID or bundle ID of the app')
    .option('--name <name>', 'name of the app')
    .addOption(
      new Option(
        '--platform <platform>',
        'native platform of the app; an ios app offers nothing to Android devices, and vice versa',
      ).choices(PLATFORMS),
    )
    .option('--description <text>', 'description of the app; an empty text removes it')
    .addOption(
      new Option(
        '--signing-key-rotation <who>',
        'who may create, rotate and retire the signing keys (needs the owner key)',
      ).choices(['any-token', 'owner-only']),
    )
    .addOption(
      new Option(
        '--unique-signatures <switch>',
        'on: reject an upload whose --signature another version of the app already has (needs the owner key)',
      ).choices(['on', 'off']),
    )
    .option(
      '--keep-builds <number>',
      'how many of the newest builds of each channel to keep: a number, all, or default (the setting of the server). The server deletes older builds that can no longer be offered. Asks for confirmation if builds would be deleted (needs the owner key)',
      parseKeepBuilds,
    )
    .option(
      '--default-rollout <channel=value>',
      'rollout of uploads and promotions to this channel that have neither --rollout nor --plan: a percentage, the name of a plan template, or none (repeatable)',
      (text: string, before: DefaultRollout | undefined) => ({ ...before, ...parseDefaultRollout(text) }),
    )
    .option(
      '--attribute <name=type>',
      'declare an attribute that devices may send and audiences may name: its type is string or version; the value none removes it (repeatable)',
      (text: string, before: AttributeEdits | undefined) => ({ ...before, ...parseAttribute(text) }),
    )
    .option(
      '--default-channel <platform=channel>',
      'channel of the devices of a platform (ios, android, web, or all for the others) that name none; the value none removes the setting (repeatable)',
      (text: string, before: DefaultChannels | undefined) => ({ ...before, ...parseDefaultChannel(text) }),
    )
    .option(
      '--channel-alias <alias=channel>',
      'channel that devices with the update client of another server get under this name; the value none removes the alias (repeatable)',
      (text: string, before: AliasEdits | undefined) => ({ ...before, ...parseAlias(text) }),
    )
    .action(async (id, options) => {
      const { name, platform, description, signingKeyRotation, uniqueSignatures, keepBuilds } = options;
      const forOwner = [signingKeyRotation, uniqueSignatures, keepBuilds].some((given) => given !== undefined);
      const client = forOwner ? await ownerClient(options, context) : managementClient(options, context);
      if (typeof keepBuilds === 'number' && keepBuilds > 0) {
        await confirmRetention(id, keepBuilds, client, options);
      }
      await client.show<App>(`edit the app ${id}`, 'PATCH', appPath(id), APP, {
        name,
        platform,
        description: description === '' ? null : description,
        signing_key_rotation: signingKeyRotation?.replace('-', '_'),
        unique_signatures: uniqueSignatures && uniqueSignatures === 'on',
        keep_builds: keepBuilds === 'default' ? null : keepBuilds,
        default_rollout: options.defaultRollout,
        attributes: options.attribute,
        default_channels: options.defaultChannel,
        channel_aliases: options.channelAlias,
      });
    });

  /** Before a number is set that lets builds go. */
  async function confirmRetention(id: string, keep: number, client: ApiClient, options: ConfirmOptions): Promise<void> {
    if (!mayAsk(options, context)) return;
    const attempt = `edit the app ${id}`;
    const { total, freed_bytes } = await client.call<Retention>(attempt, 'GET', retentionPath(id, keep));
    if (total === 0) return;
    const builds = total === 1 ? '1 build' : `${total} builds`;
    const question = `Delete ${builds} (${formatBytes(freed_bytes)}) permanently? "sluice app retention ${id} --keep ${keep}" lists them.`;
    await confirm(attempt, 'Nothing was changed.', options, context, () => question);
  }

  withToken(
    app
      .command('retention')
      .description('preview which old builds the setting --keep-builds would delete now; deletes nothing'),
  )
    .argument('<app>', 'numeric ID or bundle ID of the app')
    .option(
      '--keep <number>',
      'number of builds to keep per channel (default: the current setting of the app)',
      wholeNumber(1, 10_000),
    )
    .action(async (id, options) => {
      const client = managementClient(options, context);
      const attempt = `preview the retention of the app ${id}`;
      const retention = await client.call<Retention>(attempt, 'GET', retentionPath(id, options.keep));
      const { keep_builds: keep, total, freed_bytes, builds } = retention;
      if (context.output.json(retention)) return;
      const kept = keep === 0 ? 'all builds are kept' : `the newest ${keep} of each channel are kept`;
      context.output.note(
        `${total} ${total === 1 ? 'build' : 'builds'} (${formatBytes(freed_bytes)}) would be deleted: ${kept}.`,
      );
      await context.output.list(builds, {
        ...{ id: 'id', version: 'version', channel: 'channel' },
        state: (shown) => shown.state.replaceAll('_', ' '),
        size: (shown) => shown.file_size && formatBytes(shown.file_size),
        created: 'created_at',
      });
      if (total > builds.length) context.output.note(`These are the first ${builds.length}.`);
    });

  withYes(withToken(app.command('delete').description('delete an app permanently, with its builds and keys')))
    .argument('<app>', 'numeric ID or bundle ID of the app')
    .action(async (id, options) => {
      const client = managementClient(options, context);
      const attempt = `delete the app ${id}`;
      await confirm(attempt, 'Nothing was deleted.', options, context, async () => {
        const { app_id, name } = await client.call<App>(attempt, 'GET', appPath(id));
        return `Delete the app "${name}" (${app_id}) permanently, with its builds and keys?`;
      });
      const columns = { app: 'id', deleted: 'deleted' } as const;
      await client.show<ReplyOf<typeof removeApp>>(attempt, 'DELETE', appPath(id), columns);
    });
}

const retentionPath = (app: string, keep: number | undefined): string =>
  `${appPath(app)}/retention${queryOf({ keep_builds: keep })}`;

type AddedLater = 'default_rollout' | 'attributes' | 'default_channels' | 'channel_aliases';
/** A server of an earlier release has none of these. */
type ShownApp = Omit<App, AddedLater> & Partial<Pick<App, AddedLater>>;

const APP: Columns<App> = {
  ...{ id: 'id', 'app id': 'app_id', name: 'name', platform: 'platform' },
  description: (app) => app.description ?? undefined,
  'signing keys': (app) => (app.signing_key_rotation === 'owner_only' ? 'the owner alone' : undefined),
  'unique signatures': (app) => app.unique_signatures || undefined,
  'default rollout': ({ default_rollout: defaults = {} }: ShownApp) =>
    Object.entries(defaults)
      .map(([channel, value]) => `${channel}: ${typeof value === 'number' ? `${value}%` : value}`)
      .join(', ') || undefined,
  attributes: ({ attributes = {} }: ShownApp) =>
    Object.entries(attributes)
      .map(([name, type]) => `${name}: ${type}`)
      .join(', ') || undefined,
  'default channels': ({ default_channels: defaults = {} }: ShownApp) =>
    Object.entries(defaults)
      .map(([platform, channel]) => `${platform}: ${channel}`)
      .join(', ') || undefined,
  'channel aliases': ({ channel_aliases: aliases = {} }: ShownApp) =>
    Object.entries(aliases)
      .map(([alias, channel]) => `${alias}: ${channel}`)
      .join(', ') || undefined,
  'builds kept': (app) => (app.keep_builds === 0 ? 'all' : (app.keep_builds ?? undefined)),
};
