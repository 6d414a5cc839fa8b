import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Option, type Command, type OptionValues } from './commander';
import { wholeNumber } from './arguments';
import type { Context } from './context';
import { loginOf, loginServer } from './credentials';
import { Refusal, UsageError } from './failure';
import { createApiClient, sendJson, type Advice, type ApiClient } from './http-client';
import { findProject, isServerAddress, PROJECT_FILE, withDefault } from './project-file';
import { unreadable } from './read-text';
import { variable, type Terminal } from './terminal';

export const DEFAULT_SERVER = 'http://127.0.0.1:8080';

export interface ServerOptions {
  readonly server?: string | undefined;
}

export interface TokenOptions extends ServerOptions {
  readonly token?: string | undefined;
}

/** Adds what every command understands. */
function withCommon<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  server: string,
) {
  return command
    .option('--server <url>', server)
    .option('--json', 'print JSON: the result on stdout, an error on stderr');
}

/** Adds what every command understands that sends the owner key. */
export function withServer<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return withCommon(
    command,
    `URL of the server, which receives the owner key (default: SLUICE_SERVER, then ${DEFAULT_SERVER}; never ${PROJECT_FILE} or the login)`,
  );
}

/** Adds what every command about an app understands that sends no access token of an owner. */
export function withProject<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return withCommon(
    command,
    `URL of the server (default: SLUICE_SERVER, then ${PROJECT_FILE}, then the login, then ${DEFAULT_SERVER})`,
  );
}

/** Adds what every command of the management API understands. */
export function withToken<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return withProject(command).option(
    '--token <token>',
    'access token (default: SLUICE_TOKEN, then the login). Other users of a shared machine can read this option',
  );
}

export interface AppOptions extends TokenOptions {
  readonly app: string;
}

/** Adds what every command about an app understands. */
export function withApp<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  const app = new Option(
    '--app <id>',
    `numeric ID or bundle ID of the app (default: SLUICE_APP, then ${PROJECT_FILE})`,
  );
  return withToken(command).addOption(withDefault(app.makeOptionMandatory(), 'app'));
}

/** An app's path in the management API. */
export const appPath = (app: string): string => `/apps/${encodeURIComponent(app)}`;

export interface LimitOptions extends TokenOptions {
  readonly limit: number;
}

/** Adds what a list that may be long understands. */
export function withLimit<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return withToken(command).option(
    '--limit <count>',
    'maximum number of entries to show',
    wholeNumber(1, 1_000_000),
    100,
  );
}

/**
 * The server's address without a trailing slash, from the command line, the environment, sluice.json or the login.
 * @throws UsageError
 */
export function serverAddress(options: ServerOptions, context: Context): string {
  return (
    givenServer(options, context.terminal) ?? fileServer(context) ?? loginServer(context.terminal) ?? DEFAULT_SERVER
  );
}

/**
 * As `serverAddress`, for commands that send the owner key: a file that came with an app must not decide where the key
 * is sent, so these commands do not use the server of sluice.json.
 * @throws UsageError
 */
export function ownerServer(options: ServerOptions, context: Context): string {
  const given = givenServer(options, context.terminal);
  if (given !== undefined) return given;
  const named = fileServer(context);
  if (named === undefined) return DEFAULT_SERVER;
  throw new UsageError(
    `This command needs the owner key, which is never sent to the server of ${PROJECT_FILE} (${named}).`,
    'Set the server with --server or SLUICE_SERVER.',
  );
}

function givenServer(options: ServerOptions, terminal: Terminal): string | undefined {
  const given = options.server ?? variable(terminal, 'SLUICE_SERVER');
  if (given === undefined) return undefined;
  if (isServerAddress(given)) return given.replace(/\/+$/, '');
  throw new UsageError(
    `The server's address must look like ${DEFAULT_SERVER}.`,
    'It is set by --server or SLUICE_SERVER.',
  );
}

const fileServer = (context: Context) => findProject(context)?.server?.replace(/\/+$/, '');

/**
 * The server that devices ask, as this one describes it. Undefined where it does not describe the device API, or describes
 * no address.
 */
export async function deviceServer(server: string, signal: AbortSignal): Promise<string | undefined> {
  const url = `${server}/openapi/device.json`;
  const attempt = 'find the server that devices ask';
  try {
    const { servers } = await sendJson<{ servers?: readonly { url?: unknown }[] }>(attempt, url, { signal });
    const described = servers?.[0]?.url;
    return typeof described === 'string' && URL.canParse(described) ? described.replace(/\/api\/v1$/, '') : undefined;
  } catch (refusal) {
    if (refusal instanceof Refusal) return undefined;
    throw refusal;
  }
}

/** A client of the management API. @throws UsageError without an access token */
export function managementClient(options: TokenOptions, context: Context): ApiClient {
  const server = serverAddress(options, context);
  const credential = accessToken(options, server, context.terminal);
  if (credential === undefined) throw new UsageError('No access token was given.', MAKE_TOKEN);
  return clientWith(credential, server, context);
}

const MAKE_TOKEN =
  'Create a token with: sluice token create --name NAME --all-apps. Then set SLUICE_TOKEN to it, or store it: sluice login';

/** A client of the management API with this access token. */
export function clientWith(credential: string, server: string, context: Context): ApiClient {
  return createApiClient({
    base: `${server}/api/public/v1`,
    credential,
    context,
    advice: { 401: MAKE_TOKEN, 404: 'What a token does not reach looks as if it were not there: see sluice app list.' },
  });
}

/** A client of the dashboard API, which the owner alone may use. @throws UsageError without an owner key */
export async function ownerClient(options: ServerOptions, context: Context): Promise<ApiClient> {
  const server = ownerServer(options, context);
  return createApiClient({
    base: `${server}/api/dashboard/v1`,
    credential: await keyOf('owner', context.terminal),
    context,
    advice: {
      401: 'The owner key was read from OWNER_KEY, or else from DATA_DIR/owner.key. Check that it belongs to this server.',
    },
  });
}

const LISTINGS_ADVICE: Advice = {
  // In small letters it would come from the API itself.
  NOT_FOUND: 'Has the server another PLUGIN_NAMESPACE? Set the variable to the same value here.',
  unauthenticated: 'Is the token, or the owner key, one of this server? See sluice listings --help.',
  forbidden:
    'As the operator (the first owner), create a token with: sluice token create --name NAME --permission manage_store, or unset SLUICE_TOKEN to use the owner key.',
  module_disabled: 'Turn the module on: sluice listings enable',
  entitlement_required: 'Grant it, as the owner: sluice listings entitlement on',
  not_connected: 'Connect the shop: sluice listings connect --wait',
  reauth_required: 'The grant has ended. Connect the shop again: sluice listings connect --wait',
  oauth_client_missing:
    'Create an OAuth client in Google Cloud, and save it: sluice listings oauth-client set --id ID --secret-file FILE, or start the server with its OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET.',
  account_not_chosen: 'Start the server with the MERCHANT_ACCOUNT_ID of one of them.',
  sync_already_running: 'See how far it is: sluice listings status',
  remote_api_sunset: 'Start the server with REMOTE_CATALOG=merchant_api_v1.',
  store_not_configured: 'Start the server with WOOCOMMERCE_URL, or with PRODUCTS_JSON_URL.',
  remote_unavailable: 'Wait a moment, then run the command again. Details: sluice listings diagnostics',
};

/** A client of the listings API: with an access token where one is given, else as the owner. @throws UsageError */
export async function listingsClient(options: TokenOptions, context: Context): Promise<ApiClient> {
  const { terminal } = context;
  const token = accessToken(options, serverAddress(options, context), terminal);
  const server = token === undefined ? ownerServer(options, context) : serverAddress(options, context);
  return createApiClient({
    // As the server's own setting names it.
    base: `${server}/${encodeURIComponent(variable(terminal, 'PLUGIN_NAMESPACE') ?? 'svc')}/v1/listings-ads`,
    credential: token ?? (await keyOf('owner', terminal)),
    context,
    advice: LISTINGS_ADVICE,
  });
}

/** That of the command line, the environment, or the login to this server. */
export function accessToken(options: TokenOptions, server: string, terminal: Terminal): string | undefined {
  return options.token ?? variable(terminal, 'SLUICE_TOKEN') ?? loginOf(server, terminal);
}

const KEYS = {
  owner: {
    setting: 'OWNER_KEY',
    advice: "Set DATA_DIR to the server's data folder, or OWNER_KEY to the key that it printed or was given.",
  },
  master: {
    setting: 'MASTER_KEY',
    advice: "Set DATA_DIR to the server's data folder, or MASTER_KEY to the key that the server is given.",
  },
} as const;

/** Of its setting, else of the file that the server made in DATA_DIR. */
export async function keyOf(name: keyof typeof KEYS, terminal: Terminal): Promise<string> {
  const { setting, advice } = KEYS[name];
  const given = variable(terminal, setting);
  if (given !== undefined) return given;
  const path = join(variable(terminal, 'DATA_DIR') ?? './data', `${name}.key`);
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unreadable(`${name} key`, error);
    throw new UsageError(`There is no ${name} key: ${setting} is not set, and there is no file ${path}.`, advice);
  }
}
