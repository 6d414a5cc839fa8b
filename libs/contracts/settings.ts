import { z } from 'zod';
import { defineCall } from './call';

const count = z.int().min(0);

/** What an owner may know of the settings in force; they come from the environment and are changed there. */
export const effectiveSettingsSchema = z.object({
  /** Of Sluice. */
  version: z.string(),
  environment: z.string(),
  public_url: z.string(),
  /** Of the server that devices ask; null while its service does not answer. */
  device_url: z.string().nullable(),
  /** Of the listings module: what hooks are named after, and the first part of its paths. */
  plugin: z.object({ name: z.string(), namespace: z.string() }),
  limits: z.object({
    requests_per_minute: count,
    uploads_per_hour: count,
    key_actions_per_hour: count,
    device_per_minute: count,
    address_per_minute: count,
    /** Downloads of one address at a time. */
    downloads_per_address: count,
    /** How many apps each owner may have. */
    apps: count,
    /** How many active tokens each owner may have. */
    tokens: count,
    /** Of an owner's key and its sessions together. */
    owner_requests_per_minute: count,
    /** Requests that change something, of an owner and all its tokens together. */
    changes_per_hour: count,
    /** Device reports that are stored on one day (UTC). */
    reports_per_app_per_day: count,
    reports_per_owner_per_day: count,
    /** Of the bundles of each owner's apps. */
    storage_bytes: count,
  }),
  sizes: z.object({ bundle_bytes: count, keystore_bytes: count }),
  api_keys: z.object({ recovery: z.boolean() }),
  sessions: z.object({ idle_seconds: count, max_seconds: count }),
  jobs: z.object({ retry_delays_ms: z.array(count), content_retry_delays_ms: z.array(count) }),
  downloads: z.object({ mode: z.enum(['stream', 'redirect']) }),
  retention: z.object({
    object_grace_seconds: count,
    download_url_ttl_seconds: count,
    /** Builds that are kept of an app without a number of its own; 0: all of them. */
    builds_per_channel: count,
    build_grace_seconds: count,
  }),
  /** The engines of the installation, with masked credentials; null for owners other than the operator. */
  installation: z
    .object({
      event_store: z.string(),
      event_store_prefix: z.string(),
      read_store: z.string(),
      state_store: z.string(),
      object_store: z.string(),
      bus: z.string(),
      trusted_proxies: z.array(z.string()),
    })
    .nullable(),
});
export type EffectiveSettings = z.infer<typeof effectiveSettingsSchema>;

/** The address of the device plane's server as devices see it, without a trailing slash. */
export const getDeviceUrl = defineCall('deviceUpdates.getUrl', z.object({}), z.object({ url: z.string() }));

/** The OpenAPI document of the device plane, without the address of its server. */
export const describeDevicePlane = defineCall('deviceUpdates.describe', z.object({}), z.looseObject({}));
