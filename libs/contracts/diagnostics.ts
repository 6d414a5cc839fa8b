import { z } from 'zod';
import { defineCall } from './call';
import { projectionSchema } from './projections';
import { timeSchema } from './values';

/** Every service of an installation. */
export const SERVICES = ['gateway', 'registry', 'build-pipeline', 'device-updates', 'keys', 'merchant-sync'] as const;

/** Of the requests to the planes that one process serves, of late. */
export const trafficSchema = z.object({
  requests: z.int().min(0),
  /** Of the connections that brought most of them; null before the first. */
  busiest_address: z.string().nullable(),
  /** 0 to 1. */
  busiest_share: z.number().min(0).max(1),
  /** With an X-Forwarded-For, 0 to 1. */
  forwarded_share: z.number().min(0).max(1),
});
export type Traffic = z.infer<typeof trafficSchema>;

/** The facts of one process of a service and of its engines. */
export const serviceFactsSchema = z.object({
  service: z.string(),
  version: z.string(),
  /** Of Node, such as `22.1.0`. */
  node: z.string(),
  time: timeSchema,
  uptime_seconds: z.int().min(0),
  public_url: z.string(),
  trusted_proxies: z.boolean(),
  /** Those that it has opened. */
  engines: z.array(
    z.object({
      name: z.enum(['event store', 'read store', 'state store', 'object store', 'bus']),
      /** The scheme of its setting, such as `sqlite`. */
      kind: z.string(),
      /** Null: it answers. */
      fault: z.string().nullable(),
      /** Name and version, as `MongoDB 7.0.14`; null: it reports none, or is unavailable. */
      product: z.string().nullable().default(null),
      /** Of a state store: indexes that no collection of the service declares, such as `tokens.name_1`. */
      undeclared_indexes: z.array(z.string()).optional(),
    }),
  ),
  projections: z.array(projectionSchema),
  master_key: z.object({
    previous_set: z.boolean(),
    /** Secrets that are sealed under another key than the present one, or in the former format; null while the state store is unavailable, and for a service that seals none. */
    sealed_otherwise: z.int().min(0).nullable(),
  }),
  /** Of DATA_DIR, in bytes; null where there is no such folder, or no engine keeps anything in it. */
  disk: z.object({ free: z.int().min(0), total: z.int().min(0) }).nullable(),
  /** Permission bits of DATA_DIR, such as `0700`; null as for `disk`. Optional: releases before it do not report it. */
  data_dir_mode: z.string().nullable().optional(),
  /** Where bundles' bytes come from, and from which address when downloads are redirected. Optional: releases before it do not tell. */
  downloads: z.object({ mode: z.enum(['stream', 'redirect']), store_address: z.string().nullable() }).optional(),
  /** Manifests and channel states of the apps with a signing key. Optional: only the device plane's service has them. */
  signed_statements: z
    .object({
      /** That should be signed now and are not, or have expired. */
      missing: z.int().min(0),
      /** Of the first one that expires; null: there is none. */
      earliest_expiry: timeSchema.nullable(),
      /** That one should have been signed again by now. */
      overdue: z.boolean(),
    })
    .optional(),
  /** Null for a service that serves no plane. */
  traffic: trafficSchema.nullable(),
});
export type ServiceFacts = z.infer<typeof serviceFactsSchema>;

/** `facts` null: the service does not answer. */
export const diagnosticsSchema = z.object({
  services: z.array(z.object({ service: z.string(), facts: serviceFactsSchema.nullable() })),
});
export type Diagnostics = z.infer<typeof diagnosticsSchema>;

/** What every service but the gateway is asked over the bus; one process of it answers. */
export function serviceFactsCall(service: string) {
  return defineCall(`${service}.facts`, z.object({}), serviceFactsSchema);
}

/** The same of releases that announce no installation format: only their replicas answer it. */
export function formerFactsCall(service: string) {
  return defineCall(`${service}.diagnose`, z.object({}), serviceFactsSchema);
}
