import type { Settings } from '@sluice/config';
import type { ReadStore } from '@sluice/document-store';
import type { Clock } from '@sluice/kernel';
import { jobRows, jobsProjection, type JobRow } from './jobs.projection';

export interface DueJobsOptions {
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'jobLeaseMs'>;
}

export interface DueJob {
  readonly jobId: string;
  /** The turn at which it is due, or at which it made no progress for a whole lease. */
  readonly turn: number;
  /** It only waits to be closed. */
  readonly lost: boolean;
}

interface Sighting {
  readonly turn: number;
  /** On this process's monotonic clock, in milliseconds. */
  readonly dueAt: number;
}

/**
 * Finds the jobs that may be claimed. A lease is measured on this process's own clock from the last
 * renewal that it saw, so a new process waits one full lease, whatever the clocks of others show.
 */
export class DueJobs {
  private sightings = new Map<string, Sighting>();

  constructor(private readonly options: DueJobsOptions) {}

  /** Oldest first. */
  async find(): Promise<DueJob[]> {
    const rows = await this.options.readStore
      .view(jobsProjection.name, jobRows)
      .find({ where: { status: { in: ['pending', 'processing'] }, turn: { gt: 0 } } });
    const seen = rows.map((row) => ({ row, sighting: this.sight(row) }));
    this.sightings = new Map(seen.map(({ row, sighting }) => [row.id, sighting]));
    const now = this.options.clock.monotonic();
    return seen
      .filter(({ row, sighting }) => row.lost || now >= sighting.dueAt)
      .map(({ row }) => ({ jobId: row.id, turn: row.turn, lost: row.lost }));
  }

  /** Milliseconds until the next of the jobs that were found waiting is due; Infinity when none waits. */
  untilNext(): number {
    const now = this.options.clock.monotonic();
    const waits = [...this.sightings.values()].map(({ dueAt }) => dueAt - now);
    return Math.min(...waits.filter((wait) => wait > 0), Infinity);
  }

  private sight(row: JobRow): Sighting {
    const before = this.sightings.get(row.id);
    if (before?.turn === row.turn) return before;
    const { clock, settings } = this.options;
    const wait = row.status === 'processing' ? settings.jobLeaseMs : remainingDelay(row, clock.now());
    return { turn: row.turn, dueAt: clock.monotonic() + wait };
  }
}

/** By wall clocks, which may differ: never more than the delay itself. */
function remainingDelay(row: JobRow, now: Date): number {
  if (row.failed_at === null) return 0;
  return Math.min(row.retry_after_ms, Math.max(0, Date.parse(row.failed_at) + row.retry_after_ms - now.getTime()));
}
