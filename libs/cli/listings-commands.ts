import type {
  connectMerchant,
  disconnectMerchant,
  FeedSettings,
  getMerchantAccount,
  getMerchantConnection,
  getSyncStatus,
  ListingsModule,
  ListingsOverview,
  ReplyOf,
  SyncSettings,
} from '@sluice/contracts';
import { Argument, type Command } from './commander';
import { collect } from './arguments';
import { confirm, withYes } from './confirm';
import {
  accessToken,
  listingsClient,
  ownerClient,
  serverAddress,
  withServer,
  withToken,
  type ServerOptions,
  type TokenOptions,
} from './connection';
import type { Context } from './context';
import { Failure, Refusal, UsageError } from './failure';
import { follow } from './follow';
import type { ApiClient } from './http-client';
import { addListingsFeedCommands } from './listings-feed-commands';
import { addOAuthClientCommands, addWebhookCommands } from './listings-owner-commands';
import { addListingsSyncCommands, countsOf } from './listings-sync-commands';
import type { Cell } from './output';
import { readText } from './read-text';

type Connection = ReplyOf<typeof getMerchantConnection>;
type Account = ReplyOf<typeof getMerchantAccount>;
type RunningSync = ReplyOf<typeof getSyncStatus>;

interface Status {
  readonly enabled: boolean;
  /** Null: a token learns it once the module is on. */
  readonly entitled: boolean | null;
  readonly connection: Connection | null;
  readonly account: Account | null;
  /** Why there is a connection, but no account. */
  readonly problem: Problem | null;
  readonly overview: ListingsOverview | null;
  readonly progress: RunningSync['progress'];
}

type Problem = Pick<Failure, 'code' | 'message'>;

const CONNECT_POLL_MS = 2_000;
/** For as long as the address that a browser was sent to counts. */
const CONNECT_LOOKS = (10 * 60_000) / CONNECT_POLL_MS;

/** `sluice listings …` */
export function addListingsCommands(program: Command, context: Context): void {
  const { output } = context;
  const listings = program
    .command('listings')
    .description(
      "sync the products of a shop to Google Merchant Center\n(needs an access token with manage_store, or the operator's owner key)",
    );

  withToken(
    listings
      .command('status')
      .description('show whether the module is on, which account is connected, and how many offers are listed'),
  ).action(async (options) => {
    const client = await listingsClient(options, context);
    output.result(await readStatus(client, options, context), describeStatus);
  });

  const owners: readonly [name: string, description: string, changes: Partial<ListingsModule>][] = [
    ['enable', 'turn the listings module on (operator only)', { enabled: true }],
    ['disable', 'turn the listings module off; its data is kept (operator only)', { enabled: false }],
  ];
  const setModule = async (options: ServerOptions, attempt: string, changes: Partial<ListingsModule>) => {
    const client = await ownerClient(options, context);
    const set = await client.call<ListingsModule>(attempt, 'PUT', '/listings', changes);
    output.result(set, { enabled: 'enabled', entitled: 'entitled' });
    if (changes.enabled && !set.entitled) output.note('It works once it is entitled: sluice listings entitlement on');
    if (changes.entitled && !set.enabled) output.note('It works once it is on: sluice listings enable');
  };
  for (const [name, description, changes] of owners) {
    withServer(listings.command(name).description(description)).action((options) =>
      setModule(options, `${name} the listings`, changes),
    );
  }
  withServer(
    listings.command('entitlement').description('grant or revoke the entitlement listings_ads (operator only)'),
  )
    .addArgument(new Argument('<switch>', 'on to grant, off to revoke').choices(['on', 'off']))
    .action((to, options) => setModule(options, 'set the entitlement', { entitled: to === 'on' }));

  withToken(
    listings.command('connect').description('start connecting the merchant account: prints a URL to open in a browser'),
  )
    .option('--wait', 'wait up to ten minutes until the account is connected')
    .action(async (options) => {
      const client = await listingsClient(options, context);
      const before = options.wait && (await readStanding(client));
      const begun = await client.call<ReplyOf<typeof connectMerchant>>('begin to connect', 'POST', '/connect');
      output.result(begun, { 'open in a browser': 'authorization_url' });
      if (before === undefined) {
        output.note('It counts once, for ten minutes. Then see: sluice listings status');
      } else if (works(before)) {
        output.note(`The shop is already connected, ${asWhom(before)}. This address connects it again.`);
      } else {
        output.note('Waiting until access is granted there.');
        const { problem, ...standing } = await waitUntilConnected(client, context);
        output.note(`Connected, ${asWhom(standing)}.`);
        if (problem !== null) output.note(`${problem.message} Details: sluice listings diagnostics`);
      }
    });

  const disconnect = listings
    .command('disconnect')
    .description(
      'disconnect the merchant account: revokes the OAuth grant and deletes the tokens. Existing offers are not changed',
    );
  withYes(withToken(disconnect)).action(async (options) => {
    const client = await listingsClient(options, context);
    const attempt = 'disconnect the merchant account';
    await confirm(attempt, 'Nothing was disconnected.', options, context, async () => {
      const { email } = await client.call<Connection>(attempt, 'GET', '/connection');
      return `Disconnect the merchant account${email === null ? '' : ` (${email})`}, so that nothing is synced?`;
    });
    const ended = await client.call<ReplyOf<typeof disconnectMerchant>>(attempt, 'POST', '/disconnect');
    output.result(ended, ({ revocation }) => ({ disconnected: true, revocation }));
    if (ended.revocation === 'unconfirmed') {
      output.note('Google did not confirm that it revoked the token. The server retries for 7 days.');
    }
  });

  const settings = listings.command('settings').description('show or change settings');
  const kinds = [
    ['feed', 'show or change the feed settings: which products are listed, and how'],
    ['sync', 'show or change the sync settings: interval, batches and retries'],
  ] as const;
  for (const [kind, description] of kinds) {
    withToken(settings.command(kind).description(description))
      .option(
        '--set <name=value>',
        'set a value: a text, JSON such as 30, true, null or {…}, or @FILE with JSON; may be repeated. Without --set, the command prints all names',
        collect,
      )
      .action(async (options) => {
        const client = await listingsClient(options, context);
        const path = `/${kind}/settings`;
        type Settings = FeedSettings | SyncSettings;
        const shown = await client.call<Settings>(`read the ${kind} settings`, 'GET', path);
        const change = async (sets: readonly string[]) => {
          const changes = await parseChanges(sets, Object.keys(shown));
          return client.call<Settings>(`change the ${kind} settings`, 'POST', path, changes);
        };
        output.result(options.set === undefined ? shown : await change(options.set), describeSettings);
      });
  }

  addListingsFeedCommands(listings, context);
  addListingsSyncCommands(listings, context);
  addOAuthClientCommands(listings, context);
  addWebhookCommands(listings, context);
}

/** @throws UsageError for a name that the server does not know, and what begins as JSON and is none */
async function parseChanges(sets: readonly string[], names: readonly string[]): Promise<Record<string, unknown>> {
  const changes: Record<string, unknown> = {};
  for (const set of sets) {
    const [name = '', ...rest] = set.split('=');
    if (rest.length === 0) throw new UsageError(`"${set}" must look like name=value.`);
    if (!names.includes(name)) throw new UsageError(`There is no setting ${name}.`, `There are ${names.join(', ')}.`);
    changes[name] = await parseValue(name, rest.join('='));
  }
  return changes;
}

async function parseValue(name: string, given: string): Promise<unknown> {
  const text = given.startsWith('@') ? await readText('value', given.slice(1)) : given;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (text === given && !/^\s*[[{"]/.test(given)) return given;
    throw new UsageError(`The value for ${name} is no JSON: ${(error as Error).message}`);
  }
}

type Standing = Pick<Status, 'connection' | 'account' | 'problem'>;

async function readStanding(client: ApiClient): Promise<Standing> {
  const connection = await client.call<Connection>('read the connection', 'GET', '/connection');
  if (!connection.connected) return { connection, account: null, problem: null };
  try {
    const account = await client.call<Account>('read the account', 'GET', '/merchant');
    return { connection, account, problem: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message } = error;
    return { connection, account: null, problem: { code, message } };
  }
}

function works({ connection, problem }: Standing): boolean {
  return connection?.connected === true && problem?.code !== 'reauth_required';
}

function asWhom({ connection, account }: Pick<Standing, 'connection' | 'account'>): string {
  const to = account === null ? '' : ` to account ${account.account_id} (${account.name})`;
  return `as ${connection?.email ?? 'an account whose name Google did not report'}${to}`;
}

function waitUntilConnected(client: ApiClient, context: Context): Promise<Standing> {
  let looks = 0;
  const look = async () => {
    const standing = await readStanding(client);
    if (works(standing)) return standing;
    looks += 1;
    if (looks < CONNECT_LOOKS) return undefined;
    throw new Failure({
      attempt: 'connect the shop',
      code: 'NOT_CONNECTED_IN_TIME',
      message: 'Access was not granted within ten minutes, and the address has expired.',
      advice: 'Run the command again for a new address.',
    });
  };
  return follow(look, [CONNECT_POLL_MS], context);
}

async function readStatus(client: ApiClient, options: TokenOptions, context: Context): Promise<Status> {
  const module = await readModule(client, options, context);
  const unknown = { connection: null, account: null, problem: null, overview: null, progress: null };
  if (!module.enabled || module.entitled !== true) return { ...module, ...unknown };
  const standing = await readStanding(client);
  const overview = await client.call<ListingsOverview>('read the overview', 'GET', '/overview');
  const { progress } = await client.call<RunningSync>('read the sync status', 'GET', '/sync/status');
  return { ...module, ...standing, overview, progress };
}

/** The owner sees both; a token learns them from what it is refused. */
async function readModule(
  client: ApiClient,
  options: TokenOptions,
  context: Context,
): Promise<Pick<Status, 'enabled' | 'entitled'>> {
  if (accessToken(options, serverAddress(options, context), context.terminal) === undefined) {
    const owner = await ownerClient(options, context);
    return owner.call<ListingsModule>('read whether the module is on', 'GET', '/listings');
  }
  try {
    await client.call('read the connection', 'GET', '/connection');
    return { enabled: true, entitled: true };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'module_disabled') return { enabled: false, entitled: null };
    if (error.code === 'entitlement_required') return { enabled: true, entitled: false };
    throw error;
  }
}

function describeStatus(status: Status): Record<string, Cell> {
  const { enabled, entitled, connection, account, problem, overview, progress } = status;
  const module = {
    enabled: enabled ? true : 'no; turn it on: sluice listings enable',
    entitled: entitled === false ? 'no; grant it: sluice listings entitlement on' : (entitled ?? undefined),
  };
  if (connection === null || overview === null) return module;
  const { total, ...byStatus } = overview.listings;
  const { last_run: last } = overview.sync;
  return {
    ...module,
    connected: works(status)
      ? `yes, as ${connection.email ?? 'an account whose name Google did not report'}`
      : `${connection.connected ? 'the grant has ended' : 'no'}; connect it: sluice listings connect --wait`,
    account: account === null ? undefined : `${account.account_id} (${account.name})`,
    problem: problem === null ? undefined : `${problem.code}: ${problem.message}`,
    listings: [`${total} in all`, ...Object.entries(byStatus).map(([name, count]) => `${count} ${name}`)].join(', '),
    'sync running':
      progress === null
        ? overview.sync.running
        : `${progress.run_type} run ${progress.log_id}, ${progress.items_read} of about ${progress.items_expected} read`,
    'last run': last === null ? 'none yet' : `${last.run_type} run ${last.id}, ${last.status}: ${countsOf(last)}`,
  };
}

function describeSettings(settings: object): Record<string, Cell> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : (value as Cell),
    ]),
  );
}
