import type { Context } from './context';
import { Failure, Refusal, UnreachableError, UsageError, type FailureFacts } from './failure';
import type { Columns, Description } from './output';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What to do next, by the code or the status of a refusal. */
export type Advice = Readonly<Record<string | number, string>>;

export interface HttpRequest {
  readonly method?: Method;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array>;
  readonly redirect?: 'manual' | 'follow';
  readonly signal: AbortSignal;
  /** For what this plane alone knows. */
  readonly advice?: Advice;
}

/**
 * Without a window and with redirects as errors, fetch may send a stream once; else it keeps a second
 * copy of it, the whole body, in memory.
 */
const STREAMED = { duplex: 'half', window: null, redirect: 'error' } as const;

/**
 * Sends one request and answers a response whose status says success; streams the body of an
 * AsyncIterable. Nothing is retried.
 * @throws Refusal, UnreachableError, or the signal's reason
 */
export async function send(attempt: string, url: string, request: HttpRequest): Promise<Response> {
  const { method = 'GET', headers = {}, body, redirect = 'manual', signal } = request;
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\x20-\x7e]*$/.test(value))
      throw new UsageError(`The value for ${name} holds characters that no header can carry.`);
  }
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      headers,
      redirect,
      signal,
      ...(body !== undefined && { body }),
      ...(typeof body === 'object' && STREAMED),
    });
  } catch (error) {
    throw unreachable(attempt, url, error, signal);
  }
  if (response.ok) return response;
  throw await refusal(attempt, url, response, request);
}

interface Listed {
  readonly id: number | string;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** Such as `?page=2`; empty without members that are defined. */
export function queryOf(members: Query): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

export interface ApiClient {
  /** Answers the `data` of the reply. `revision`: of the build that the caller has seen; another one is rejected. */
  call<T>(attempt: string, method: Method, path: string, body?: object, revision?: number): Promise<T>;
  /** Calls, and prints the `data` of the reply. */
  show<T>(attempt: string, method: Method, path: string, description: Description<T>, body?: object): Promise<void>;
  /** Streams exactly `length` bytes. */
  upload<T>(attempt: string, path: string, form: MultipartBody): Promise<T>;
  /** Answers the response itself, its body not read yet. */
  download(attempt: string, path: string): Promise<Response>;
  /** Reads every page. An item that moves to a later page meanwhile is listed once. */
  list<T extends Listed>(attempt: string, path: string, query?: Query): Promise<T[]>;
  /** Prints what `list` reads. */
  table<T extends Listed>(attempt: string, path: string, columns: Columns<T>, query?: Query): Promise<void>;
}

export interface MultipartBody {
  readonly contentType: string;
  readonly length: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** `base` is the plane's address without a trailing slash; `credential` goes into the Authorization header. */
export function createApiClient(options: {
  readonly base: string;
  readonly credential: string;
  readonly context: Context;
  readonly advice: Advice;
}): ApiClient {
  const { base, advice, context } = options;
  const { output } = context;
  const { signal } = context.terminal;
  const identity = { accept: 'application/json', authorization: `Bearer ${options.credential}` };

  const client: ApiClient = {
    async call<T>(attempt: string, method: Method, path: string, body?: object, revision?: number) {
      const url = base + path;
      const headers = { ...identity, ...(revision !== undefined && { 'if-match': `"${revision}"` }) };
      const json = body && { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const response = await send(attempt, url, { method, headers, signal, advice, ...json });
      return (await readJson<{ data: T }>(attempt, url, response, signal)).data;
    },

    async show<T>(attempt: string, method: Method, path: string, description: Description<T>, body?: object) {
      output.result(await client.call<T>(attempt, method, path, body), description);
    },

    async upload<T>(attempt: string, path: string, { contentType, length, chunks }: MultipartBody) {
      const url = base + path;
      const headers = { ...identity, 'content-type': contentType, 'content-length': String(length) };
      const response = await send(attempt, url, { method: 'POST', headers, body: chunks, signal, advice });
      return (await readJson<{ data: T }>(attempt, url, response, signal)).data;
    },

    download(attempt: string, path: string) {
      return send(attempt, base + path, { headers: { ...identity, accept: '*/*' }, signal, advice });
    },

    async list<T extends Listed>(attempt: string, path: string, query: Query = {}) {
      const items = new Map<number | string, T>();
      for (let page = 1, last = 1; page <= last; page += 1) {
        const url = `${base}${path}${queryOf({ page, per_page: 50, ...query })}`;
        const response = await send(attempt, url, { headers: identity, signal, advice });
        const body = await readJson<{ data: T[]; meta: { last_page: number } }>(attempt, url, response, signal);
        for (const item of body.data) items.set(item.id, item);
        last = body.meta.last_page;
      }
      return [...items.values()];
    },

    async table<T extends Listed>(attempt: string, path: string, columns: Columns<T>, query?: Query) {
      await output.list(await client.list<T>(attempt, path, query), columns);
    },
  };
  return client;
}

/** @throws Failure when the body is not JSON or breaks off */
export async function readJson<T>(attempt: string, url: string, response: Response, signal: AbortSignal): Promise<T> {
  let body: string;
  try {
    body = await response.text();
  } catch (error) {
    throw unreachable(attempt, url, error, signal);
  }
  const parsed = parseObject(body);
  if (parsed !== undefined) return parsed as T;
  throw new Failure({
    attempt,
    code: 'NOT_A_SLUICE_ANSWER',
    message: `${originOf(url)} answered ${response.status} with something else than a JSON object.`,
    advice: 'Is the address that of a Sluice server? It is set by --server or SLUICE_SERVER.',
  });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** What of an address can be shown: download addresses carry a signature. */
function originOf(url: string): string {
  return new URL(url).origin;
}

async function refusal(attempt: string, url: string, response: Response, request: HttpRequest): Promise<Failure> {
  const { status } = response;
  const body = parseObject(await response.text().catch(() => ''));
  const retryAfter = /^\d+$/.exec(response.headers.get('retry-after') ?? '')?.[0];
  const seconds = retryAfter === undefined ? undefined : Number(retryAfter);
  const facts = refusalFacts(url, response, body);
  const advice = adviceFor(status, facts, seconds, request.advice);
  const details = { ...facts.details, ...(seconds !== undefined && { retry_after: seconds }) };
  return new Refusal(status, seconds, {
    attempt,
    ...facts,
    ...(Object.keys(details).length > 0 && { details }),
    ...(advice !== undefined && { advice }),
  });
}

function refusalFacts(url: string, response: Response, body: Record<string, unknown> | undefined): FailureFacts {
  const error = body?.error as { code?: unknown; message?: unknown; details?: Record<string, unknown> } | undefined;
  if (typeof error === 'object' && typeof error.code === 'string') {
    return { code: error.code, message: String(error.message), ...(error.details && { details: error.details }) };
  }
  // The envelope of the listings plane.
  if (body?.success === false && typeof body.data === 'object' && body.data !== null) {
    const { code, ...details } = body.data as Record<string, unknown>;
    return {
      code: String(code),
      message: String(body.message),
      ...(Object.keys(details).length > 0 && { details }),
    };
  }
  if (typeof body?.message === 'string' && typeof body.errors === 'object') {
    return { code: 'VALIDATION_FAILED', message: body.message, details: { errors: body.errors } };
  }
  const location = response.headers.get('location');
  const message =
    location === null
      ? `${originOf(url)} answered ${response.status} without saying why.`
      : `${originOf(url)} sends us on to ${location}. Requests with a credential are not sent on.`;
  return { code: `HTTP_${response.status}`, message };
}

function adviceFor(
  status: number,
  { code, details }: FailureFacts,
  retryAfterSeconds: number | undefined,
  special: Advice = {},
): string | undefined {
  if (retryAfterSeconds !== undefined) return `Wait ${retryAfterSeconds} s, then run the command again.`;
  const known = special[code] ?? special[status];
  if (known !== undefined) return known;
  const permission = details?.required_permission;
  if (status === 403 && typeof permission === 'string') {
    return `Use a token that has it: sluice token create --name NAME --all-apps --permission ${permission}`;
  }
  if (status === 429 || status === 503) return 'Wait a moment, then run the command again.';
  if (status >= 300 && status < 400) return 'Name the right address with --server or SLUICE_SERVER.';
  return undefined;
}

function unreachable(attempt: string, url: string, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof Failure) return error;
  const { cause } = error as { cause?: unknown };
  if (cause instanceof Failure) return cause;
  const { code, message } = (cause ?? error) as { code?: string; message: string };
  const origin = originOf(url);
  const problems: Readonly<Record<string, string>> = {
    ECONNREFUSED: `Nothing listens at ${origin}.`,
    ENOTFOUND: `The name of ${origin} is not known.`,
    ECONNRESET: `${origin} cut the connection.`,
    EPIPE: `${origin} cut the connection.`,
    UND_ERR_SOCKET: `${origin} cut the connection.`,
    'unexpected redirect': `${origin} sends us on to another address. Uploads are not sent on.`,
  };
  return new UnreachableError({
    attempt,
    code: code ?? 'UNREACHABLE',
    message: problems[code ?? message] ?? `No answer from ${origin}: ${message}`,
    advice: `Is the server running at ${origin}? Another one is named with --server or SLUICE_SERVER.`,
    cause: error,
  });
}
