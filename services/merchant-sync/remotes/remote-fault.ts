import { z } from 'zod';
import { RemoteError, type RemoteFault } from './remote-catalog';

const text = z.string().optional().catch(undefined);
const reasons = z
  .array(z.object({ reason: text, metadata: z.object({ REASON: text }).optional().catch(undefined) }))
  .optional()
  .catch(undefined);

/** The errors of both interfaces, with what is read of them. */
const errorBody = z.object({
  error: z.object({ message: text, status: text, details: reasons, errors: reasons }),
});

export interface Refusal {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string | undefined;
}

/** The meaning of an error: by its most exact reason, else by its status. */
export function remoteFault({ status, body, retryAfter }: Refusal): RemoteError {
  const { error } = parsed(body);
  const given = [
    ...(error.details ?? []).flatMap(({ metadata, reason }) => [metadata?.REASON, reason]),
    ...(error.errors ?? []).map(({ reason }) => reason),
    error.status,
  ].filter((reason) => reason !== undefined);
  const fault = faultOf(status, [...given, error.message ?? '']);
  const retryAfterMs = retryAfter === undefined ? undefined : parseRetryAfter(retryAfter);
  const [reason] = given;
  return new RemoteError(fault, sentenceOf(status, error.message), {
    ...(reason !== undefined && { reason }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** Whether the same call may succeed after a pause. */
export function isTransient({ fault }: RemoteError): boolean {
  return fault === 'rate_limited' || fault === 'unavailable' || fault === 'timeout';
}

const BY_REASON: readonly (readonly [RegExp, RemoteFault])[] = [
  [/daily_?limit/i, 'daily_quota'],
  [/too_many_items/i, 'too_many_items'],
  [/request_rate_too_high|rate_?limit_?exceeded/i, 'rate_limited'],
  [/content_api_sunset/i, 'sunset'],
  // These come with 401 like a bad token, but another token does not fix them.
  [/GCP_NOT_REGISTERED|PERMISSION_DENIED/i, 'forbidden'],
];

function faultOf(status: number, told: readonly string[]): RemoteFault {
  const named = BY_REASON.find(([pattern]) => told.some((reason) => pattern.test(reason)));
  if (named !== undefined) return named[1];
  if (status === 401) return 'reauth_required';
  if (status === 403) return 'forbidden';
  if (status === 410) return 'sunset';
  if (status === 429) return 'rate_limited';
  return status === 408 || status >= 500 ? 'unavailable' : 'refused';
}

function parsed(body: string): z.infer<typeof errorBody> {
  try {
    return errorBody.parse(JSON.parse(body));
  } catch {
    return { error: {} };
  }
}

const MAX_MESSAGE = 500;

/** In the remote's words, without addresses of people: it is kept in events. */
function sentenceOf(status: number, message = ''): string {
  const words = message.replace(/\S+@\S+/g, '…').trim();
  return words === '' ? `Google responded with status ${status}.` : words.slice(0, MAX_MESSAGE);
}

/** What `Retry-After` says, in milliseconds: seconds or a date (RFC 9110, 10.2.3). */
export function parseRetryAfter(header: string): number | undefined {
  const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
