import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';

/** Thrown once at start: a sentence per setting that is wrong, naming it and its fault. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const integer = (fallback: number, min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z.coerce
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`)
    .default(fallback);

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

const environment = z.object({
  PORT: integer(8080, 0, 65_535),
  HOST: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  PUBLIC_URL: httpOrigin.optional(),
  DATA_DIR: z.string().min(1, 'must not be empty').default('./data'),
  BUS_URL: url(['inproc:', 'nats://', 'tls://']).default('inproc:'),
  EVENT_STORE_URL: url(['sqlite:']).optional(),
  EVENT_STORE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_.]*$/, 'may hold letters, digits, _ and . only')
    .default(''),
  STATE_STORE_URL: url(['sqlite:']).optional(),
  READ_STORE_URL: url(['sqlite:']).optional(),
  OBJECT_STORE_URL: url(['file:']).optional(),
  MASTER_KEY: z.string().optional(),
  MASTER_KEY_PREVIOUS: z.string().optional(),
  OWNER_KEY: z.string().optional(),
  TRUSTED_PROXIES: networks,
  LIMIT_REQUESTS_PER_MINUTE: integer(120, 1),
  LIMIT_UPLOADS_PER_HOUR: integer(30, 1),
  LIMIT_KEY_ACTIONS_PER_HOUR: integer(10, 1),
  SESSION_IDLE_SECONDS: integer(43_200, 1),
  SESSION_MAX_SECONDS: integer(604_800, 1),
  LIMIT_DEVICE_PER_MINUTE: integer(60, 1),
  LIMIT_ADDRESS_PER_MINUTE: integer(6_000, 1),
  DEVICE_WORKERS: integer(1, 1, 256),
  SLOW_REQUEST_MS: integer(60_000, 1_000),
  MAX_BUNDLE_BYTES: integer(104_857_600, 1),
  MAX_KEYSTORE_BYTES: integer(10_485_760, 1),
  APP_LIMIT: integer(100, 1),
  API_KEY_RECOVERY: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  JOB_RETRY_DELAYS_MS: delays('10000,60000,300000'),
  JOB_CONTENT_RETRY_DELAYS_MS: delays('1000,2000,4000'),
  JOB_LEASE_MS: integer(30_000, 100),
  STOP_GRACE_MS: integer(10_000, 100),
  READ_YOUR_WRITES_MS: integer(2_000, 1),
  OBJECT_GRACE_SECONDS: integer(3_600),
  DOWNLOAD_URL_TTL_SECONDS: integer(1_800, 1),
  REPORT_RETENTION_DAYS: integer(90, 1, 3_650),
  NODE_ENV: z.string().default('production'),
  MODULE_ENABLED_LISTINGS_ADS: onOrOff(false),
  ENTITLEMENTS: names,
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], { error: 'must be a log level of pino' })
    .default('info'),
});

export interface Settings {
  readonly port: number;
  readonly host: string;
  /** Without a trailing slash. Undefined: `http://HOST:PORT`, known once the port is bound. */
  readonly publicUrl: string | undefined;
  /** Absolute. */
  readonly dataDir: string;
  readonly busUrl: string;
  readonly eventStoreUrl: string;
  readonly eventStorePrefix: string;
  readonly stateStoreUrl: string;
  readonly readStoreUrl: string;
  readonly objectStoreUrl: string;
  readonly masterKey: string | undefined;
  /** Opens what was sealed before the master key was changed. */
  readonly masterKeyPrevious: string | undefined;
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
  /** On the device plane, of one device of an app, in each process. */
  readonly limitDevicePerMinute: number;
  /** On the device plane, of one address, in each process. */
  readonly limitAddressPerMinute: number;
  /** Processes of device-updates where it runs on its own. */
  readonly deviceWorkers: number;
  /** Headers have arrived by then; a body brings 16 KiB in each such stretch of time. */
  readonly slowRequestMs: number;
  readonly maxBundleBytes: number;
  readonly maxKeystoreBytes: number;
  readonly appLimit: number;
  readonly apiKeyRecovery: boolean;
  readonly jobRetryDelaysMs: readonly number[];
  readonly jobContentRetryDelaysMs: readonly number[];
  readonly jobLeaseMs: number;
  readonly stopGraceMs: number;
  readonly readYourWritesMs: number;
  readonly objectGraceSeconds: number;
  readonly downloadUrlTtlSeconds: number;
  /** How long the reports of a device are kept; what they add up to stays. */
  readonly reportRetentionDays: number;
  /** Told by /api/health; nothing depends on it. */
  readonly environment: string;
  /** First value of the listings module's switch: what is saved later wins. */
  readonly moduleEnabledListingsAds: boolean;
  /** First value of what is granted, for example `listings_ads`: what is saved later wins. */
  readonly entitlements: readonly string[];
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
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
  const dataDir = resolve(settings.DATA_DIR);
  return {
    port: settings.PORT,
    host: settings.HOST,
    publicUrl: settings.PUBLIC_URL,
    dataDir,
    busUrl: settings.BUS_URL,
    eventStoreUrl: settings.EVENT_STORE_URL ?? `sqlite:${dataDir}/events.db`,
    eventStorePrefix: settings.EVENT_STORE_PREFIX,
    stateStoreUrl: settings.STATE_STORE_URL ?? `sqlite:${dataDir}/state.db`,
    readStoreUrl: settings.READ_STORE_URL ?? `sqlite:${dataDir}/read.db`,
    objectStoreUrl: settings.OBJECT_STORE_URL ?? `file:${dataDir}/objects`,
    masterKey: settings.MASTER_KEY,
    masterKeyPrevious: settings.MASTER_KEY_PREVIOUS,
    ownerKey: settings.OWNER_KEY,
    trustedProxies: settings.TRUSTED_PROXIES,
    limitRequestsPerMinute: settings.LIMIT_REQUESTS_PER_MINUTE,
    limitUploadsPerHour: settings.LIMIT_UPLOADS_PER_HOUR,
    limitKeyActionsPerHour: settings.LIMIT_KEY_ACTIONS_PER_HOUR,
    sessionIdleSeconds: settings.SESSION_IDLE_SECONDS,
    sessionMaxSeconds: settings.SESSION_MAX_SECONDS,
    limitDevicePerMinute: settings.LIMIT_DEVICE_PER_MINUTE,
    limitAddressPerMinute: settings.LIMIT_ADDRESS_PER_MINUTE,
    deviceWorkers: settings.DEVICE_WORKERS,
    slowRequestMs: settings.SLOW_REQUEST_MS,
    maxBundleBytes: settings.MAX_BUNDLE_BYTES,
    maxKeystoreBytes: settings.MAX_KEYSTORE_BYTES,
    appLimit: settings.APP_LIMIT,
    apiKeyRecovery: settings.API_KEY_RECOVERY === 'on',
    jobRetryDelaysMs: settings.JOB_RETRY_DELAYS_MS,
    jobContentRetryDelaysMs: settings.JOB_CONTENT_RETRY_DELAYS_MS,
    jobLeaseMs: settings.JOB_LEASE_MS,
    stopGraceMs: settings.STOP_GRACE_MS,
    readYourWritesMs: settings.READ_YOUR_WRITES_MS,
    objectGraceSeconds: settings.OBJECT_GRACE_SECONDS,
    downloadUrlTtlSeconds: settings.DOWNLOAD_URL_TTL_SECONDS,
    reportRetentionDays: settings.REPORT_RETENTION_DAYS,
    environment: settings.NODE_ENV,
    moduleEnabledListingsAds: settings.MODULE_ENABLED_LISTINGS_ADS,
    entitlements: settings.ENTITLEMENTS,
    logLevel: settings.LOG_LEVEL,
  };
}

/** Injection token of Settings. */
export const SETTINGS = Symbol('Settings');
