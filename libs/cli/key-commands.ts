import type { ApiKey, ChannelKey, deleteApiKey, ReplyOf, Restrictions, revealApiKey } from '@sluice/contracts';
import { InvalidArgumentError, Option, type Command, type OptionValues } from './commander';
import { collect, parseChannel, parseId } from './arguments';
import { confirm, withYes } from './confirm';
import { appPath, managementClient, withApp, type AppOptions } from './connection';
import type { Context } from './context';
import { UsageError } from './failure';
import type { Cell, Columns } from './output';

type CreatedKey = Pick<ApiKey, 'id' | 'name' | 'status'> & { readonly plaintext_key: string };

interface KeyOptions extends AppOptions {
  readonly ofChannel?: string | undefined;
}

const withChannel = <Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  description = 'the channel that the key belongs to',
) => command.option('--of-channel <name>', description, parseChannel);

/** `sluice key …` */
export function addKeyCommands(program: Command, context: Context): void {
  const key = program.command('key').description('API keys, which devices send with their requests');

  const withKey = (command: Command) => withApp(command).argument('<key>', 'ID of the key', parseId);
  const pathOf = ({ app, ofChannel }: KeyOptions) =>
    ofChannel === undefined ? `${appPath(app)}/api-keys` : `${appPath(app)}/channels/${ofChannel}/keys`;

  withChannel(withApp(key.command('create').description('create an API key')))
    .requiredOption('--name <name>', 'name of the key')
    .option('--key <text>', 'value of the key, to import one that clients already have (with --of-channel)')
    .addOption(
      new Option(
        '--platform <platform>',
        'platform of the devices that use the key, for clients that do not send theirs (with --of-channel)',
      ).choices(['ios', 'android']),
    )
    .action(({ name, key: text, platform, ...options }) => {
      if (options.ofChannel === undefined && (text !== undefined || platform !== undefined)) {
        throw new UsageError('--key and --platform are for the keys of a channel. Add --of-channel.');
      }
      const client = managementClient(options, context);
      const body = { name, key: text, platform };
      return client.show(`create the key "${name}"`, 'POST', pathOf(options), SECRET, body);
    });

  withChannel(
    withApp(key.command('list').description('list the API keys of an app; the keys themselves are shown shortened')),
  ).action((options) =>
    managementClient(options, context).table<ApiKey & Partial<ChannelKey>>('list the keys', pathOf(options), {
      ...{ id: 'id', name: 'name', key: 'key_preview', status: 'status' },
      restricted: (shown) => !shown.unrestricted,
      ...(options.ofChannel !== undefined && { platform: ({ platform }) => platform ?? undefined }),
      ...{ 'last used': 'last_used_at', created: 'created_at' },
    }),
  );

  withKey(
    key.command('rotate').description('replace the plaintext of an API key; the old one stops working immediately'),
  ).action((id, options) =>
    managementClient(options, context).show(`rotate key ${id}`, 'POST', `${pathOf(options)}/${id}/rotate`, SECRET),
  );

  withChannel(withKey(key.command('reveal').description('show the plaintext of an API key again'))).action(
    (id, options) => {
      const columns: Columns<ReplyOf<typeof revealApiKey>> = { id: 'id', key: 'plaintext_key' };
      const path = `${pathOf(options)}/${id}/reveal`;
      return managementClient(options, context).show(`reveal key ${id}`, 'POST', path, columns);
    },
  );

  withChannel(
    withKey(
      key
        .command('restrict')
        .description(
          'restrict a key to web origins, Android apps, iOS apps or channels. Replaces earlier restrictions',
        ),
    ),
  )
    .option('--origin <origin>', 'a web origin, such as https://*.example.com (repeatable)', collect)
    .option('--android <package[=fingerprint,…]>', 'an Android app, and its certificates (repeatable)', collectAndroid)
    .option('--ios <bundle[=team]>', 'an iOS app, and its team (repeatable)', collectIos)
    .option('--channel <name>', 'a channel that the key may be used for (repeatable)', collect)
    .option('--clear', 'remove all restrictions')
    .action((id, options) => {
      const { origin: origins, android, ios, channel: channels, clear = false } = options;
      if (clear === [origins, android, ios, channels].some((kind) => kind !== undefined)) {
        throw new UsageError(
          'Say who may use the key by --origin, --android, --ios or --channel, or that everybody may by --clear.',
        );
      }
      const path = `${pathOf(options)}/${id}/restrictions`;
      const body = { origins, android, ios, channels };
      return managementClient(options, context).show(`restrict key ${id}`, 'PATCH', path, describeKey, body);
    });

  const finalCommands = [
    ['revoke', 'disable a key immediately and permanently'],
    ['deprecate', 'mark a key for retirement; it keeps working'],
  ] as const;
  for (const [verb, description] of finalCommands) {
    withKey(key.command(verb).description(description)).action((id, options) => {
      const path = `${pathOf(options)}/${id}/${verb}`;
      return managementClient(options, context).show(`${verb} key ${id}`, 'POST', path, describeKey);
    });
  }

  withYes(withChannel(withKey(key.command('delete').description('delete a key permanently')))).action(
    async (id, options) => {
      const client = managementClient(options, context);
      const attempt = `delete key ${id}`;
      const path = `${pathOf(options)}/${id}`;
      await confirm(attempt, 'Nothing was deleted.', options, context, async () => {
        if (options.ofChannel !== undefined) return `Delete key ${id} of the channel ${options.ofChannel} permanently?`;
        const { name, status } = await client.call<ApiKey>(attempt, 'GET', path);
        return `Delete key ${id} (${name}, ${status}) permanently?`;
      });
      const columns = { key: 'id', deleted: 'deleted' } as const;
      await client.show<ReplyOf<typeof deleteApiKey>>(attempt, 'DELETE', path, columns);
    },
  );
}

const SECRET: Columns<CreatedKey> = { id: 'id', name: 'name', status: 'status', key: 'plaintext_key' };

function describeKey({ id, name, key_preview, status, restrictions }: ApiKey): Record<string, Cell> {
  const { origins = [], android = [], ios = [], channels } = restrictions;
  const allowed = [...origins, ...android.map((app) => app.package_name), ...ios.map((app) => app.bundle_id)];
  return {
    id,
    name,
    key: key_preview,
    status,
    for: allowed.length === 0 ? 'everybody' : allowed.join(', '),
    channels: channels?.join(', '),
  };
}

type AndroidApp = NonNullable<Restrictions['android']>[number];
type IosApp = NonNullable<Restrictions['ios']>[number];

/** `com.example.app`, or `com.example.app=AB:CD:…,EF…`: the length of a fingerprint determines its kind. */
function collectAndroid(text: string, before: readonly AndroidApp[] = []): readonly AndroidApp[] {
  const [name, fingerprints] = split(text);
  const app: AndroidApp = { package_name: name };
  for (const fingerprint of fingerprints?.split(',') ?? []) {
    const digits = fingerprint.replaceAll(':', '').length;
    if (digits === 64) (app.sha256 ??= []).push(fingerprint);
    else if (digits === 40) (app.sha1 ??= []).push(fingerprint);
    else throw new InvalidArgumentError('A fingerprint must be a SHA-256 of 64 or a SHA-1 of 40 hexadecimal digits.');
  }
  return [...before, app];
}

function collectIos(text: string, before: readonly IosApp[] = []): readonly IosApp[] {
  const [bundle, team] = split(text);
  return [...before, { bundle_id: bundle, ...(team !== undefined && { team_id: team }) }];
}

function split(text: string): readonly [string, string?] {
  const at = text.indexOf('=');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
