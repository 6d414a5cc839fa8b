import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';

/** Thrown once at start: a sentence per setting that is wrong, naming it and its fault. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const wholeNumber = (min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z.coerce
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);

const integer = (fallback: number, min = 0, max = Number.MAX_SAFE_INTEGER) => wholeNumber(min, max).default(fallback);

const url = (schemes: readonly string[]) =>
  z
    .string()
    .refine((text) => schemes.some((scheme) => text.startsWith(scheme)), `must begin with ${schemes.join(' or ')}`);

const delays = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .refine((text) => /^\d+(,\d+)*$/.test(text), 'must be milliseconds separated by commas')
    .transform((text) => text.split(',').map(Number));

const onOrOff = (fallback: boolean) =>
  z
    .enum(['true', 'false', 'on', 'off', '1', '0'], { error: 'must be true or false' })
    .transform((text) => text === 'true' || text === 'on' || text === '1')
    .default(fallback);

const names = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine((list) => list.every((name) => /^[a-z0-9_]+$/.test(name)), 'must be names separated by commas')
  .default([]);

const pluginName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, 'may hold 1 to 40 lower-case letters, digits, _ and -, and begins with a letter');

/** First parts of the paths of other planes. */
const TAKEN_NAMESPACES: readonly string[] = ['api', 'console', 'docs', 'health', 'metrics', 'openapi'];

/** `10.0.0.0/8`, `fd00::/8`, or one address. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    bits > 0 && more.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
  );
}

const networks = z
  .string()
  .transform((text) => text.split(',').map((network) => network.trim()))
  .refine((list) => list.every(isNetwork), 'must be networks separated by commas, for example 10.0.0.0/8,fd00::/8')
  .default([]);

const httpOrigin = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((text) => text.replace(/\/+$/, ''));

const bareOrigin = httpOrigin.refine(
  (text) => new URL(text).pathname === '/' && new URL(text).search === '',
  'must be an address without a path: signatures hold the path',
);

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** An address that tokens, keys or products are fetched from or sent to. */
const remoteAddress = httpOrigin.refine(
  (text) => new URL(text).protocol === 'https:' || LOOPBACK.test(new URL(text).hostname),
  'must be an https address; plain http is for loopback alone',
);

/** A key, a secret, a host and a bucket; a region where it is not us-east-1, a session token with temporary keys. */
const S3_OPTION = '(region=[a-z0-9-]+|session_token=[^&#\\s]+)';
const S3_URL = new RegExp(
  `^(minios?|s3)://[^:@/?#\\s]+:[^@/?#\\s]+@[^@/?#\\s]+/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\\?${S3_OPTION}(&${S3_OPTION})?)?$`,
);

/** `mongodb+srv` takes its servers from DNS; user and password are percent-encoded; a path names the database. */
const MONGODB_URL = /^mongodb(\+srv)?:\/\/([^@/?#\s]+@)?[^@/?#\s]+(\/[A-Za-z0-9_-]{0,63})?(\?[^#\s]*)?$/;

const documentStoreUrl = url(['sqlite:', 'mongodb://', 'mongodb+srv://']).refine(
  (text) => text.startsWith('sqlite:') || MONGODB_URL.test(text),
  'must read mongodb://USER:PASSWORD@host:27017/database or mongodb+srv://…, USER and PASSWORD percent-encoded',
);

const objectStoreUrl = url(['file:', 'minio://', 'minios://', 's3://']).refine(
  (text) => text.startsWith('file:') || S3_URL.test(text),
  'must read minio://KEY:SECRET@host:9000/bucket, minios://KEY:SECRET@host/bucket or s3://KEY:SECRET@host/bucket?region=…&session_token=…, all percent-encoded',
);

const storeAddress = remoteAddress.refine(
  (text) => new URL(text).search === '' && new URL(text).username === '',
  'must be the address of the site alone: the key stands in WOOCOMMERCE_KEY and WOOCOMMERCE_SECRET',
);

const productsAddress = z
  .string()
  .refine(
    (text) => text.startsWith('file:') || remoteAddress.safeParse(text).success,
    'must read file:PATH or be an https address; plain http is for loopback alone',
  )
  .refine(
    (text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === '',
    'must not hold a name or a password',
  );

const environment = z.object({
  PORT: integer(8080, 0, 65_535),
  HOST: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  METRICS_HOST: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  PUBLIC_URL: httpOrigin.optional(),
  DATA_DIR: z.string().min(1, 'must not be empty').default('./data'),
  BUS_URL: url(['inproc:', 'nats://', 'tls://']).default('inproc:'),
  BUS_NAMESPACE: z
    .string()
    .regex(/^[\w-]+(\.[\w-]+)*$/, 'may hold letters, digits, _ and -, in parts separated by dots')
    .optional(),
  BUS_CA_FILE: z.string().optional(),
  EVENT_STORE_URL: url(['sqlite:', 'esdb://', 'esdb+discover://']).optional(),
  EVENT_STORE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_.]*$/, 'may hold letters, digits, _ and . only')
    .default(''),
  STATE_STORE_URL: documentStoreUrl.optional(),
  READ_STORE_URL: documentStoreUrl.optional(),
  OBJECT_STORE_URL: objectStoreUrl.optional(),
  OBJECT_STORE_PUBLIC_URL: bareOrigin.optional(),
  MASTER_KEY: z.string().optional(),
  MASTER_KEY_PREVIOUS: z.string().optional(),
  SEAL_KEYS: z.string().optional(),
  SEAL_KEYS_PREVIOUS: z.string().optional(),
  OWNER_KEY: z.string().optional(),
  TRUSTED_PROXIES: networks,
  LIMIT_REQUESTS_PER_MINUTE: integer(120, 1),
  LIMIT_UPLOADS_PER_HOUR: integer(30, 1),
  LIMIT_KEY_ACTIONS_PER_HOUR: integer(10, 1),
  SESSION_IDLE_SECONDS: integer(43_200, 1),
  SESSION_MAX_SECONDS: integer(604_800, 1),
  HSTS_SECONDS: integer(0),
  LIMIT_DEVICE_PER_MINUTE: integer(60, 1),
  LIMIT_ADDRESS_PER_MINUTE: integer(6_000, 1),
  LIMIT_DOWNLOADS_PER_ADDRESS: integer(512, 1),
  LIMIT_DOWNLOADS: integer(4_096, 1),
  DEVICE_WORKERS: integer(1, 1, 256),
  SLOW_REQUEST_MS: integer(60_000, 1_000),
  SLOW_RESPONSE_MS: integer(120_000, 1_000),
  MAX_BUNDLE_BYTES: integer(104_857_600, 1),
  MAX_KEYSTORE_BYTES: integer(10_485_760, 1),
  APP_LIMIT: integer(100, 1),
  TOKEN_LIMIT: integer(100, 1),
  LIMIT_OWNER_REQUESTS_PER_MINUTE: integer(1_200, 1),
  LIMIT_CHANGES_PER_HOUR: integer(5_000, 1),
  API_KEY_RECOVERY: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  JOB_RETRY_DELAYS_MS: delays('10000,60000,300000'),
  JOB_CONTENT_RETRY_DELAYS_MS: delays('1000,2000,4000'),
  JOB_LEASE_MS: integer(30_000, 100),
  STOP_GRACE_MS: integer(10_000, 100),
  READ_YOUR_WRITES_MS: integer(2_000, 1),
  OBJECT_GRACE_SECONDS: integer(3_600),
  BUILDS_KEPT_PER_CHANNEL: integer(0, 0, 10_000),
  BUILD_RETENTION_GRACE_SECONDS: integer(86_400),
  STORAGE_PER_OWNER_BYTES: integer(107_374_182_400, 1),
  DOWNLOAD_URL_TTL_SECONDS: integer(1_800, 1),
  DOWNLOAD_MODE: z.enum(['stream', 'redirect'], { error: 'must be stream or redirect' }).default('stream'),
  REPORT_RETENTION_DAYS: integer(90, 1, 3_650),
  DEVICE_STATE_DAYS: integer(30, 1, 3_650),
  MANIFEST_TTL_HOURS: integer(168, 1, 8_760),
  REPORTS_PER_APP_PER_DAY: integer(2_000_000, 1),
  REPORTS_PER_OWNER_PER_DAY: integer(5_000_000, 1),
  MIN_FREE_DISK_BYTES: wholeNumber().optional(),
  NODE_ENV: z.string().default('production'),
  PLUGIN_NAME: pluginName.default('svc'),
  PLUGIN_NAMESPACE: pluginName
    .refine(
      (name) => !TAKEN_NAMESPACES.includes(name),
      `must be none of ${TAKEN_NAMESPACES.join(', ')}: other planes begin so`,
    )
    .default('svc'),
  MODULE_ENABLED_LISTINGS_ADS: onOrOff(false),
  ENTITLEMENTS: names,
  REMOTE_CATALOG: z
    .enum(['merchant_api_v1', 'content_api_v21'], { error: 'must be merchant_api_v1 or content_api_v21' })
    .default('merchant_api_v1'),
  MERCHANT_API_BASE_URL: remoteAddress.default('https://merchantapi.googleapis.com'),
  CONTENT_API_BASE_URL: remoteAddress.default('https://shoppingcontent.googleapis.com/content/v2.1'),
  MERCHANT_ACCOUNT_ID: z
    .string()
    .regex(/^\d{1,20}$/, 'must be the number of a merchant account')
    .optional(),
  REMOTE_RETRY_BASE_MS: integer(1_000, 1),
  REMOTE_TIMEOUT_MS: integer(30_000, 1),
  OAUTH_AUTHORIZE_URL: remoteAddress.default('https://accounts.google.com/o/oauth2/v2/auth'),
  OAUTH_TOKEN_URL: remoteAddress.default('https://oauth2.googleapis.com/token'),
  OAUTH_REVOKE_URL: remoteAddress.default('https://oauth2.googleapis.com/revoke'),
  OAUTH_USERINFO_URL: remoteAddress.default('https://openidconnect.googleapis.com/v1/userinfo'),
  OAUTH_CLIENT_ID: z.string().optional(),
  OAUTH_CLIENT_SECRET: z.string().optional(),
  WOOCOMMERCE_URL: storeAddress.optional(),
  WOOCOMMERCE_KEY: z.string().optional(),
  WOOCOMMERCE_SECRET: z.string().optional(),
  PRODUCTS_JSON_URL: productsAddress.optional(),
  STORE_CURRENCY: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be a currency of ISO 4217, for example EUR')
    .optional(),
  OFFER_ID_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,20}$/, 'may hold 1 to 20 letters, digits, _ and - only')
    .default('svc'),
  SOURCE_ALLOW_PRIVATE_ADDRESSES: onOrOff(false),
  SOURCE_MAX_BYTES: integer(2_147_483_648, 1),
  SOURCE_RETRY_BASE_MS: integer(1_000, 1),
  SOURCE_TIMEOUT_MS: integer(30_000, 1),
  WEBHOOK_RETRY_DELAYS_MS: delays('60000,300000,1800000,7200000,21600000,43200000,86400000'),
  WEBHOOK_TIMEOUT_MS: integer(10_000, 1),
  WEBHOOK_ALLOW_PRIVATE_ADDRESSES: onOrOff(false),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpOrigin.optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number({ error: 'must be a number from 0 to 1' })
    .min(0, 'must be at least 0')
    .max(1, 'must be at most 1')
    .default(1),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], { error: 'must be a log level of pino' })
    .default('info'),
});

export interface Settings {
  readonly port: number;
  readonly host: string;
  /** Where `/metrics` is answered, and nothing else. Undefined: at `port`, to callers on this machine. */
  readonly metricsListener: { readonly host: string; readonly port: number } | undefined;
  /** Without a trailing slash. Undefined: `http://HOST:PORT`, known once the port is bound. */
  readonly publicUrl: string | undefined;
  /** Absolute. */
  readonly dataDir: string;
  readonly busUrl: string;
  /** Stands in front of every subject on NATS, for several installations on one. */
  readonly busNamespace: string | undefined;
  /** A file with the certificate, as PEM, of the authority that signed those of NATS. */
  readonly busCaFile: string | undefined;
  readonly eventStoreUrl: string;
  readonly eventStorePrefix: string;
  /** `sqlite:PATH`; `mongodb://host:27017/database` or `mongodb+srv://…`, without a path the database `sluice_state`. */
  readonly stateStoreUrl: string;
  /** Likewise; without a path `sluice_read`. */
  readonly readStoreUrl: string;
  /** `file:PATH`; `minio://KEY:SECRET@host:9000/bucket` (http); `minios://…` or `s3://…` (https), any S3. */
  readonly objectStoreUrl: string;
  /** Where devices reach the object store when downloads are redirected; undefined: as the server does. */
  readonly objectStorePublicUrl: string | undefined;
  readonly masterKey: string | undefined;
  /** Opens what was sealed before the master key was changed. */
  readonly masterKeyPrevious: string | undefined;
  /** In place of the master key: the keys of one service, as `sluice secrets derive` prints them. */
  readonly sealKeys: string | undefined;
  /** As masterKeyPrevious. */
  readonly sealKeysPrevious: string | undefined;
  readonly ownerKey: string | undefined;
  /** Networks, or single addresses, of the proxies in front of the server. */
  readonly trustedProxies: readonly string[];
  /** Of one token; and of one address that sends no valid token. */
  readonly limitRequestsPerMinute: number;
  /** Of one token. */
  readonly limitUploadsPerHour: number;
  /** Creations of keys of one app; rotations and revelations of one key. */
  readonly limitKeyActionsPerHour: number;
  /** An owner's session in a browser ends when it was not used for so long, and at this age. */
  readonly sessionIdleSeconds: number;
  readonly sessionMaxSeconds: number;
  /** For how long a browser that came once comes by https alone; 0: nothing is said of it. */
  readonly hstsSeconds: number;
  /** On the device plane, of one device of an app, in each process. */
  readonly limitDevicePerMinute: number;
  /** On the device plane, of one address, in each process. */
  readonly limitAddressPerMinute: number;
  /** Downloads of one address at a time, in each process. */
  readonly limitDownloadsPerAddress: number;
  /** Downloads at a time, in each process. */
  readonly limitDownloads: number;
  /** Processes of device-updates where it runs on its own. */
  readonly deviceWorkers: number;
  /** Headers have arrived by then; a body brings 16 KiB in each such stretch of time. */
  readonly slowRequestMs: number;
  /** While bytes of a response wait for its client, it takes 32 KiB in each such stretch of time. */
  readonly slowResponseMs: number;
  readonly maxBundleBytes: number;
  readonly maxKeystoreBytes: number;
  readonly appLimit: number;
  /** Active tokens per owner. */
  readonly tokenLimit: number;
  /** Of an owner's key and its sessions together. */
  readonly limitOwnerRequestsPerMinute: number;
  /** Requests that change something, of an owner and all its tokens together. */
  readonly limitChangesPerHour: number;
  readonly apiKeyRecovery: boolean;
  readonly jobRetryDelaysMs: readonly number[];
  readonly jobContentRetryDelaysMs: readonly number[];
  readonly jobLeaseMs: number;
  readonly stopGraceMs: number;
  readonly readYourWritesMs: number;
  readonly objectGraceSeconds: number;
  /** Of an app that sets no number of its own; 0: all of them. */
  readonly buildsKeptPerChannel: number;
  /** A build that changed, or stopped being offered, less than so long ago is kept. */
  readonly buildRetentionGraceSeconds: number;
  /** Of the bundles of one owner's apps together. */
  readonly storagePerOwnerBytes: number;
  readonly downloadUrlTtlSeconds: number;
  /** Whether a download's bytes come from device-updates or, by a redirect, from the object store. */
  readonly downloadMode: 'stream' | 'redirect';
  /** How long the reports of a device are kept; what they add up to stays. */
  readonly reportRetentionDays: number;
  /** How long after its last report the state of a device is kept. */
  readonly deviceStateDays: number;
  /** How long a signed manifest or channel state is valid; it is signed again at about half of that. */
  readonly manifestTtlHours: number;
  /** Device reports that are stored of one app on one day (UTC), and of all apps of one owner. */
  readonly reportsPerAppPerDay: number;
  readonly reportsPerOwnerPerDay: number;
  /** Below so many free bytes on the disk of an embedded state store, device reports are rejected. Undefined: 1 GiB, or 5 % of the disk where that is less. */
  readonly minFreeDiskBytes: number | undefined;
  /** Told by /api/health; nothing depends on it. */
  readonly environment: string;
  /** Stands before the names of hooks: `svc_mapping_created`. */
  readonly pluginName: string;
  /** First part of the paths of the listings-ads plane: `/svc/v1/listings-ads`. */
  readonly pluginNamespace: string;
  /** First value of the listings module's switch: what is saved later wins. */
  readonly moduleEnabledListingsAds: boolean;
  /** First value of what is granted, for example `listings_ads`: what is saved later wins. */
  readonly entitlements: readonly string[];
  /** By which interface offers are pushed to the merchant account. */
  readonly remoteCatalog: 'merchant_api_v1' | 'content_api_v21';
  readonly merchantApiBaseUrl: string;
  /** Ends in `/content/v2.1`. */
  readonly contentApiBaseUrl: string;
  /** Undefined: the one that the grant reaches, if it reaches one alone. */
  readonly merchantAccountId: string | undefined;
  /** The pause before the first repeat of a call to the remote side; each further one is twice as long. */
  readonly remoteRetryBaseMs: number;
  /** Of one call to the remote side. */
  readonly remoteTimeoutMs: number;
  readonly oauth: OAuthSettings;
  /** Where the listings module reads products; undefined: nowhere. */
  readonly productSource: ProductSourceSettings | undefined;
  /** ISO 4217; undefined: each product names its own. */
  readonly storeCurrency: string | undefined;
  /** Of the offers' ids, until the first sync freezes it. */
  readonly offerIdPrefix: string;
  /** Pauses between the tries of one webhook delivery; behind the last it is given up. */
  readonly webhookRetryDelaysMs: readonly number[];
  /** Of one try. */
  readonly webhookTimeoutMs: number;
  /** Whether webhooks may be sent to addresses of private networks. */
  readonly webhookAllowPrivateAddresses: boolean;
  /** Of an OpenTelemetry collector that takes OTLP over HTTP, without `/v1/traces`; without one no trace is made. */
  readonly otlpEndpoint: string | undefined;
  /** The part of the traces that begin here that is sent, 0 to 1. */
  readonly tracesRatio: number;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
}

/** Where the store's owner grants access to the merchant account, and as which client it is asked for. */
export interface OAuthSettings {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly revokeUrl: string;
  readonly userinfoUrl: string;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
}

export interface ProductSourceSettings {
  readonly from:
    | {
        readonly kind: 'woocommerce';
        /** Root of the site, without a trailing slash. */
        readonly url: string;
        readonly key: string;
        readonly secret: string;
      }
    | {
        readonly kind: 'json';
        /** `file:PATH`, or an http or https address. */
        readonly url: string;
      };
  /** Whether the store may have an address of a private network. */
  readonly allowPrivateAddresses: boolean;
  /** Of a whole listing in JSON. */
  readonly maxBytes: number;
  /** Before the first repeat of a request to the store; doubled before each further one. */
  readonly retryBaseMs: number;
  /** Without a byte from the store. */
  readonly timeoutMs: number;
}

/**
 * Parses the environment once. An empty variable counts as not set.
 * @throws SettingsError
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    throw new SettingsError(
      parsed.error.issues.map((issue) => `The setting ${issue.path.join('.')} ${issue.message}.`).join('\n'),
    );
  }
  const settings = parsed.data;
  refuseRedirects(settings);
  const dataDir = resolve(settings.DATA_DIR);
  return {
    port: settings.PORT,
    host: settings.HOST,
    metricsListener:
      settings.METRICS_PORT === undefined ? undefined : { host: settings.METRICS_HOST, port: settings.METRICS_PORT },
    publicUrl: settings.PUBLIC_URL,
    dataDir,
    busUrl: settings.BUS_URL,
    busNamespace: settings.BUS_NAMESPACE,
    busCaFile: settings.BUS_CA_FILE,
    eventStoreUrl: settings.EVENT_STORE_URL ?? `sqlite:${dataDir}/events.db`,
    eventStorePrefix: settings.EVENT_STORE_PREFIX,
    stateStoreUrl: settings.STATE_STORE_URL ?? `sqlite:${dataDir}/state.db`,
    readStoreUrl: settings.READ_STORE_URL ?? `sqlite:${dataDir}/read.db`,
    objectStoreUrl: settings.OBJECT_STORE_URL ?? `file:${dataDir}/objects`,
    objectStorePublicUrl: settings.OBJECT_STORE_PUBLIC_URL,
    masterKey: settings.MASTER_KEY,
    masterKeyPrevious: settings.MASTER_KEY_PREVIOUS,
    sealKeys: settings.SEAL_KEYS,
    sealKeysPrevious: settings.SEAL_KEYS_PREVIOUS,
    ownerKey: settings.OWNER_KEY,
    trustedProxies: settings.TRUSTED_PROXIES,
    limitRequestsPerMinute: settings.LIMIT_REQUESTS_PER_MINUTE,
    limitUploadsPerHour: settings.LIMIT_UPLOADS_PER_HOUR,
    limitKeyActionsPerHour: settings.LIMIT_KEY_ACTIONS_PER_HOUR,
    sessionIdleSeconds: settings.SESSION_IDLE_SECONDS,
    sessionMaxSeconds: settings.SESSION_MAX_SECONDS,
    hstsSeconds: settings.HSTS_SECONDS,
    limitDevicePerMinute: settings.LIMIT_DEVICE_PER_MINUTE,
    limitAddressPerMinute: settings.LIMIT_ADDRESS_PER_MINUTE,
    limitDownloadsPerAddress: settings.LIMIT_DOWNLOADS_PER_ADDRESS,
    limitDownloads: settings.LIMIT_DOWNLOADS,
    deviceWorkers: settings.DEVICE_WORKERS,
    slowRequestMs: settings.SLOW_REQUEST_MS,
    slowResponseMs: settings.SLOW_RESPONSE_MS,
    maxBundleBytes: settings.MAX_BUNDLE_BYTES,
    maxKeystoreBytes: settings.MAX_KEYSTORE_BYTES,
    appLimit: settings.APP_LIMIT,
    tokenLimit: settings.TOKEN_LIMIT,
    limitOwnerRequestsPerMinute: settings.LIMIT_OWNER_REQUESTS_PER_MINUTE,
    limitChangesPerHour: settings.LIMIT_CHANGES_PER_HOUR,
    apiKeyRecovery: settings.API_KEY_RECOVERY === 'on',
    jobRetryDelaysMs: settings.JOB_RETRY_DELAYS_MS,
    jobContentRetryDelaysMs: settings.JOB_CONTENT_RETRY_DELAYS_MS,
    jobLeaseMs: settings.JOB_LEASE_MS,
    stopGraceMs: settings.STOP_GRACE_MS,
    readYourWritesMs: settings.READ_YOUR_WRITES_MS,
    objectGraceSeconds: settings.OBJECT_GRACE_SECONDS,
    buildsKeptPerChannel: settings.BUILDS_KEPT_PER_CHANNEL,
    buildRetentionGraceSeconds: settings.BUILD_RETENTION_GRACE_SECONDS,
    storagePerOwnerBytes: settings.STORAGE_PER_OWNER_BYTES,
    downloadUrlTtlSeconds: settings.DOWNLOAD_URL_TTL_SECONDS,
    downloadMode: settings.DOWNLOAD_MODE,
    reportRetentionDays: settings.REPORT_RETENTION_DAYS,
    deviceStateDays: settings.DEVICE_STATE_DAYS,
    manifestTtlHours: settings.MANIFEST_TTL_HOURS,
    reportsPerAppPerDay: settings.REPORTS_PER_APP_PER_DAY,
    reportsPerOwnerPerDay: settings.REPORTS_PER_OWNER_PER_DAY,
    minFreeDiskBytes: settings.MIN_FREE_DISK_BYTES,
    environment: settings.NODE_ENV,
    pluginName: settings.PLUGIN_NAME,
    pluginNamespace: settings.PLUGIN_NAMESPACE,
    moduleEnabledListingsAds: settings.MODULE_ENABLED_LISTINGS_ADS,
    entitlements: settings.ENTITLEMENTS,
    remoteCatalog: settings.REMOTE_CATALOG,
    merchantApiBaseUrl: settings.MERCHANT_API_BASE_URL,
    contentApiBaseUrl: settings.CONTENT_API_BASE_URL,
    merchantAccountId: settings.MERCHANT_ACCOUNT_ID,
    remoteRetryBaseMs: settings.REMOTE_RETRY_BASE_MS,
    remoteTimeoutMs: settings.REMOTE_TIMEOUT_MS,
    oauth: {
      authorizeUrl: settings.OAUTH_AUTHORIZE_URL,
      tokenUrl: settings.OAUTH_TOKEN_URL,
      revokeUrl: settings.OAUTH_REVOKE_URL,
      userinfoUrl: settings.OAUTH_USERINFO_URL,
      clientId: settings.OAUTH_CLIENT_ID,
      clientSecret: settings.OAUTH_CLIENT_SECRET,
    },
    productSource: productSourceOf(settings),
    storeCurrency: settings.STORE_CURRENCY,
    offerIdPrefix: settings.OFFER_ID_PREFIX,
    webhookRetryDelaysMs: settings.WEBHOOK_RETRY_DELAYS_MS,
    webhookTimeoutMs: settings.WEBHOOK_TIMEOUT_MS,
    webhookAllowPrivateAddresses: settings.WEBHOOK_ALLOW_PRIVATE_ADDRESSES,
    otlpEndpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    tracesRatio: settings.OTEL_TRACES_SAMPLER_ARG,
    logLevel: settings.LOG_LEVEL,
  };
}

function productSourceOf(settings: z.infer<typeof environment>): ProductSourceSettings | undefined {
  const { WOOCOMMERCE_URL: site, WOOCOMMERCE_KEY: key, WOOCOMMERCE_SECRET: secret } = settings;
  const file = settings.PRODUCTS_JSON_URL;
  const reading = {
    allowPrivateAddresses: settings.SOURCE_ALLOW_PRIVATE_ADDRESSES,
    maxBytes: settings.SOURCE_MAX_BYTES,
    retryBaseMs: settings.SOURCE_RETRY_BASE_MS,
    timeoutMs: settings.SOURCE_TIMEOUT_MS,
  };
  if (site !== undefined && file !== undefined) {
    throw new SettingsError(
      'The settings WOOCOMMERCE_URL and PRODUCTS_JSON_URL are both set: a store has one source of products. Take one away.',
    );
  }
  if (file !== undefined) return { from: { kind: 'json', url: file }, ...reading };
  if (site === undefined) return undefined;
  if (key === undefined || secret === undefined) {
    throw new SettingsError(
      'The setting WOOCOMMERCE_URL needs WOOCOMMERCE_KEY and WOOCOMMERCE_SECRET: a REST API key of the store with read access.',
    );
  }
  return { from: { kind: 'woocommerce', url: site, key, secret }, ...reading };
}

/** An S3 signs for a week at most. */
const MAX_PRESIGNED_SECONDS = 604_800;

function refuseRedirects(settings: z.infer<typeof environment>): void {
  if (settings.DOWNLOAD_MODE !== 'redirect') return;
  if (settings.DOWNLOAD_URL_TTL_SECONDS > MAX_PRESIGNED_SECONDS) {
    throw new SettingsError(
      `The setting DOWNLOAD_URL_TTL_SECONDS must be at most ${MAX_PRESIGNED_SECONDS} while DOWNLOAD_MODE is redirect.`,
    );
  }
}

/** Injection token of Settings. */
export const SETTINGS = Symbol('Settings');
