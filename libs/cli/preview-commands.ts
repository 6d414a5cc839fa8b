import type { AppChannel, createChannelKey, removeChannel, ReplyOf } from '@sluice/contracts';
import { parseChannel, parseDuration, parseId } from './arguments';
import type { Command } from './commander';
import { confirm, withYes } from './confirm';
import { appPath, managementClient, withApp, type AppOptions } from './connection';
import type { Context } from './context';
import { Failure, UsageError } from './failure';
import { projectFolder } from './project-file';
import { timeIn } from './token-commands';
import { uploadAndWait } from './upload-command';

const DAY_MS = 24 * 3_600_000;

type Key = ReplyOf<typeof createChannelKey>;

/** `sluice preview …` */
export function addPreviewCommands(program: Command, context: Context): void {
  const preview = program.command('preview').description('channels that expire, such as one for each pull request');
  const pathOf = ({ app }: AppOptions, name?: string) =>
    `${appPath(app)}/channels${name === undefined ? '' : `/${name}`}`;

  withApp(
    preview
      .command('create')
      .description('add a channel that expires, with a key of its own, upload a bundle to it, and print its address'),
  )
    .argument('[dir|zip]', 'folder or zip file (default: the folder in sluice.json)')
    .option('--pr <number>', 'number of the pull request: the channel is pr-NUMBER', parseId)
    .option('--name <name>', 'name of the channel, instead of --pr', parseChannel)
    .option('--ttl <duration>', 'delete the channel after this time, such as 12h or 7d (default: 7d)', parseDuration)
    .requiredOption(
      '--version <version>',
      'version of the bundle, higher than the one in the native app, such as 1000.0.0',
    )
    .option(
      '--open <url>',
      'address that opens your app; the channel and the key are added to it behind # (default: sluice://preview)',
    )
    .action(async (given, { pr, name: named, ttl = 7 * DAY_MS, version, open = 'sluice://preview', ...options }) => {
      if ((pr === undefined) === (named === undefined)) throw new UsageError('Name the preview with --pr or --name.');
      const name = named ?? `pr-${pr}`;
      const source = given ?? projectFolder(context);
      const client = managementClient(options, context);
      const body = { name, expires_at: timeIn(ttl, context) };
      const channel = await client.call<AppChannel>(`add the channel ${name}`, 'POST', pathOf(options), body);
      const keys = `${pathOf(options, name)}/keys`;
      const key = await client.call<Key>(`create a key of ${name}`, 'POST', keys, { name: `preview ${name}` });
      const build = await uploadAndWait(source, { app: options.app, channel: name, version }, client, context).catch(
        (error: unknown) => {
          const left = `The channel ${name} is there. Upload again with --channel ${name}, or: sluice preview delete ${name}`;
          if (error instanceof Failure) context.output.note(left);
          throw error;
        },
      );
      const address = `${open}#sluice_channel=${name}&sluice_key=${key.plaintext_key}`;
      context.output.result({ channel, key, build, address }, () => ({
        ...{ channel: name, build: build.id, version: build.version, expires: channel.expires_at ?? 'never' },
        ...{ key: key.plaintext_key, address },
      }));
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
