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
    .description('the OAuth client that the store is connected by, set by the operator');
  const described = ({ client_id: id, source }: OAuthClientState) => ({
    client: id ?? 'none; save one: sluice listings oauth-client set --id ID --secret-file FILE',
    source: source ?? undefined,
  });

  withServer(client.command('set').description('save it, in place of that of the server’s environment'))
    .requiredOption('--id <id>', 'its id')
    .option('--secret-file <file>', 'a file that holds its secret (else OAUTH_CLIENT_SECRET)')
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
        'A grant belongs to the client that it was given to. Connect the store: sluice listings connect --wait',
      );
    });
  withServer(client.command('show').description('its id and where it was set')).action(async (options) =>
    (await ownerClient(options, context)).show('read the OAuth client', 'GET', CLIENT, described),
  );
  withServer(
    client.command('remove').description('forget the one that was saved: the environment’s holds then'),
  ).action(async (options) =>
    (await ownerClient(options, context)).show('forget the OAuth client', 'DELETE', CLIENT, described),
  );
}

/** `sluice listings webhook …`: where hooks are sent, and what could not be delivered. */
export function addWebhookCommands(listings: Command, context: Context): void {
  const { output } = context;
  const webhook = listings.command('webhook').description('where hooks are sent, set by the operator');

  withServer(webhook.command('set').description('send hooks to this address from now on'))
    .argument('<url>', 'an https address, or http on the server’s own machine')
    .addOption(new Option('--secret-file <file>', 'a file that holds the secret to sign with').conflicts('newSecret'))
    .option('--new-secret', 'have a new secret made (default: the present one, else a new one)')
    .action(async (url, { secretFile, newSecret, ...options }) => {
      const secret = secretFile === undefined ? undefined : await readSecret(secretFile);
      const owner = await ownerClient(options, context);
      const body = { url, ...(secret !== undefined && { secret }), ...(newSecret && { secret: null }) };
      const saved = await owner.call<ReplyOf<typeof saveWebhook>>('set the webhook', 'PUT', WEBHOOK, body);
      output.result(saved, { url: 'url', secret: 'secret' });
      if (saved.secret !== undefined) output.note('The secret is shown this once: keep it where hooks are received.');
    });

  withServer(webhook.command('show').description('its address, and how much waits for it')).action(async (options) =>
    (await ownerClient(options, context)).show<WebhookState>('read the webhook', 'GET', WEBHOOK, {
      url: ({ url }) => url ?? 'none; set one: sluice listings webhook set URL',
      ...{ waiting: 'waiting', 'dead letters': 'dead' },
    }),
  );

  withYes(withServer(webhook.command('remove').description('forget address, secret and all deliveries'))).action(
    async (options) => {
      const attempt = 'remove the webhook';
      const question = 'Forget the webhook, and all that waits for it?';
      await confirm(attempt, 'Nothing was changed.', options, context, () => question);
      const owner = await ownerClient(options, context);
      await owner.show<ReplyOf<typeof deleteWebhook>>(attempt, 'DELETE', WEBHOOK, { removed: 'deleted' });
    },
  );

  withServer(webhook.command('dead-letters').description('deliveries that were given up: list, resend or clear them'))
    .addArgument(new Argument('[action]', 'what to do').choices(['list', 'resend', 'clear']).default('list'))
    .argument('[ids...]', 'which are resent (default: all)')
    .option('--yes', 'do not ask before they are cleared, which a terminal does without --json')
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
