/** What the loopback remote answers. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly text?: string;
}

/** How a request may fail on demand. */
export type Failure =
  'rate' | 'daily_quota' | 'too_many_items' | 'unavailable' | 'forbidden' | 'unauthorized' | 'refused' | 'sunset';

/** A refusal as the Merchant API words it. */
export function refusal(status: number, name: string, reason: string, message = `It is ${reason}.`): Reply {
  return {
    status,
    json: {
      error: {
        code: status,
        message,
        status: name,
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'invalid',
            domain: 'merchantapi.googleapis.com',
            metadata: { REASON: reason },
          },
        ],
      },
    },
  };
}

const FAILURES: Readonly<Record<Failure, readonly [status: number, name: string, reason: string]>> = {
  rate: [429, 'RESOURCE_EXHAUSTED', 'quota/request_rate_too_high'],
  daily_quota: [429, 'RESOURCE_EXHAUSTED', 'quota/daily_limit_exceeded'],
  too_many_items: [403, 'RESOURCE_EXHAUSTED', 'too_many_items'],
  unavailable: [503, 'UNAVAILABLE', 'backend_error'],
  forbidden: [403, 'PERMISSION_DENIED', 'PERMISSION_DENIED_ACCOUNTS'],
  unauthorized: [401, 'UNAUTHENTICATED', 'ACCESS_TOKEN_EXPIRED'],
  refused: [400, 'INVALID_ARGUMENT', 'INVALID_VALUE'],
  sunset: [410, 'FAILED_PRECONDITION', 'content_api_sunset'],
};

/** Likewise of the Content API, of a batch's entry too. */
export const CONTENT_FAILURES: Readonly<Record<Failure, { readonly status: number; readonly reason: string }>> = {
  rate: { status: 429, reason: 'quota/request_rate_too_high' },
  daily_quota: { status: 403, reason: 'quota/daily_limit_exceeded' },
  too_many_items: { status: 403, reason: 'too_many_items' },
  unavailable: { status: 503, reason: 'backendError' },
  forbidden: { status: 403, reason: 'auth/account_access_denied' },
  unauthorized: { status: 401, reason: 'authError' },
  refused: { status: 400, reason: 'invalid' },
  sunset: { status: 410, reason: 'content_api_sunset' },
};

/** A failure as the Merchant API words it. */
export function failureReply(failure: Failure): Reply {
  return refusal(...FAILURES[failure]);
}

/** A failure as the Content API words it. */
export function contentFailureReply(failure: Failure): Reply {
  const { status, reason } = CONTENT_FAILURES[failure];
  const message = `It is ${reason}.`;
  return { status, json: { error: { errors: [{ domain: 'global', reason, message }], code: status, message } } };
}
