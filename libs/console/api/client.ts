import * as texts from '../texts/requests';
import { signedInAgain, signedInOwner } from './ended-session';

/** The base of the dashboard plane. */
const DASHBOARD = '/api/dashboard/v1';
const SESSION = `${DASHBOARD}/session`;
const CSRF_HEADER = 'X-Sluice-CSRF';

export interface Page {
  readonly current_page: number;
  readonly last_page: number;
  readonly per_page: number;
  readonly total: number;
}

export interface List<Item> {
  readonly data: readonly Item[];
  readonly meta: Page;
}

/** An error response. Without a response, `status` is 0 and `code` is `UNREACHABLE`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  /** Of a 422: what is wrong with each field. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds until a retry is allowed. */
  readonly retryAfter: number | undefined;

  constructor(facts: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly fields?: Readonly<Record<string, readonly string[]>> | undefined;
    readonly details?: Readonly<Record<string, unknown>> | undefined;
    readonly retryAfter?: number | undefined;
  }) {
    super(facts.message);
    this.status = facts.status;
    this.code = facts.code;
    this.fields = facts.fields ?? {};
    this.details = facts.details ?? {};
    this.retryAfter = facts.retryAfter;
  }

  /** The same error with other texts. */
  saying(words: Partial<Pick<ApiError, 'message' | 'fields'>>): ApiError {
    const { status, code, message, fields, details, retryAfter } = this;
    return new ApiError({ ...{ status, code, message, fields, details, retryAfter }, ...words });
  }
}

/** Whether the error names faults of fields, which a form shows at the fields. */
export function isOfFields(error: unknown): boolean {
  return error instanceof ApiError && Object.keys(error.fields).length > 0;
}

/** The error body of any plane: the envelopes of the dashboard plane, of fields, and of listings and ads. */
interface ErrorBody {
  readonly error?: { readonly code: string; readonly message: string; readonly details?: Record<string, unknown> };
  readonly message?: string;
  readonly errors?: Record<string, string[]>;
  readonly data?: { readonly code?: string; readonly errors?: Record<string, string[]> } | null;
}

export function refusal(status: number, text: string, retryAfter: string | null): ApiError {
  const seconds = retryAfter === null ? undefined : Number(retryAfter);
  let body: ErrorBody;
  try {
    body = JSON.parse(text) as ErrorBody;
  } catch {
    body = {};
  }
  const fields = body.errors ?? body.data?.errors;
  return new ApiError({
    status,
    code: body.error?.code ?? body.data?.code ?? (fields === undefined ? 'UNEXPECTED_RESPONSE' : 'VALIDATION_FAILED'),
    message: body.error?.message ?? body.message ?? texts.unexpectedStatus(status),
    fields,
    details: body.error?.details,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  });
}

export function unreachable(): ApiError {
  return new ApiError({ status: 0, code: 'UNREACHABLE', message: texts.unreachable });
}

/**
 * After a request that failed because the session had ended: resolves when the person has signed in again, so that the
 * request can be repeated. @throws ApiError as given, otherwise
 */
async function sessionAfter(error: ApiError): Promise<void> {
  if (error.status !== 401 || signedInOwner() === undefined) throw error;
  await signedInAgain().catch(() => {
    throw error;
  });
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface RequestOptions {
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** The revision that the changed build must have. */
  readonly ifRevision?: number | undefined;
}

async function request(method: Method, address: string, options: RequestOptions = {}): Promise<unknown> {
  const { body, signal, ifRevision } = options;
  const headers: Record<string, string> = { accept: 'application/json' };
  if (ifRevision !== undefined) headers['if-match'] = `"${ifRevision}"`;
  if (method !== 'GET') headers[CSRF_HEADER] = '1';
  if (body !== undefined) headers['content-type'] = 'application/json';
  let response: Response;
  try {
    response = await fetch(address, {
      method,
      headers,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw unreachable();
  }
  const text = await response.text();
  if (!response.ok) {
    const error = refusal(response.status, text, response.headers.get('retry-after'));
    // These requests start and end sessions, so they can't wait for another session.
    if (method !== 'GET' && address === SESSION) throw error;
    await sessionAfter(error);
    return request(method, address, options);
  }
  return text === '' ? undefined : JSON.parse(text);
}

/** `path` from the dashboard plane's base, for example `/apps/1/builds`. Each resolves to `data`. @throws ApiError */
export const api = {
  address: (path: string): string => `${DASHBOARD}${path}`,
  get: <T>(path: string, signal?: AbortSignal) => asData<T>(request('GET', DASHBOARD + path, { signal })),
  post: <T = unknown>(path: string, body?: unknown) => asData<T>(request('POST', DASHBOARD + path, { body })),
  put: <T = unknown>(path: string, body?: unknown) => asData<T>(request('PUT', DASHBOARD + path, { body })),
  /** `ifRevision`: rejected with BUILD_CHANGED unless the build has that revision. */
  patch: <T = unknown>(path: string, body?: unknown, ifRevision?: number) =>
    asData<T>(request('PATCH', DASHBOARD + path, { body, ifRevision })),
  delete: <T = unknown>(path: string, ifRevision?: number) =>
    asData<T>(request('DELETE', DASHBOARD + path, { ifRevision })),
  /** One page of a list, with its `meta`. */
  list: <Item>(path: string, signal?: AbortSignal) =>
    request('GET', DASHBOARD + path, { signal }) as Promise<List<Item>>,
  /** An address outside the dashboard plane, as it is. */
  at: <T>(method: Method, address: string, body?: unknown) => asData<T>(request(method, address, { body })),
};

async function asData<T>(response: Promise<unknown>): Promise<T> {
  return (((await response) as { data?: unknown } | undefined)?.data ?? undefined) as T;
}

/** The largest page that the server returns. */
export const PER_PAGE = 50;

/** All pages of a list that is short enough to be shown whole. @throws ApiError */
export async function listAll<Item>(path: string, signal?: AbortSignal): Promise<Item[]> {
  const pageOf = (page: number): Promise<List<Item>> =>
    api.list<Item>(`${path}${query({ page, per_page: PER_PAGE })}`, signal);
  const first = await pageOf(1);
  const others = Array.from({ length: first.meta.last_page - 1 }, (_, index) => pageOf(index + 2));
  return [first, ...(await Promise.all(others))].flatMap(({ data }) => data);
}

/** The defined values as a query string with its question mark. */
export function query(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

/** The progress of an upload. */
export interface Sent {
  readonly bytes: number;
  /** The size of the whole request; 0 before its first bytes are sent. */
  readonly of: number;
}

/** A multipart POST that reports its progress. Fields go before files. @throws ApiError */
export async function upload<T>(
  path: string,
  form: FormData,
  options: { readonly progress?: (sent: Sent) => void; readonly signal?: AbortSignal } = {},
): Promise<T> {
  try {
    return await send<T>(path, form, options);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    await sessionAfter(error);
    return upload(path, form, options);
  }
}

function send<T>(
  path: string,
  form: FormData,
  { progress, signal }: { readonly progress?: (sent: Sent) => void; readonly signal?: AbortSignal },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', DASHBOARD + path);
    request.setRequestHeader(CSRF_HEADER, '1');
    request.setRequestHeader('accept', 'application/json');
    request.upload.onprogress = ({ loaded, total }) => progress?.({ bytes: loaded, of: total });
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(new DOMException(texts.uploadCancelled, 'AbortError'));
    request.onload = () => {
      if (request.status < 300) resolve((JSON.parse(request.responseText) as { data: T }).data);
      else reject(refusal(request.status, request.responseText, request.getResponseHeader('retry-after')));
    };
    signal?.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}
