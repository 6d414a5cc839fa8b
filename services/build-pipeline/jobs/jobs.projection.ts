import type { Channel, Job } from '@sluice/contracts';
import type { Collection, Row } from '@sluice/document-store';
import type { ProjectedRows, Projection } from '@sluice/projections';
import type { Recorded } from '@sluice/event-store';
import { channelName, unknownEvent } from '@sluice/kernel';
import type { ChannelEvent } from '../builds/domain/channel';
import type { JobEvent } from './domain/job';

/** A job as clients see it, and what a worker needs to find the next one. */
export interface JobRow extends Omit<Job, 'id' | 'type' | 'result'>, Row {
  readonly build_id: number;
  readonly version: string;
  readonly channel: Channel;
  /** How many events the job's own stream has; with none yet, no worker can claim it. */
  readonly turn: number;
  /** Between attempts: how long the next one waits, counted from `failed_at`. */
  readonly retry_after_ms: number;
  readonly failed_at: string | null;
  /** Its last worker is gone and it waits to be closed. */
  readonly lost: boolean;
}

export const jobRows: Collection<JobRow> = { name: 'jobs', indexes: [{ fields: ['status'] }, { fields: ['app_id'] }] };

export const jobsProjection: Projection<ChannelEvent | JobEvent> = {
  name: 'jobs',
  version: 2,
  prefixes: ['channel-', 'job-'],
  collections: [jobRows],
  apply,
};

export function toJob(row: JobRow): Job {
  return {
    id: row.id,
    type: 'build.process',
    status: row.status,
    attempts: row.attempts,
    result:
      row.status === 'completed'
        ? { build_id: row.build_id, version: row.version, channel: channelName(row.channel) }
        : null,
    error: row.error,
    queued_at: row.queued_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    app_id: row.app_id,
  };
}

async function apply(event: Recorded<ChannelEvent | JobEvent>, rows: ProjectedRows): Promise<void> {
  const at = event.metadata.at;
  const change = (changes: (row: JobRow) => Partial<JobRow>) =>
    rows.update(jobRows, event.stream.slice(event.stream.lastIndexOf('-') + 1), (row) => ({
      ...row,
      ...changes(row),
      turn: event.revision + 1,
    }));
  switch (event.type) {
    case 'BuildAccepted':
      rows.put(jobRows, {
        id: event.data.jobId,
        app_id: event.data.appId,
        build_id: event.data.buildId,
        version: event.data.version,
        channel: event.data.channel,
        status: 'pending',
        attempts: 0,
        error: null,
        queued_at: at,
        started_at: null,
        finished_at: null,
        turn: 0,
        retry_after_ms: 0,
        failed_at: null,
        lost: false,
      });
      return;
    case 'JobQueued':
    case 'JobRenewed':
      return change(() => ({}));
    case 'JobClaimed': {
      const { attempt } = event.data;
      return change((row) => ({ status: 'processing', attempts: attempt, started_at: row.started_at ?? at }));
    }
    case 'JobAttemptFailed': {
      const { retryAfterMs } = event.data;
      return change(() => ({ status: 'pending', retry_after_ms: retryAfterMs, failed_at: at }));
    }
    case 'JobReleased': {
      const { attempt } = event.data;
      return change(() => ({ status: 'pending', attempts: attempt - 1, retry_after_ms: 0, failed_at: null }));
    }
    case 'JobLost':
      return change(() => ({ lost: true }));
    case 'JobCompleted':
      return change(() => ({ status: 'completed', finished_at: at }));
    case 'JobFailed': {
      const { error } = event.data;
      return change(() => ({ status: 'failed', error, finished_at: at }));
    }
    case 'ChannelClosed': {
      const { appId, channel } = event.data;
      return rows.deleteWhere(jobRows, { app_id: appId, channel });
    }
    case 'BuildActivated':
    case 'BuildFailed':
    case 'PromotionStarted':
    case 'BuildPromoted':
    case 'PromotionCancelled':
    case 'BuildPaused':
    case 'BuildResumed':
    case 'BuildArchived':
    case 'BuildEdited':
    case 'RolloutChanged':
    case 'BuildRecalled':
    case 'BuildRepublished':
    case 'BuildUnrecalled':
    case 'BuildRetried':
    case 'PinsChanged':
    case 'BuildDeleted':
      return;
    default:
      return unknownEvent(event);
  }
}
