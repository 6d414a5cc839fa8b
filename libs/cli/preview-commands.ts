import { previewAddress } from '@sluice/client';
import type {
  ApiKey,
  AppChannel,
  Build,
  createChannelKey,
  removeChannel,
  ReplyOf,
  revealChannelKey,
} from '@sluice/contracts';
import { parseChannel, parseDuration, parseId } from './arguments';
import { InvalidArgumentError, type Command } from './commander';
import { confirm, withYes } from './confirm';
import { appPath, deviceServer, managementClient, serverAddress, withApp, type AppOptions } from './connection';
import type { Context } from './context';
import { Failure, Refusal, UsageError } from './failure';
import type { ApiClient } from './http-client';
import type { Cell } from './output';
import { projectFolder } from './project-file';
import { timeIn } from './token-commands';
import { uploadAndWait } from './upload-command';

const DAY_MS = 24 * 3_600_000;

interface PreviewOptions extends AppOptions {
  readonly open?: string;
}

const pathOf = ({ app }: AppOptions, name?: string) =>
  `${appPath(app)}/channels${name === undefined ? '' : `/${name}`}`;

/** `sluice preview …` */
export function addPreviewCommands(program: Command, context: Context): void {
  const preview = program.command('preview').description('channels that expire, such as one for each pull request');
  const withOpen = (command: Command) =>
    withApp(command).option(
      '--open <url>',
      'address that opens your app; the server, the channel and the key are added after # (default: sluice://preview, for an app with the scheme sluice)',
      parseOpen,
    );

  withOpen(
    preview
      .command('create')
      .description(
        'add a channel that expires, with a key of its own, upload a bundle to it, and print its address and a QR code. A preview that exists gets the bundle and the new expiry, and keeps its address',
      ),
  )
    .argument('[dir|zip]', 'folder or zip file (default: the folder in sluice.json)')
    .option('--pr <number>', 'number of the pull request: the channel is pr-NUMBER', parseId)
    .option('--name <name>', 'name of the channel, instead of --pr', parseChannel)
    .option('--ttl <duration>', 'delete the channel after this time, such as 12h or 7d (default: 7d)', parseDuration)
    .requiredOption(
      '--version <version>',
      'version of the bundle, higher than the one in the native app and than that of the preview, such as 1000.0.0',
    )
    .action(async (given, { pr, name: named, ttl = 7 * DAY_MS, version, ...options }) => {
      if ((pr === undefined) === (named === undefined)) throw new UsageError('Name the preview with --pr or --name.');
      const name = named ?? `pr-${pr}`;
      const source = given ?? projectFolder(context);
      const client = managementClient(options, context);
      const server = await serverOfDevices(options, context);
      const channel = await addOrRenew(name, timeIn(ttl, context), options, client);
      const key = await keyOf(name, options, client);
      const build = await uploadAndWait(source, { app: options.app, channel: name, version }, client, context).catch(
        (error: unknown) => {
          const left = `The channel ${name} is there. Repeat the command, or: sluice preview delete ${name}`;
          if (error instanceof Failure) context.output.note(left);
          throw error;
        },
      );
      await show({ channel, key, build }, server, options, context);
    });

  withOpen(preview.command('show').description('print the address of a preview and its QR code'))
    .argument('<name>', 'name of the channel', parseChannel)
    .action(async (name, options) => {
      const client = managementClient(options, context);
      const server = await serverOfDevices(options, context);
      const channel = await client.call<AppChannel>(`show the preview ${name}`, 'GET', pathOf(options, name));
      await show({ channel, key: await keyOf(name, options, client) }, server, options, context);
    });

  withApp(preview.command('list').description('list the channels that expire')).action(async (options) => {
    const client = managementClient(options, context);
    const all = await client.list<AppChannel>('list the channels', pathOf(options));
    const previews = all.filter(({ expires_at: expires }) => expires !== null);
    if (context.output.json(previews)) return;
    await context.output.list(previews, {
      channel: 'name',
      created: ({ created_at: created }) => created ?? undefined,
      expires: ({ expires_at: expires }) => expires ?? undefined,
    });
  });

  withYes(
    withApp(
      preview.command('delete').description('delete a preview, with its builds and keys (needs builds.delete)'),
    ).argument('<name>', 'name of the channel', parseChannel),
  ).action(async (name, options) => {
    const attempt = `delete the preview ${name}`;
    const question = () => `Delete the channel ${name}, its builds and its keys?`;
    await confirm(attempt, 'Nothing was deleted.', options, context, question);
    const columns = { channel: 'name', deleted: 'deleted' } as const;
    const client = managementClient(options, context);
    await client.show<ReplyOf<typeof removeChannel>>(attempt, 'DELETE', pathOf(options, name), columns);
  });
}

async function serverOfDevices(options: AppOptions, context: Context): Promise<string> {
  const server = serverAddress(options, context);
  return (await deviceServer(server, context.terminal.signal)) ?? server;
}

/** The channel of the preview. @throws Failure for a channel that does not expire: it is no preview */
async function addOrRenew(
  name: string,
  expiresAt: string,
  options: AppOptions,
  client: ApiClient,
): Promise<AppChannel> {
  const [attempt, path] = [`add the channel ${name}`, pathOf(options, name)];
  try {
    return await client.call<AppChannel>(attempt, 'POST', pathOf(options), { name, expires_at: expiresAt });
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'CHANNEL_EXISTS')) throw error;
    const { expires_at: expires } = await client.call<AppChannel>(attempt, 'GET', path);
    if (expires === null) throw error;
    return client.call<AppChannel>(`renew the channel ${name}`, 'PATCH', path, { expires_at: expiresAt });
  }
}

/** Its oldest active key, else a new one. */
async function keyOf(name: string, options: AppOptions, client: ApiClient) {
  const keys = `${pathOf(options, name)}/keys`;
  const all = await client.list<ApiKey>(`list the keys of ${name}`, keys);
  const known = all.find(({ status }) => status === 'active');
  if (known === undefined) {
    const body = { name: `preview ${name}` };
    return client.call<ReplyOf<typeof createChannelKey>>(`create a key of ${name}`, 'POST', keys, body);
  }
  const path = `${keys}/${known.id}/reveal`;
  const revealed = await client.call<ReplyOf<typeof revealChannelKey>>(`reveal the key of ${name}`, 'POST', path);
  return { ...revealed, name: known.name, status: known.status };
}

interface Preview {
  readonly channel: AppChannel;
  readonly key: ReplyOf<typeof createChannelKey>;
  readonly build?: Pick<Build, 'id' | 'version'>;
}

async function show(
  { channel, key, build }: Preview,
  server: string,
  { open = 'sluice://preview' }: PreviewOptions,
  { output }: Context,
): Promise<void> {
  const address = previewAddress({ open, server, channel: channel.name, apiKey: key.plaintext_key });
  output.result({ channel, key, ...(build && { build }), address }, (): Record<string, Cell> => ({
    ...{ channel: channel.name, build: build?.id, version: build?.version },
    ...{ expires: channel.expires_at ?? 'never', key: key.plaintext_key, address },
  }));
  await output.qrCode(address);
}

function parseOpen(text: string): string {
  if (URL.canParse(text) && !text.includes('#')) return text;
  throw new InvalidArgumentError('It must be an address without #, such as shop://preview.');
}
