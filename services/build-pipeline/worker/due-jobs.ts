import type { Settings } from '@sluice/config';
import type { DocumentStore } from '@sluice/document-store';
import type { Clock } from '@sluice/kernel';
import { jobRows, jobsProjection, type JobRow } from '../projections/jobs.projection';

export interface DueJobsOptions {
  readonly readStore: DocumentStore;
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'jobLeaseMs'>;
}

export interface DueJob {
  readonly jobId: string;
  /** Of a job whose lease ran out: the renewal counter that stood still for all of it. */
  readonly lapsed: number | undefined;
  /** It only waits to be closed. */
  readonly lost: boolean;
}

interface Sighting {
  readonly status: JobRow['status'];
  readonly renewal: number;
  /** On this process's monotonic clock, in milliseconds. */
  readonly dueAt: number;
}

/**
 * Tells which jobs may be claimed. A lease is counted on this process's own clock from the last
 * renewal that it saw, so that a fresh process waits one full lease, whatever other clocks say.
 */
export class DueJobs {
  private sightings = new Map<string, Sighting>();

  constructor(private readonly options: DueJobsOptions) {}

  /** Oldest first. */
  async find(): Promise<DueJob[]> {
    const rows = await this.options.readStore
      .view(jobsProjection.name, jobRows)
      .find({ where: { status: { in: ['pending', 'processing'] }, queued: true } });
    this.sightings = new Map(rows.map((row) => [row.id, this.sight(row)]));
    const now = this.options.clock.monotonic();
    return rows
      .filter((row) => row.lost || now >= (this.sightings.get(row.id)?.dueAt ?? Infinity))
      .map((row) => ({
        jobId: row.id,
        lapsed: row.status === 'processing' ? row.renewal : undefined,
        lost: row.lost,
      }));
  }

  private sight(row: JobRow): Sighting {
    const before = this.sightings.get(row.id);
    if (before?.status === row.status && before.renewal === row.renewal) return before;
    const { clock, settings } = this.options;
    const wait = row.status === 'processing' ? settings.jobLeaseMs : remainingDelay(row, clock.now());
    return { status: row.status, renewal: row.renewal, dueAt: clock.monotonic() + wait };
  }
}

/** By wall clocks, which may differ: never more than the delay itself. */
function remainingDelay(row: JobRow, now: Date): number {
  if (row.failed_at === null) return 0;
  return Math.min(row.retry_after_ms, Math.max(0, Date.parse(row.failed_at) + row.retry_after_ms - now.getTime()));
}
