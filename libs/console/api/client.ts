import { createTransport, SESSION_HEADERS, SluiceError, type Method, type SendOptions } from '../../client/index';
import * as texts from '../texts/requests';
import { signedInAgain, signedInOwner } from './ended-session';

/** The base of the dashboard plane. */
const DASHBOARD = '/api/dashboard/v1';
const SESSION = `${DASHBOARD}/session`;

/** Nothing is retried: a screen shows what happened, and queries are repeated by their cache. */
const transport = createTransport({ base: '', headers: SESSION_HEADERS });

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
export class ApiError extends SluiceError {
  /** The same error with other texts. */
  withTexts(changes: Partial<Pick<ApiError, 'message' | 'fields'>>): ApiError {
    const { status, code, message, fields, details, retryAfter } = this;
    return new ApiError({ ...{ status, code, message, fields, details, retryAfter }, ...changes });
  }
}

/** Whether the error has messages for fields, which a form shows at the fields. */
export function hasFieldErrors(error: unknown): boolean {
  return error instanceof ApiError && Object.keys(error.fields).length > 0;
}

/** With the texts of the console where the server has none, or one for scripts. */
function withConsoleTexts(error: SluiceError): ApiError {
  const apiError = new ApiError(error);
  if (error.code === 'UNREACHABLE') return apiError.withTexts({ message: texts.unreachable });
  if (error.status === 412) return apiError.withTexts({ message: texts.changedElsewhere });
  return error.code.startsWith('HTTP_')
    ? apiError.withTexts({ message: texts.unexpectedStatus(error.status) })
    : apiError;
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

/** Sends a request again once the person has signed in again. @throws ApiError, or the reason of an aborted signal */
async function inSession<T>(method: Method, address: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (thrown) {
    if (!(thrown instanceof SluiceError)) throw thrown;
    const error = withConsoleTexts(thrown);
    // These requests start and end sessions, so they can't wait for another session.
    if (method !== 'GET' && address === SESSION) throw error;
    await sessionAfter(error);
    return inSession(method, address, send);
  }
}

interface RequestOptions {
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** The revision that what is changed must have. */
  readonly ifRevision?: number | undefined;
}

const ifMatch = (revision: number | undefined): Readonly<Record<string, string>> =>
  revision === undefined ? {} : { 'if-match': `"${revision}"` };

function request(method: Method, address: string, options: RequestOptions = {}): Promise<unknown> {
  const { body, signal, ifRevision } = options;
  const sent: SendOptions = {
    signal,
    headers: ifMatch(ifRevision),
    body: body === undefined ? undefined : JSON.stringify(body),
  };
  return inSession(method, address, () => transport.json(method, address, sent));
}

/** `path` from the dashboard plane's base, for example `/apps/1/builds`. Each resolves to `data`. @throws ApiError */
export const api = {
  address: (path: string): string => `${DASHBOARD}${path}`,
  get: <T>(path: string, signal?: AbortSignal) => asData<T>(request('GET', DASHBOARD + path, { signal })),
  /** `ifRevision`: rejected with the status 412 unless what is changed has that revision. */
  post: <T = unknown>(path: string, body?: unknown, ifRevision?: number) =>
    asData<T>(request('POST', DASHBOARD + path, { body, ifRevision })),
  put: <T = unknown>(path: string, body?: unknown, ifRevision?: number) =>
    asData<T>(request('PUT', DASHBOARD + path, { body, ifRevision })),
  patch: <T = unknown>(path: string, body?: unknown, ifRevision?: number) =>
    asData<T>(request('PATCH', DASHBOARD + path, { body, ifRevision })),
  delete: <T = unknown>(path: string, ifRevision?: number) =>
    asData<T>(request('DELETE', DASHBOARD + path, { ifRevision })),
  /** One page of a list, with its `meta`. */
  list: <Item>(path: string, signal?: AbortSignal) =>
    request('GET', DASHBOARD + path, { signal }) as Promise<List<Item>>,
  /** An address outside the dashboard plane, as it is. */
  at: <T>(method: Method, address: string, body?: unknown) => asData<T>(request(method, address, { body })),
  /** The response with a file, at an address outside the dashboard plane. */
  file: (address: string): Promise<Response> =>
    inSession('GET', address, () => transport.send('GET', address, { headers: { accept: '*/*' } })),
};

async function asData<T>(response: Promise<unknown>): Promise<T> {
  return (((await response) as { data?: unknown } | undefined)?.data ?? undefined) as T;
}

/** The largest page that the server returns. */
export const PER_PAGE = 50;

/** All pages of a list that is short enough to be shown whole. @throws ApiError */
export async function listAll<Item>(path: string, signal?: AbortSignal, most = Infinity): Promise<Item[]> {
  const pageOf = (page: number): Promise<List<Item>> =>
    api.list<Item>(`${path}${query({ page, per_page: PER_PAGE })}`, signal);
  const first = await pageOf(1);
  const last = Math.min(first.meta.last_page, Math.ceil(most / PER_PAGE));
  const others = Array.from({ length: last - 1 }, (_, index) => pageOf(index + 2));
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
export function upload<T>(
  path: string,
  form: FormData,
  options: Pick<RequestOptions, 'signal' | 'ifRevision'> & { readonly progress?: (sent: Sent) => void } = {},
): Promise<T> {
  const { progress, signal, ifRevision } = options;
  const sent: SendOptions = {
    ...{ body: form, signal, headers: ifMatch(ifRevision) },
    onProgress: ({ loaded, total }) => progress?.({ bytes: loaded, of: total }),
  };
  const address = DASHBOARD + path;
  return asData<T>(inSession('POST', address, () => transport.json('POST', address, sent)));
}
