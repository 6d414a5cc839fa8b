/** A rejection by the server, with `status` and its `code`; or no response at all: status 0. */
export class SluiceError extends Error {
  override readonly name = 'SluiceError';
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /**
   * The server's error code, such as `APP_NOT_FOUND`, and `VALIDATION_FAILED` where fields are invalid. Otherwise
   * `HTTP_` and the status, `REDIRECTED`, `UNREACHABLE` without a response, `UNEXPECTED_RESPONSE`, or `FILE_CHANGED`.
   */
  readonly code: string;
  /** What the server adds to some codes. */
  readonly details: Readonly<Record<string, unknown>>;
  /** What is wrong with each field of the request; empty for other errors. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** From `Retry-After`, in seconds. */
  readonly retryAfter: number | undefined;
  /** The trace id under which the server logs the request: 32 hexadecimal digits. */
  readonly requestId: string | undefined;
  /** Its body is read already. */
  readonly response: Response | undefined;

  constructor(facts: SluiceErrorFacts) {
    super(facts.message, { cause: facts.cause });
    this.status = facts.status;
    this.code = facts.code;
    this.details = facts.details ?? {};
    this.fields = facts.fields ?? {};
    this.retryAfter = facts.retryAfter;
    this.requestId = facts.requestId;
    this.response = facts.response;
  }
}

export type SluiceErrorFacts = Pick<SluiceError, 'status' | 'code' | 'message'> & {
  readonly [Name in 'details' | 'fields' | 'retryAfter' | 'requestId' | 'response' | 'cause']?:
    SluiceError[Name] | undefined;
};

/** The error bodies of all APIs. */
interface ErrorBody {
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly details?: SluiceError['details'] };
  readonly message?: unknown;
  readonly errors?: SluiceError['fields'];
  /** Of the listings API. */
  readonly data?: { readonly code?: unknown; readonly errors?: SluiceError['fields'] } | null;
}

/** Reads the body. `origin`: the server as messages name it. */
export async function errorOf(response: Response, origin: string, requestId: string): Promise<SluiceError> {
  const { status, headers } = response;
  const body: ErrorBody = objectOf(await response.text().catch(() => '')) ?? {};
  const { error, message, errors, data } = body;
  const seconds = /^\d+$/.exec(headers.get('retry-after') ?? '')?.[0];
  const retryAfter = seconds === undefined ? undefined : Number(seconds);
  const as = (code: string, text: unknown, rest: Partial<SluiceErrorFacts> = {}) =>
    new SluiceError({ status, requestId, response, retryAfter, code, message: String(text), ...rest });
  if (typeof error?.code === 'string') return as(error.code, error.message, { details: error.details });
  if (typeof data?.code === 'string') {
    const { code, ...details } = data;
    return as(code, message, { details, fields: data.errors });
  }
  if (typeof message === 'string' && typeof errors === 'object')
    return as('VALIDATION_FAILED', message, { fields: errors });
  const location = headers.get('location');
  if (response.type !== 'opaqueredirect' && location === null)
    return as(`HTTP_${status}`, `${origin} responded ${status} without a reason.`);
  return as('REDIRECTED', redirectText(origin, location));
}

/** A credential is sent to no other server. */
export const redirectText = (origin: string, location: string | null = null): string =>
  `${origin} redirects${location === null ? '' : ` to ${location}`}. Requests with a credential are not redirected.`;

/** Undefined for what is not a JSON object. */
export function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
