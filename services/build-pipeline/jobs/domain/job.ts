import { DomainError, LostLeaseError, unknownEvent, type Decider } from '@sluice/kernel';
import type { Channel, ChannelBuild } from '../../builds/domain/channel';

/** A failing job is retried three times after its first attempt. */
export const MAX_ATTEMPTS = 4;

export type JobStatus = 'pending' | 'processing' | 'completed' | 'failed';

/** Which build the job is for. */
export interface JobSubject {
  readonly appId: number;
  readonly channel: Channel;
  readonly buildId: number;
}

export type JobEvent =
  | { readonly type: 'JobQueued'; readonly data: JobSubject }
  | { readonly type: 'JobClaimed'; readonly data: { readonly holder: string; readonly attempt: number } }
  | { readonly type: 'JobRenewed'; readonly data: { readonly holder: string } }
  | {
      readonly type: 'JobAttemptFailed';
      readonly data: { readonly attempt: number; readonly error: string; readonly retryAfterMs: number };
    }
  /** Its holder gave it back untouched: the attempt doesn't count. */
  | { readonly type: 'JobReleased'; readonly data: { readonly attempt: number } }
  /** The worker of its last attempt is gone: nothing but closing remains. */
  | { readonly type: 'JobLost'; readonly data: { readonly error: string } }
  | { readonly type: 'JobCompleted'; readonly data: object }
  | { readonly type: 'JobFailed'; readonly data: { readonly error: string } };

export type JobCommand =
  | { readonly type: 'QueueJob'; readonly subject: JobSubject }
  /**
   * `holder` names this very claim. `turn` is the one that the claimer saw: as a job that is due, or
   * standing still for a whole lease. A holder that renewed meanwhile keeps the job.
   */
  | { readonly type: 'ClaimJob'; readonly holder: string; readonly turn: number }
  | { readonly type: 'RenewJob'; readonly holder: string }
  | { readonly type: 'FailAttempt'; readonly holder: string; readonly error: string; readonly retryAfterMs: number }
  | { readonly type: 'ReleaseJob'; readonly holder: string }
  /** By whoever saw the build's outcome in its channel; a job that is closed stays as it is. */
  | { readonly type: 'CloseJob'; readonly outcome: JobOutcome };

export type JobOutcome = { readonly status: 'completed' } | { readonly status: 'failed'; readonly error: string };

export interface JobState {
  readonly subject: JobSubject | undefined;
  readonly status: JobStatus;
  readonly attempts: number;
  /** Undefined: no worker has claimed it. */
  readonly holder: string | undefined;
  /** How many events the job has had; moves with every claim and renewal. */
  readonly turn: number;
  /** Why the job only waits to be closed. */
  readonly lost: string | undefined;
}

/** One job: one worker at a time, and at most MAX_ATTEMPTS of them. */
export const jobDecider: Decider<JobState, JobCommand, JobEvent> = {
  initialState: () => ({
    subject: undefined,
    status: 'pending',
    attempts: 0,
    holder: undefined,
    turn: 0,
    lost: undefined,
  }),
  decide,
  evolve,
};

export function jobStream(jobId: string): string {
  return `job-${jobId}`;
}

/** Of a job whose build was deleted. */
export const DELETED: JobOutcome = { status: 'failed', error: 'The build was deleted while it was processing.' };

/** What became of the build, as the job that checks it is to be closed; undefined while it is processing. */
export function outcomeOf(build: ChannelBuild | undefined): JobOutcome | undefined {
  if (!build) return DELETED;
  if (build.status === 'processing') return undefined;
  if (build.wasActive) return { status: 'completed' };
  if (build.status === 'failed') return { status: 'failed', error: build.error ?? 'The build failed.' };
  return { status: 'failed', error: 'The build was archived while it was processing, so it never became ready.' };
}

function decide(command: JobCommand, state: JobState): readonly JobEvent[] {
  if (command.type === 'QueueJob') {
    return state.subject ? [] : [{ type: 'JobQueued', data: command.subject }];
  }
  if (!state.subject) throw new DomainError('JOB_NOT_FOUND', 'There is no such job.');
  switch (command.type) {
    case 'ClaimJob':
      return [claim(command, state)];
    case 'RenewJob':
      refuseOthers(command.holder, state);
      return [{ type: 'JobRenewed', data: { holder: command.holder } }];
    case 'FailAttempt': {
      refuseOthers(command.holder, state);
      const { error, retryAfterMs } = command;
      return state.attempts < MAX_ATTEMPTS
        ? [{ type: 'JobAttemptFailed', data: { attempt: state.attempts, error, retryAfterMs } }]
        : [{ type: 'JobFailed', data: { error } }];
    }
    case 'ReleaseJob':
      refuseOthers(command.holder, state);
      return [{ type: 'JobReleased', data: { attempt: state.attempts } }];
    case 'CloseJob':
      if (isClosed(state)) return [];
      return command.outcome.status === 'completed'
        ? [{ type: 'JobCompleted', data: {} }]
        : [{ type: 'JobFailed', data: { error: command.outcome.error } }];
  }
}

function claim(command: Extract<JobCommand, { type: 'ClaimJob' }>, state: JobState): JobEvent {
  if (isClosed(state) || state.lost !== undefined || command.turn !== state.turn) {
    throw new LostLeaseError(`The job is ${state.status} and not free to be claimed.`);
  }
  if (state.attempts >= MAX_ATTEMPTS) {
    return {
      type: 'JobLost',
      data: { error: `The worker of attempt ${state.attempts} stopped answering; there are no attempts left.` },
    };
  }
  return { type: 'JobClaimed', data: { holder: command.holder, attempt: state.attempts + 1 } };
}

function isClosed(state: JobState): boolean {
  return state.status === 'completed' || state.status === 'failed';
}

function refuseOthers(holder: string, state: JobState): void {
  if (state.holder !== holder) throw new LostLeaseError('Another worker has taken the job, or it is closed.');
}

function evolve(state: JobState, event: JobEvent): JobState {
  return { ...state, ...changesBy(event), turn: state.turn + 1 };
}

function changesBy(event: JobEvent): Partial<JobState> {
  switch (event.type) {
    case 'JobQueued':
      return { subject: event.data };
    case 'JobClaimed':
      return { status: 'processing', attempts: event.data.attempt, holder: event.data.holder };
    case 'JobRenewed':
      return {};
    case 'JobAttemptFailed':
      return { status: 'pending', holder: undefined };
    case 'JobReleased':
      return { status: 'pending', attempts: event.data.attempt - 1, holder: undefined };
    case 'JobLost':
      return { holder: undefined, lost: event.data.error };
    case 'JobCompleted':
      return { status: 'completed', holder: undefined };
    case 'JobFailed':
      return { status: 'failed', holder: undefined };
    default:
      return unknownEvent(event);
  }
}
