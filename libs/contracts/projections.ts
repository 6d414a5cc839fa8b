import { z } from 'zod';
import { defineCall } from './call';
import { timeSchema } from './values';

/** What an operator had done with a projection last. */
export const projectionTaskSchema = z.object({
  kind: z.enum(['rebuild', 'verify']),
  /** `interrupted`: the process that did it is gone. */
  status: z.enum(['running', 'completed', 'failed', 'interrupted']),
  started_at: timeSchema,
  finished_at: timeSchema.nullable(),
  /** How far the replay has come. */
  position: z.string(),
  error: z.string().nullable(),
  /** Of a completed verification. */
  verification: z
    .object({
      position: z.string(),
      rows: z.int().min(0),
      different: z.int().min(0),
      /** The first of them: which members differ, never what they hold. */
      differences: z.array(
        z.object({
          collection: z.string(),
          id: z.string(),
          kind: z.enum(['missing', 'surplus', 'different']),
          members: z.array(z.string()),
        }),
      ),
    })
    .nullable(),
});
export type ProjectionTask = z.infer<typeof projectionTaskSchema>;

/** One of the read models, as one process of its service sees it. */
export const projectionSchema = z.object({
  name: z.string(),
  service: z.string(),
  version: z.int(),
  /** Of the last event in its rows; positions are compared as text. */
  position: z.string(),
  caught_up: z.boolean(),
  /** Why it has stopped. */
  stopped: z.string().nullable(),
  task: projectionTaskSchema.nullable(),
});
export type ProjectionStatus = z.infer<typeof projectionSchema>;

/** The services with read models. */
export const PROJECTING_SERVICES = ['registry', 'keys', 'build-pipeline', 'merchant-sync', 'device-updates'] as const;

/**
 * The calls of each of them about its own. A rebuild and a verification continue after the
 * reply. Rejected with PROJECTION_NOT_FOUND, or PROJECTION_BUSY while either is running.
 */
export function projectionCalls(service: string) {
  const named = z.object({ name: z.string() });
  return {
    list: defineCall(`${service}.listProjections`, z.object({}), z.array(projectionSchema)),
    rebuild: defineCall(`${service}.rebuildProjection`, named, projectionSchema),
    verify: defineCall(`${service}.verifyProjection`, named, projectionSchema),
    /** Answers once those that read these streams have applied the position, as commands wait for it; then anyway. */
    applied: defineCall(
      `${service}.projectionsApplied`,
      z.object({ streams: z.array(z.string()), position: z.string() }),
      z.object({}),
    ),
  };
}
export type ProjectionCalls = ReturnType<typeof projectionCalls>;
