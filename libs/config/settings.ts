import { resolve } from 'node:path';
import { z } from 'zod';
import {
  bareOrigin,
  delays,
  documentStoreUrl,
  httpOrigin,
  integer,
  networks,
  notEmpty,
  objectStoreUrl,
  pluginName,
  url,
  wholeNumber,
} from './setting-types';

declare module 'zod' {
  interface GlobalMeta {
    /** Who reads the setting, where that is not every process. */
    readBy?: readonly string[];
    /** Its value, or a part of it, is a credential: it is never shown. */
    secret?: boolean;
  }
}

/** Thrown once at start: a sentence per setting that is wrong, naming it and its fault. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** A setting whose value, or a part of it, is a credential. */
export const secret = <Schema extends z.ZodType>(schema: Schema): Schema => schema.meta({ secret: true });

/** Settings that these services read, and no other. */
export function readBy<Shape extends z.ZodRawShape>(services: readonly string[], shape: Shape): Shape {
  const read = Object.entries(shape).map(([name, schema]) => [name, (schema as z.ZodType).meta({ readBy: services })]);
  return Object.fromEntries(read) as Shape;
}

/** An S3 signs for a week at most. */
const MAX_PRESIGNED_SECONDS = 604_800;

/** First parts of the paths of other planes. */
const TAKEN_NAMESPACES: readonly string[] = ['api', 'console', 'docs', 'health', 'metrics', 'openapi'];

/**
 * The settings of every process, and those that more than one service reads. A service declares its own
 * next to itself. `npm run docs:settings` generates `docs/configuration.md` from all of them, these
 * comments included; `@default` describes a default that is not in the schema.
 */
export const commonSettings = z
  .object({
    /** The port that the process listens on; 0: any free port. */
    PORT: integer(8080, 0, 65_535),
    /** The address that the process listens on. */
    HOST: notEmpty.default('127.0.0.1'),
    /**
     * The port of a separate listener for `/metrics`; `/metrics` on `PORT` then returns 404. If unset, `PORT`
     * serves it to clients on the same machine whose request has no header of a proxy, such as
     * `X-Forwarded-For`. If a proxy on this machine adds no such header, set `METRICS_PORT`.
     */
    METRICS_PORT: wholeNumber(0, 65_535).optional(),
    /** The address of the listener at `METRICS_PORT`. */
    METRICS_HOST: notEmpty.default('127.0.0.1'),
    /**
     * The address that clients see, used for the addresses in responses.
     * @default `http://HOST:PORT`
     */
    PUBLIC_URL: httpOrigin.optional(),
    /**
     * The folder where the embedded engines store everything. It is created for the server’s user alone
     * (mode 0700).
     * @default `./data`
     */
    DATA_DIR: notEmpty.default('./data').transform((path) => resolve(path)),
    /** The message bus: `inproc:` within one process, or `nats://[user:password@]host:port`, or `tls://…`. */
    BUS_URL: secret(url(['inproc:', 'nats://', 'tls://']).default('inproc:')),
    /**
     * Prefix of every subject on NATS, for several installations on one: letters, digits, `_` and
     * `-`, in parts separated by dots. It is the same for every process of one installation.
     */
    BUS_NAMESPACE: z
      .string()
      .regex(/^[\w-]+(\.[\w-]+)*$/, 'may hold letters, digits, _ and -, in parts separated by dots')
      .optional(),
    /**
     * A file with the certificate (PEM) of the authority that signed that of NATS. With it, everything is
     * sent over TLS, and no other authority is trusted.
     */
    BUS_CA_FILE: z.string().optional(),
    /**
     * SQLite, or EventStoreDB 23.10 or later (KurrentDB from version 25): one node as
     * `esdb://[user:password@]host:2113?tls=true`, a cluster by its nodes as
     * `esdb://a:2113,b:2113,c:2113`, or as `esdb+discover://name:2113` by one DNS name that resolves to
     * all of them. A list under `esdb+discover://` is read as `esdb://`. The user must be allowed to read
     * `$all`.
     * @default `sqlite:DATA_DIR/events.db`
     */
    EVENT_STORE_URL: secret(url(['sqlite:', 'esdb://', 'esdb+discover://']).optional()),
    /** Prefix of every stream, for several installations on one event store. */
    EVENT_STORE_PREFIX: z
      .string()
      .regex(/^[A-Za-z0-9_.]*$/, 'may hold letters, digits, _ and . only')
      .default(''),
    /**
     * SQLite, or MongoDB as `mongodb://user:password@host/database` or `mongodb+srv://…`; without a name
     * the database is `sluice_state`. MongoDB 4.4 or later, preferably a replica set (one node is enough),
     * because only there commits are transactions.
     * @default `sqlite:DATA_DIR/state.db`
     */
    STATE_STORE_URL: secret(documentStoreUrl.optional()),
    /**
     * As `STATE_STORE_URL`; without a name the database is `sluice_read`.
     * @default `sqlite:DATA_DIR/read.db`
     */
    READ_STORE_URL: secret(documentStoreUrl.optional()),
    /**
     * A folder, or MinIO or any S3: `minio://KEY:SECRET@host:9000/bucket` (http), `minios://…` or
     * `s3://KEY:SECRET@host/bucket?region=…` (https). KEY and SECRET are percent-encoded; temporary keys
     * need `session_token=…`. The bucket is Sluice’s alone and is created when it is missing.
     * @default `file:DATA_DIR/objects`
     */
    OBJECT_STORE_URL: secret(objectStoreUrl.optional()),
    /**
     * Where devices reach the object store when downloads are redirected: an https address without a path.
     * @default that of `OBJECT_STORE_URL`
     */
    OBJECT_STORE_PUBLIC_URL: bareOrigin.optional(),
    /**
     * 64 hexadecimal digits; encrypts every secret. Required if the event, state, read or object store is
     * external, except in services that have `SEAL_KEYS` and in build-pipeline, which needs neither.
     * @default the content of `DATA_DIR/master.key`, created at the first start
     */
    MASTER_KEY: secret(z.string().optional()),
    /** Opens what was sealed before `MASTER_KEY` was changed. */
    MASTER_KEY_PREVIOUS: secret(z.string().optional()),
    /**
     * In place of `MASTER_KEY`, for one service other than keys: the keys of its own secrets, as
     * `sluice secrets derive` prints them ([trust model](architecture/trust.md)).
     */
    SEAL_KEYS: secret(z.string().optional()),
    /** Opens what was sealed before `SEAL_KEYS` was changed. */
    SEAL_KEYS_PREVIOUS: secret(z.string().optional()),
    /**
     * Addresses or CIDR networks, separated by commas, of the proxies whose `X-Forwarded-For` is trusted.
     * Only its last 32 entries are read. Limits count an IPv6 client by its /64.
     */
    TRUSTED_PROXIES: networks,
    /**
     * A request is ended with 408 if its headers take longer, or if its body delivers less than 16 KiB
     * within this time.
     */
    SLOW_REQUEST_MS: integer(60_000, 1_000),
    /**
     * While bytes of a response wait for its client, the client must read at least 32 KiB within this
     * time, or the connection is ended.
     */
    SLOW_RESPONSE_MS: integer(120_000, 1_000),
    /**
     * The longest time from the signal to stop until the process exits. Requests in flight may finish
     * within it.
     */
    STOP_GRACE_MS: integer(10_000, 100),
    /** How long a response waits for the read models. */
    READ_YOUR_WRITES_MS: integer(2_000, 1),
    /** Reported by `/api/health`; nothing depends on it. */
    NODE_ENV: z.string().default('production'),
    /**
     * The address of a collector that traces are sent to (OTLP over HTTP), without `/v1/traces`. Without
     * it no traces are made.
     */
    OTEL_EXPORTER_OTLP_ENDPOINT: httpOrigin.optional(),
    /** The share of traces that is sent, 0 to 1. The sampled flag of a client is ignored. */
    OTEL_TRACES_SAMPLER_ARG: z.coerce
      .number({ error: 'must be a number from 0 to 1' })
      .min(0, 'must be at least 0')
      .max(1, 'must be at most 1')
      .default(1),
    /** The least severe messages that are logged. */
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], { error: 'must be a log level of pino' })
      .default('info'),
    /** The largest bundle that may be uploaded. */
    MAX_BUNDLE_BYTES: integer(104_857_600, 1),
    /**
     * With `redirect`, a download is answered with 302 to an address of the object store, after the same
     * checks; with `stream`, device-updates sends the bytes.
     */
    DOWNLOAD_MODE: z.enum(['stream', 'redirect'], { error: 'must be stream or redirect' }).default('stream'),
    ...readBy(['gateway', 'build-pipeline', 'device-updates', 'keys'], {
      /** How long a download address is valid. */
      DOWNLOAD_URL_TTL_SECONDS: integer(1_800, 1),
    }),
    ...readBy(['gateway', 'device-updates'], {
      /** Requests to the device API, of one device, in each process. */
      LIMIT_DEVICE_PER_MINUTE: integer(60, 1),
      /** Requests to the device API, of one address, in each process. */
      LIMIT_ADDRESS_PER_MINUTE: integer(6_000, 1),
      /** Simultaneous downloads of one address, in each process. */
      LIMIT_DOWNLOADS_PER_ADDRESS: integer(512, 1),
    }),
    ...readBy(['device-updates'], {
      /** Simultaneous downloads, in each process. */
      LIMIT_DOWNLOADS: integer(4_096, 1),
    }),
    ...readBy(['gateway', 'device-updates'], {
      /**
       * Device reports that are stored of one app on one day (UTC); more get 429 `RATE_LIMITED`. An active
       * device sends one a day, and one or two more for an update. Each process counts its own reports; those
       * that other processes stored are read once a minute.
       */
      REPORTS_PER_APP_PER_DAY: integer(2_000_000, 1),
      /** The same of all apps of one owner. */
      REPORTS_PER_OWNER_PER_DAY: integer(5_000_000, 1),
    }),
    ...readBy(['device-updates', 'keys'], {
      /**
       * How long reports of downloads and installs of single devices are kept. Daily activity reports are
       * kept for two days after their day. Daily totals are kept permanently.
       */
      REPORT_RETENTION_DAYS: integer(90, 1, 3_650),
      /** How long after its last report the last reported state of a device is kept. */
      DEVICE_STATE_DAYS: integer(30, 1, 3_650),
    }),
    ...readBy(['gateway', 'registry'], {
      /** Apps per owner. */
      APP_LIMIT: integer(100, 1),
      /** Active tokens per owner. */
      TOKEN_LIMIT: integer(100, 1),
    }),
    ...readBy(['registry'], {
      /** Channels that an app may add to the standard ones. */
      CHANNEL_LIMIT: integer(1_000, 0),
    }),
    ...readBy(['gateway', 'keys'], {
      /** With `off`, no plaintext of new app API keys is kept. */
      API_KEY_RECOVERY: z
        .enum(['on', 'off'], { error: 'must be on or off' })
        .transform((text) => text === 'on')
        .default(true),
      /** A session ends at this age. */
      SESSION_MAX_SECONDS: integer(604_800, 1),
    }),
    ...readBy(['gateway', 'build-pipeline'], {
      /** The pauses between the attempts of a job. */
      JOB_RETRY_DELAYS_MS: delays('10000,60000,300000'),
      /** The same when the bundle itself is at fault. */
      JOB_CONTENT_RETRY_DELAYS_MS: delays('1000,2000,4000'),
      /**
       * How many builds of each channel are kept of apps that set no `keep_builds` of their own; 0: all
       * ([old builds](operations/retention.md)). Look at `sluice app retention` with `--keep` first.
       */
      BUILDS_KEPT_PER_CHANNEL: integer(0, 0, 10_000),
      /**
       * The retention keeps a build for this long after its last change, and for this long after a newer
       * build for every device replaced it.
       */
      BUILD_RETENTION_GRACE_SECONDS: integer(86_400),
    }),
    ...readBy(['gateway', 'build-pipeline', 'keys', 'device-updates'], {
      /**
       * How long a bundle is kept after the last build that needs it was deleted. A bundle that never got a
       * build is kept for at least an hour. An encrypted secret, metadata or a device group without an event is
       * kept for this time, and for at least a minute.
       */
      OBJECT_GRACE_SECONDS: integer(3_600),
    }),
    ...readBy(['build-pipeline', 'merchant-sync'], {
      /** A worker that is silent this long loses its job to another. */
      JOB_LEASE_MS: integer(30_000, 100),
    }),
    ...readBy(['gateway', 'merchant-sync'], {
      /**
       * Prefix of the names of webhook events, such as `svc_mapping_created`; 1 to 40 lower-case letters,
       * digits, `_` and `-`, beginning with a letter.
       */
      PLUGIN_NAME: pluginName.default('svc'),
    }),
    ...readBy(['gateway'], {
      /**
       * The first part of the listings API’s paths, `/svc/v1/…`, in the form of `PLUGIN_NAME`. The Kubernetes
       * overlays take their ingress path from it. If your own proxy routes by path, change it too.
       */
      PLUGIN_NAMESPACE: pluginName
        .refine(
          (name) => !TAKEN_NAMESPACES.includes(name),
          `must be none of ${TAKEN_NAMESPACES.join(', ')}: other APIs use these`,
        )
        .default('svc'),
    }),
  })
  .refine(
    (settings) => settings.DOWNLOAD_MODE !== 'redirect' || settings.DOWNLOAD_URL_TTL_SECONDS <= MAX_PRESIGNED_SECONDS,
    {
      path: ['DOWNLOAD_URL_TTL_SECONDS'],
      error: `must be at most ${MAX_PRESIGNED_SECONDS} while DOWNLOAD_MODE is redirect`,
    },
  );

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

/** What a declaration's settings are in code: `MAX_BUNDLE_BYTES` is `maxBundleBytes`. */
export type SettingsOf<Declaration extends z.ZodObject> = {
  readonly [Name in keyof z.output<Declaration> as CamelCase<Name & string>]: z.output<Declaration>[Name];
};

/** Those of `commonSettings`. */
export interface Settings extends Omit<
  SettingsOf<typeof commonSettings>,
  'eventStoreUrl' | 'stateStoreUrl' | 'readStoreUrl' | 'objectStoreUrl'
> {
  readonly eventStoreUrl: string;
  readonly stateStoreUrl: string;
  readonly readStoreUrl: string;
  readonly objectStoreUrl: string;
}

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/**
 * Parses the environment once. An empty variable counts as not set.
 * @param declarations besides the common one
 * @throws SettingsError
 */
export function readSettings<Declarations extends readonly z.ZodObject[]>(
  env: Readonly<Record<string, string | undefined>>,
  ...declarations: Declarations
): Settings & Intersection<{ [One in keyof Declarations]: SettingsOf<Declarations[One]> }[number]> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = [commonSettings, ...declarations].map((declaration) => declaration.safeParse(given));
  const issues = parsed.flatMap(({ error }) => error?.issues ?? []);
  if (issues.length > 0) {
    throw new SettingsError(
      issues
        .map(({ path: [name], message }) => (name === undefined ? message : `The setting ${String(name)} ${message}.`))
        .join('\n'),
    );
  }
  const values = parsed.flatMap(({ data }) => Object.entries(data ?? {}));
  const settings = Object.fromEntries(values.map(([name, value]) => [settingName(name), value]));
  const { dataDir } = settings as unknown as Settings;
  return {
    eventStoreUrl: `sqlite:${dataDir}/events.db`,
    stateStoreUrl: `sqlite:${dataDir}/state.db`,
    readStoreUrl: `sqlite:${dataDir}/read.db`,
    objectStoreUrl: `file:${dataDir}/objects`,
    ...settings,
  } as never;
}

/** `maxBundleBytes` for `MAX_BUNDLE_BYTES`. */
export const settingName = (variable: string): string =>
  variable.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Injection token of Settings. */
export const SETTINGS = Symbol('Settings');
