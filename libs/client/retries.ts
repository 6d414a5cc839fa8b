import type { SluiceError } from './sluice-error.js';
import type { Retry } from './transport.js';

const LONGEST_RETRY_AFTER_S = 60;
const SHORTEST_PAUSE_MS = 500;
const PASSING = [408, 429, 502, 503, 504];

/**
 * Repeats after a failure that may pass: no response, 408, 429, 502, 503, 504, a request with the same idempotency key that
 * still runs, or a response with `Retry-After`, which is respected up to a minute. Pauses double from half a second.
 */
export function retryAtMost(retries: number): Retry {
  return async (error, repeats, signal) => {
    if (repeats >= retries || !mayPass(error)) return false;
    await pause(Math.max(backOff(repeats), (error.retryAfter ?? 0) * 1_000), signal);
    return true;
  };
}

function mayPass({ status, code, retryAfter }: SluiceError): boolean {
  if (retryAfter !== undefined) return retryAfter <= LONGEST_RETRY_AFTER_S;
  return PASSING.includes(status) || code === 'UNREACHABLE' || code === 'IDEMPOTENCY_IN_PROGRESS';
}

/** A random part of it, so that clients do not come back together. */
const backOff = (repeats: number): number => SHORTEST_PAUSE_MS * 2 ** repeats * (1 - Math.random() / 2);

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as fetch does
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
