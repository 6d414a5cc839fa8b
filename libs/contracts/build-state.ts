import { z } from 'zod';
import type { BuildStatus } from './values';

/**
 * What a build is to devices, from its status and its rollout together:
 *
 * - `live`: every device that it suits gets it
 * - `rolling_out`: `rollout_percentage` percent of them do, and that is neither 0 nor 100
 * - `stopped`: it is ready, and no further device gets it, because it is paused, halted or at 0%
 * - `processing`, `failed`, `archived`: as its status; `uploading` counts as `processing`
 */
export const buildStateSchema = z.enum(['processing', 'live', 'rolling_out', 'stopped', 'failed', 'archived']);
export type BuildState = z.infer<typeof buildStateSchema>;

/** The one place that derives the state. A `rollout_percentage` null counts as 100. */
export function buildStateOf(build: {
  readonly status: BuildStatus;
  readonly rollout_percentage: number | null;
  readonly rollout_enabled: boolean;
}): BuildState {
  switch (build.status) {
    case 'uploading':
    case 'processing':
      return 'processing';
    case 'failed':
    case 'archived':
      return build.status;
    case 'paused':
      return 'stopped';
    case 'active': {
      const percentage = build.rollout_enabled ? (build.rollout_percentage ?? 100) : 0;
      return percentage === 0 ? 'stopped' : percentage < 100 ? 'rolling_out' : 'live';
    }
  }
}
