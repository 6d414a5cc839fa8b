import type { RunOutcome } from './domain/runs';
import type { RemoteError, RemoteFault } from '../remotes/remote-catalog';

/** The run is no longer wanted; the message says why. */
export class RunCancelledError extends Error {
  override readonly name = 'RunCancelledError';
}

/** The process stops; another one continues the run. */
export class RunPausedError extends Error {
  override readonly name = 'RunPausedError';
}

/** The outcome of a run that this fault ends; undefined: partial when anything was done before, else failed. */
const OUTCOMES: Readonly<Partial<Record<RemoteFault, RunOutcome>>> = {
  daily_quota: 'partial',
  sunset: 'failed',
  reauth_required: 'failed',
  forbidden: 'failed',
};

/** Public codes for faults of the merchant API; others keep their name. */
const CODES: Readonly<Partial<Record<RemoteFault, string>>> = {
  daily_quota: 'remote_quota_exceeded',
  rate_limited: 'remote_quota_exceeded',
  sunset: 'remote_api_sunset',
  unavailable: 'remote_unavailable',
  timeout: 'remote_unavailable',
};

export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly outcome: RunOutcome | undefined;
}

/** Maps a fault of the merchant API to a fault of the run. */
export function faultOf({ fault, message }: RemoteError): Fault {
  return { code: CODES[fault] ?? fault, message, outcome: OUTCOMES[fault] };
}
