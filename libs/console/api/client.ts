import { signedInAgain, signedInOwner } from './ended-session';

/** The planes that an owner's session is taken on; the console speaks to no other address. */
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

/** A refusal of the server, or no answer at all: `status` 0 and the code `UNREACHABLE`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  /** Of a 422: what is wrong with each field. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly details: Readonly<Record<string, unknown>>;
  /** When it may be tried again, in seconds. */
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

  /** The same refusal in other words. */
  saying(words: Partial<Pick<ApiError, 'message' | 'fields'>>): ApiError {
    const { status, code, message, fields, details, retryAfter } = this;
    return new ApiError({ ...{ status, code, message, fields, details, retryAfter }, ...words });
  }
}

/** Whether it names faults of fields, which a form shows next to them. */
export function isOfFields(error: unknown): boolean {
  return error instanceof ApiError && Object.keys(error.fields).length > 0;
}

/** The error body of any plane: the envelopes of the dashboard plane, of fields, and of listings and ads. */
interface RefusalBody {
  readonly error?: { readonly code: string; readonly message: string; readonly details?: Record<string, unknown> };
  readonly message?: string;
  readonly errors?: Record<string, string[]>;
  readonly data?: { readonly code?: string; readonly errors?: Record<string, string[]> } | null;
}

export function refusal(status: number, text: string, retryAfter: string | null): ApiError {
  const seconds = retryAfter === null ? undefined : Number(retryAfter);
  let body: RefusalBody;
  try {
    body = JSON.parse(text) as RefusalBody;
  } catch {
    body = {};
  }
  const fields = body.errors ?? body.data?.errors;
  return new ApiError({
    status,
    code: body.error?.code ?? body.data?.code ?? (fields === undefined ? 'UNEXPECTED_ANSWER' : 'VALIDATION_FAILED'),
    message: body.error?.message ?? body.message ?? `The server answered with status ${status}.`,
    fields,
    details: body.error?.details,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  });
}

export function unreachable(): ApiError {
  return new ApiError({
    status: 0,
    code: 'UNREACHABLE',
    message: 'The server can’t be reached. Check the connection and try again.',
  });
}

/**
 * Resolves when the same request may be sent again: it was refused because the session of the person had ended, and
 * they have signed in again. @throws ApiError as given, otherwise
 */
async function sessionAfter(refused: ApiError): Promise<void> {
  if (refused.status !== 401 || signedInOwner() === undefined) throw refused;
  await signedInAgain().catch(() => {
    throw refused;
  });
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Wish {
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** The revision that what is changed must have. */
  readonly ifRevision?: number | undefined;
}

async function ask(method: Method, address: string, wish: Wish = {}): Promise<unknown> {
  const { body, signal, ifRevision } = wish;
  const headers: Record<string, string> = { accept: 'application/json' };
  if (ifRevision !== undefined) headers['if-match'] = `"${ifRevision}"`;
  if (method !== 'GET') headers[CSRF_HEADER] = '1';
  if (body !== undefined) headers['content-type'] = 'application/json';
  let answer: Response;
  try {
    answer = await fetch(address, {
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
  const text = await answer.text();
  if (!answer.ok) {
    const refused = refusal(answer.status, text, answer.headers.get('retry-after'));
    // Beginning and ending a session is how a person signs in again, or leaves.
    if (method !== 'GET' && address === SESSION) throw refused;
    await sessionAfter(refused);
    return ask(method, address, wish);
  }
  return text === '' ? undefined : JSON.parse(text);
}

/** `path` from the dashboard plane's base, for example `/apps/1/builds`. Each answers `data`. @throws ApiError */
export const api = {
  address: (path: string): string => `${DASHBOARD}${path}`,
  get: <T>(path: string, signal?: AbortSignal) => asData<T>(ask('GET', DASHBOARD + path, { signal })),
  post: <T = unknown>(path: string, body?: unknown) => asData<T>(ask('POST', DASHBOARD + path, { body })),
  put: <T = unknown>(path: string, body?: unknown) => asData<T>(ask('PUT', DASHBOARD + path, { body })),
  /** `ifRevision`: it is refused with BUILD_CHANGED unless the build has that revision. */
  patch: <T = unknown>(path: string, body?: unknown, ifRevision?: number) =>
    asData<T>(ask('PATCH', DASHBOARD + path, { body, ifRevision })),
  delete: <T = unknown>(path: string, ifRevision?: number) =>
    asData<T>(ask('DELETE', DASHBOARD + path, { ifRevision })),
  /** One page of a list, with its `meta`. */
  list: <Item>(path: string, signal?: AbortSignal) => ask('GET', DASHBOARD + path, { signal }) as Promise<List<Item>>,
  /** An address outside the dashboard plane, as it is. */
  at: <T>(method: Method, address: string, body?: unknown) => asData<T>(ask(method, address, { body })),
};

async function asData<T>(answer: Promise<unknown>): Promise<T> {
  return (((await answer) as { data?: unknown } | undefined)?.data ?? undefined) as T;
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

/** Of what is defined, as a query string with its question mark. */
export function query(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

/** How much of an upload is on its way. */
export interface Sent {
  readonly bytes: number;
  /** Of the whole request; 0 before its first bytes are sent. */
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
    request.onabort = () => reject(new DOMException('The upload was cancelled.', 'AbortError'));
    request.onload = () => {
      if (request.status < 300) resolve((JSON.parse(request.responseText) as { data: T }).data);
      else reject(refusal(request.status, request.responseText, request.getResponseHeader('retry-after')));
    };
    signal?.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}
