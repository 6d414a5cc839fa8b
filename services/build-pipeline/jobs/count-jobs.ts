import type { ReadStore } from '@sluice/document-store';
import { jobRows, jobsProjection } from './jobs.projection';

/** Those that are completed are all the rest: they say nothing of what is to be done. */
const STATES = ['pending', 'processing', 'failed'] as const;

/** How many jobs there are in each state that somebody may have to look at. */
export async function countJobs(readStore: ReadStore): Promise<Record<(typeof STATES)[number], number>> {
  const rows = readStore.view(jobsProjection.name, jobRows);
  const [pending, processing, failed] = await Promise.all(STATES.map((status) => rows.count({ status })));
  return { pending: pending ?? 0, processing: processing ?? 0, failed: failed ?? 0 };
}
