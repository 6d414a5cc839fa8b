import type {
  clearDeadLetters,
  DeadLetter,
  deleteWebhook,
  OAuthClientState,
  ReplyOf,
  resendDeadLetters,
  saveWebhook,
  WebhookState,
} from '@sluice/contracts';
import { Argument, Option, type Command } from './commander';
import { confirm, withYes } from './confirm';
import { ownerClient, withServer } from './connection';
import type { Context } from './context';
import { UsageError } from './failure';
import type { Columns } from './output';
import { readText } from './read-text';
import { variable } from './terminal';

const CLIENT = '/listings/oauth-client';
const WEBHOOK = '/listings/webhook';

/** `sluice listings oauth-client …`: as whom access to a merchant account is asked for. */
export function addOAuthClientCommands(listings: Command, context: Context): void {
  const { output, terminal } = context;
  const client = listings
    .command('oauth-client')
    .description('the Google OAuth client that connects the merchant account (operator only)');
  const described = ({ client_id: id, source }: OAuthClientState) => ({
    client: id ?? 'none; save one: sluice listings oauth-client set --id ID --secret-file FILE',
    source: source ?? undefined,
  });

  withServer(
    client.command('set').description("save an OAuth client. It overrides the one in the server's environment"),
  )
    .requiredOption('--id <id>', 'client ID')
    .option('--secret-file <file>', 'file with the client secret (default: OAUTH_CLIENT_SECRET)')
    .action(async ({ id, secretFile, ...options }) => {
      const secret =
        secretFile === undefined ? variable(terminal, 'OAUTH_CLIENT_SECRET') : await readSecret(secretFile);
      if (secret === undefined) {
        throw new UsageError(
          'No secret was given.',
          'Name a file that holds it with --secret-file, or set OAUTH_CLIENT_SECRET.',
        );
      }
      const owner = await ownerClient(options, context);
      const body = { client_id: id, client_secret: secret };
      await owner.show('save the OAuth client', 'PUT', CLIENT, described, body);
      output.note(
        'A grant belongs to the client that it was given to. Connect the shop: sluice listings connect --wait',
      );
    });
  withServer(
    client.command('show').description('show the client ID, and whether it was saved or comes from the environment'),
  ).action(async (options) =>
    (await ownerClient(options, context)).show('read the OAuth client', 'GET', CLIENT, described),
  );
  withServer(
    client.command('remove').description('delete the saved OAuth client. The one from the environment is used again'),
  ).action(async (options) =>
    (await ownerClient(options, context)).show('forget the OAuth client', 'DELETE', CLIENT, described),
  );
}

/** `sluice listings webhook …`: where hooks are sent, and what could not be delivered. */
export function addWebhookCommands(listings: Command, context: Context): void {
  const { output } = context;
  const webhook = listings
    .command('webhook')
    .description('the webhook that hooks of the module are sent to (operator only)');

  withServer(webhook.command('set').description('send hooks to this URL from now on'))
    .argument('<url>', "https URL, or http on the server's own machine")
    .addOption(new Option('--secret-file <file>', 'file with the secret that signs deliveries').conflicts('newSecret'))
    .option('--new-secret', 'generate a new secret (default: keep the current one, or generate one if there is none)')
    .action(async (url, { secretFile, newSecret, ...options }) => {
      const secret = secretFile === undefined ? undefined : await readSecret(secretFile);
      const owner = await ownerClient(options, context);
      const body = { url, ...(secret !== undefined && { secret }), ...(newSecret && { secret: null }) };
      const saved = await owner.call<ReplyOf<typeof saveWebhook>>('set the webhook', 'PUT', WEBHOOK, body);
      output.result(saved, { url: 'url', secret: 'secret' });
      if (saved.secret !== undefined) output.note('The secret is shown this once: keep it where hooks are received.');
    });

  withServer(webhook.command('show').description('show the webhook URL and the number of pending deliveries')).action(
    async (options) =>
      (await ownerClient(options, context)).show<WebhookState>('read the webhook', 'GET', WEBHOOK, {
        url: ({ url }) => url ?? 'none; set one: sluice listings webhook set URL',
        ...{ waiting: 'waiting', 'dead letters': 'dead' },
      }),
  );

  withYes(withServer(webhook.command('remove').description('delete the URL, the secret and all deliveries'))).action(
    async (options) => {
      const attempt = 'remove the webhook';
      const question = 'Forget the webhook, and all that waits for it?';
      await confirm(attempt, 'Nothing was changed.', options, context, () => question);
      const owner = await ownerClient(options, context);
      await owner.show<ReplyOf<typeof deleteWebhook>>(attempt, 'DELETE', WEBHOOK, { removed: 'deleted' });
    },
  );

  withServer(webhook.command('dead-letters').description('list, resend or delete deliveries that failed permanently'))
    .addArgument(new Argument('[action]', 'action').choices(['list', 'resend', 'clear']).default('list'))
    .argument('[ids...]', 'IDs of the deliveries to resend (default: all)')
    .option('--yes', 'do not ask for confirmation of clear (with --json or without a terminal, no command asks)')
    .action(async (action, ids, options) => {
      if (action !== 'resend' && ids.length > 0) throw new UsageError(`${action} takes no ids: resend does.`);
      const path = `${WEBHOOK}/dead-letters`;
      if (action === 'list') {
        const owner = await ownerClient(options, context);
        await owner.table<DeadLetter>('list dead letters', path, {
          ...{ id: 'id', hook: 'hook', 'occurred at': 'occurred_at', attempts: 'attempts', 'last error': 'last_error' },
        });
      } else if (action === 'resend') {
        const owner = await ownerClient(options, context);
        const body = ids.length === 0 ? {} : { ids };
        const columns: Columns<ReplyOf<typeof resendDeadLetters>> = { resent: 'resent' };
        await owner.show('resend dead letters', 'POST', `${path}/resend`, columns, body);
      } else {
        const attempt = 'clear dead letters';
        await confirm(attempt, 'Nothing was changed.', options, context, () => 'Delete all dead letters?');
        const owner = await ownerClient(options, context);
        await owner.show<ReplyOf<typeof clearDeadLetters>>(attempt, 'DELETE', path, { deleted: 'deleted' });
      }
    });
}

/** @throws Failure, UsageError when the file is empty */
async function readSecret(path: string): Promise<string> {
  const secret = (await readText('secret', path)).trim();
  if (secret === '') throw new UsageError(`The file ${path} is empty.`, 'It must hold the secret alone.');
  return secret;
}
