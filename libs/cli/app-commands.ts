import type { App, OwnedApp, removeApp, ReplyOf } from '@sluice/contracts';
import { Option, type Command } from 'commander';
import { managementClient, ownerClient, withToken, type TokenOptions } from './connection';
import type { Context } from './context';
import { Failure } from './failure';
import type { Cell } from './output';

const PLATFORMS = ['ios', 'android', 'both'];

interface CreateOptions extends TokenOptions {
  readonly name: string;
  readonly bundleId?: string;
  readonly platform?: string;
  readonly description?: string;
}

interface DeleteOptions extends TokenOptions {
  readonly yes?: true;
  readonly json?: true;
}

interface ListOptions extends TokenOptions {
  readonly removed?: boolean;
}

interface EditOptions extends TokenOptions {
  readonly name?: string;
  readonly platform?: string;
  readonly description?: string;
  readonly signingKeyRotation?: 'any-token' | 'owner-only';
  readonly uniqueSignatures?: 'on' | 'off';
}

/** `sluice app …` */
export function addAppCommands(program: Command, context: Context): void {
  const app = program.command('app').description('apps');

  withToken(app.command('create').description('register an app'))
    .requiredOption('--name <name>', 'name of the app')
    .option('--bundle-id <id>', 'reverse-DNS id, such as com.example.app; can never be changed')
    .addOption(new Option('--platform <platform>', 'default: both').choices(PLATFORMS))
    .option('--description <text>', 'what the app is')
    .action(async (options: CreateOptions) => {
      const { name, bundleId, platform, description } = options;
      const client = managementClient(options, context);
      const made = await client.call<App>(`create the app "${name}"`, 'POST', '/apps', {
        name,
        bundle_id: bundleId,
        platform,
        description,
      });
      context.output.result(made, describeApp);
    });

  withToken(app.command('list').description('list the apps that the token reaches'))
    .option('--removed', 'list the removed apps of the owner instead (owner key: OWNER_KEY, else DATA_DIR/owner.key)')
    .action(async (options: ListOptions) => {
      const common = {
        id: (shown: App) => shown.id,
        'app id': (shown: App) => shown.app_id,
        name: (shown: App) => shown.name,
        platform: (shown: App) => shown.platform,
        created: (shown: App) => shown.created_at,
      };
      if (options.removed === true) {
        const client = await ownerClient(options, context);
        const removed = await client.list<OwnedApp>('list the removed apps', '/apps', { removed: 'true' });
        await context.output.list(removed, { ...common, removed: (shown) => shown.removed_at });
        return;
      }
      const client = managementClient(options, context);
      await context.output.list(await client.list<App>('list the apps', '/apps'), common);
    });

  withToken(app.command('show').description('show an app'))
    .argument('<app>', 'id or app id of the app')
    .action(async (id: string, options: TokenOptions) => {
      const client = managementClient(options, context);
      const shown = await client.call<App>(`show the app ${id}`, 'GET', pathOf(id));
      context.output.result(shown, (found) => ({ ...describeApp(found), created: found.created_at }));
    });

  withToken(app.command('edit').description('change what an app says of itself'))
    .argument('<app>', 'id or app id of the app')
    .option('--name <name>', 'name of the app')
    .addOption(new Option('--platform <platform>', 'what it runs on').choices(PLATFORMS))
    .option('--description <text>', 'what the app is; an empty text clears it')
    .addOption(
      new Option(
        '--signing-key-rotation <who>',
        'who may change the signing keys (with the owner key: OWNER_KEY, else DATA_DIR/owner.key)',
      ).choices(['any-token', 'owner-only']),
    )
    .addOption(
      new Option(
        '--unique-signatures <switch>',
        'whether a supplied signature is for one version only (with the owner key)',
      ).choices(['on', 'off']),
    )
    .action(async (id: string, options: EditOptions) => {
      const { name, platform, description, signingKeyRotation, uniqueSignatures } = options;
      const forOwner = signingKeyRotation !== undefined || uniqueSignatures !== undefined;
      const client = forOwner ? await ownerClient(options, context) : managementClient(options, context);
      const edited = await client.call<App>(`edit the app ${id}`, 'PATCH', pathOf(id), {
        name,
        platform,
        description: description === '' ? null : description,
        signing_key_rotation: signingKeyRotation?.replace('-', '_'),
        unique_signatures: uniqueSignatures && uniqueSignatures === 'on',
      });
      context.output.result(edited, describeApp);
    });

  withToken(app.command('delete').description('delete an app for ever, with its builds and keys'))
    .argument('<app>', 'id or app id of the app')
    .option('--yes', 'do not ask, which a terminal does without --json')
    .action(async (id: string, options: DeleteOptions) => {
      const client = managementClient(options, context);
      const attempt = `delete the app ${id}`;
      if (context.terminal.interactive && options.yes !== true && options.json !== true) {
        const { app_id, name } = await client.call<App>(attempt, 'GET', pathOf(id));
        const question = `Delete the app "${name}" (${app_id}) for ever, with its builds and keys? [y/N] `;
        if (!/^y(es)?$/i.test((await context.terminal.ask(question)).trim())) {
          throw new Failure({ attempt, code: 'NOT_CONFIRMED', message: 'Nothing was deleted.' });
        }
      }
      const deleted = await client.call<ReplyOf<typeof removeApp>>(attempt, 'DELETE', pathOf(id));
      context.output.result(deleted, (shown) => ({ app: shown.id, deleted: shown.deleted }));
    });
}

function pathOf(app: string): string {
  return `/apps/${encodeURIComponent(app)}`;
}

function describeApp(app: App): Record<string, Cell> {
  return {
    id: app.id,
    'app id': app.app_id,
    name: app.name,
    platform: app.platform,
    description: app.description ?? undefined,
    'signing keys': app.signing_key_rotation === 'owner_only' ? 'the owner alone' : undefined,
    'unique signatures': app.unique_signatures || undefined,
  };
}
