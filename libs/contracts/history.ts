import { z } from 'zod';
import { defineCall } from './call';
import { channelNameSchema, idSchema, timeSchema } from './values';

/** One fact of an app's history: who did what, when, and what it changed. */
export const historyEntrySchema = z.object({
  /** The event's id. */
  id: z.string(),
  /** The store's own time of the write: what `as_of`, `from` and `to` go by. */
  at: timeSchema,
  /** The event's type, such as `BuildPaused`. */
  type: z.string(),
  /** `token:ID`, `owner:ID` or `system:NAME`. */
  actor: z.string(),
  build_id: idSchema.nullable(),
  channel: channelNameSchema.nullable(),
  key_id: idSchema.nullable(),
  /**
   * The resource's members that changed, as they were and as they became. Null before: it was made;
   * null after: it was deleted; both null: the event changed nothing of it.
   */
  before: z.record(z.string(), z.json()).nullable(),
  after: z.record(z.string(), z.json()).nullable(),
});
export type HistoryEntry = z.infer<typeof historyEntrySchema>;

/** Which facts of an app; bounds of time are inclusive. */
export const historyFilterSchema = z.object({
  appId: idSchema,
  buildId: idSchema.optional(),
  type: z.string().optional(),
  actor: z.string().optional(),
  from: timeSchema.optional(),
  to: timeSchema.optional(),
});
export type HistoryFilter = z.infer<typeof historyFilterSchema>;

/** So many entries can be paged through; `from` and `to` reach what lies further back. */
export const MAX_HISTORY_DEPTH = 100_000;

/** The questions that every service answers about the streams it owns (positions order all of them). */
function historyCalls(service: string) {
  return {
    /** Positions of the latest `newest` entries, newest first, and how many there are in all. */
    positions: defineCall(
      `${service}.historyPositions`,
      historyFilterSchema.extend({ newest: z.int().min(0).max(MAX_HISTORY_DEPTH) }),
      z.object({ positions: z.array(z.string()), total: z.int().min(0) }),
    ),
    /** The entries from position `first` to position `last`, both included. */
    entries: defineCall(
      `${service}.historyEntries`,
      historyFilterSchema.extend({ first: z.string(), last: z.string() }),
      z.array(z.object({ position: z.string(), entry: historyEntrySchema })),
    ),
    /** The latest entries of several apps, newest first; those before position `before`, where it is given. */
    latest: defineCall(
      `${service}.latestHistory`,
      historyFilterSchema.pick({ type: true, actor: true }).extend({
        apps: z.array(idSchema).max(50),
        newest: z.int().min(1).max(50),
        before: z.string().optional(),
      }),
      z.array(z.object({ position: z.string(), appId: idSchema, entry: historyEntrySchema })),
    ),
  };
}
export type HistoryCalls = ReturnType<typeof historyCalls>;

export const registryHistory = historyCalls('registry');
export const buildsHistory = historyCalls('buildPipeline');
export const keysHistory = historyCalls('keys');

/** What actors are called now; those that have no name are left out. */
export const actorNames = defineCall(
  'registry.actorNames',
  z.object({ actors: z.array(z.string()).max(50) }),
  z.record(z.string(), z.string()),
);
