import { z } from 'zod';
import { defineCall } from './call';

/** One process of one service, as the other replicas see it. */
export const replicaSchema = z.object({
  service: z.string(),
  /**
   * Host and process id, such as `gateway-5d9c:1`. Of a release that announces no format: the id that it announces, or
   * when it started. Null: no replica of the service answers.
   */
  name: z.string().nullable(),
  /** Null where the replica does not report it. */
  release: z.string().nullable(),
  /** The newest installation format that its release supports; null: none. */
  format: z.int().min(0).nullable(),
});
export type Replica = z.infer<typeof replicaSchema>;

/** For people, such as `keys (keys-7f4b:1), gateway (no replica responds)`. */
export function replicaNames(replicas: readonly Replica[]): string {
  return replicas.map(({ service, name }) => `${service} (${name ?? 'no replica responds'})`).join(', ');
}

const format = z.int().min(0);

export const upgradeSchema = z.object({
  /** Of the installation; 0 before an upgrade was finished for the first time. */
  format,
  /** The newest that the release of the gateway supports. */
  known_format: format,
  /** Whether the installation has that format. */
  finished: z.boolean(),
  /** Replicas that do not know that format, and services without a replica. Empty once the upgrade is finished. */
  blocked_by: z.array(replicaSchema),
});
export type Upgrade = z.infer<typeof upgradeSchema>;

/** Raises the format of the installation permanently. UPGRADE_BLOCKED: a replica does not support it. */
export const finishUpgrade = defineCall(
  'registry.finishUpgrade',
  z.object({ format, replicas: z.array(replicaSchema) }),
  z.object({ format }),
  ['UPGRADE_BLOCKED'],
);
