import { createTransport, SluiceError, type Method, type UploadForm } from '@sluice/client';
import type { Context } from './context';
import { Failure, Refusal, UnreachableError, UsageError, type FailureFacts } from './failure';
import type { Columns, Description } from './output';

/** What to do next, by the code or the status of a refusal. */
export type Advice = Readonly<Record<string | number, string>>;

export interface HttpRequest {
  readonly method?: Method;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | UploadForm;
  readonly redirect?: 'manual' | 'follow';
  readonly signal: AbortSignal;
  /** For advice that only this API needs. */
  readonly advice?: Advice;
}

/** Nothing is retried: a command reports what happened. */
const transport = createTransport({ base: '' });

/**
 * Sends one request and returns a response whose status is a success, its body not read yet.
 * @throws Refusal, UnreachableError, UsageError, or the signal's reason
 */
export function send(attempt: string, url: string, request: HttpRequest): Promise<Response> {
  return explained(attempt, url, request, () => transport.send(request.method ?? 'GET', url, request));
}

/** As `send`, and returns the body. @throws Failure also for a body that is not a JSON object */
export async function sendJson<T>(attempt: string, url: string, request: HttpRequest): Promise<T> {
  return (await explained(attempt, url, request, () => transport.json(request.method ?? 'GET', url, request))) as T;
}

async function explained<T>(attempt: string, url: string, request: HttpRequest, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    // Of a header, which an option or a variable holds.
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error instanceof SluiceError ? failureOf(attempt, url, error, request.advice) : error;
  }
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
  upload<T>(attempt: string, path: string, form: UploadForm): Promise<T>;
  /** Answers the response itself, its body not read yet. */
  download(attempt: string, path: string): Promise<Response>;
  /** Reads every page. An item that moves to a later page meanwhile is listed once. */
  list<T extends Listed>(attempt: string, path: string, query?: Query): Promise<T[]>;
  /** Prints what `list` reads. */
  table<T extends Listed>(attempt: string, path: string, columns: Columns<T>, query?: Query): Promise<void>;
}

/** `base` is the address of the API without a trailing slash; `credential` goes into the Authorization header. */
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
      const headers = { ...identity, ...(revision !== undefined && { 'if-match': `"${revision}"` }) };
      const json = body && { body: JSON.stringify(body) };
      return (await sendJson<{ data: T }>(attempt, base + path, { method, headers, signal, advice, ...json })).data;
    },

    async show<T>(attempt: string, method: Method, path: string, description: Description<T>, body?: object) {
      output.result(await client.call<T>(attempt, method, path, body), description);
    },

    async upload<T>(attempt: string, path: string, body: UploadForm) {
      const request = { method: 'POST', headers: identity, body, signal, advice } as const;
      return (await sendJson<{ data: T }>(attempt, base + path, request)).data;
    },

    download(attempt: string, path: string) {
      return send(attempt, base + path, { headers: { ...identity, accept: '*/*' }, signal, advice });
    },

    async list<T extends Listed>(attempt: string, path: string, query: Query = {}) {
      const items = new Map<number | string, T>();
      for (let page = 1, last = 1; page <= last; page += 1) {
        const url = `${base}${path}${queryOf({ page, per_page: 50, ...query })}`;
        const request = { headers: identity, signal, advice };
        const body = await sendJson<{ data: T[]; meta: { last_page: number } }>(attempt, url, request);
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

/** What of an address can be shown: download addresses carry a signature. */
function originOf(url: string): string {
  return new URL(url).origin;
}

function failureOf(attempt: string, url: string, error: SluiceError, special: Advice | undefined): Failure {
  const { status, code, message, retryAfter } = error;
  if (code === 'FILE_CHANGED') return new Failure({ attempt, code, message });
  if (status === 0) return unreachable(attempt, url, error);
  if (code === 'UNEXPECTED_RESPONSE') {
    return new Failure({
      attempt,
      code: 'NOT_A_SLUICE_ANSWER',
      message,
      advice: 'Is the address that of a Sluice server? It is set by --server or SLUICE_SERVER.',
    });
  }
  const details = {
    ...error.details,
    ...(code === 'VALIDATION_FAILED' && { errors: error.fields }),
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
  };
  const facts: FailureFacts = {
    ...{ attempt, code: code === 'REDIRECTED' ? `HTTP_${status}` : code, message },
    ...(Object.keys(details).length > 0 && { details }),
  };
  const advice = adviceFor(status, facts, retryAfter, special);
  return new Refusal(status, retryAfter, { ...facts, ...(advice !== undefined && { advice }) });
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

function unreachable(attempt: string, url: string, error: SluiceError): UnreachableError {
  const thrown = error.cause as Error;
  const { code, message } = (thrown.cause ?? thrown) as { code?: string; message: string };
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
    cause: thrown,
  });
}
