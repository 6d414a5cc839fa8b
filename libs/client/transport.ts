import type { MultipartBody } from './multipart.js';
import { randomHex } from './random-hex.js';
import { errorOf, objectOf, SluiceError } from './sluice-error.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface TransportOptions {
  /** In front of every path: the address of a plane. It may be a path in a page of the server itself. */
  readonly base: string;
  /** Sent as `Authorization: Bearer`. */
  readonly credential?: string | undefined;
  /** Of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How often a request that is safe to repeat is sent again. 4 by default, with pauses from half a second to 4 s. */
  readonly retries?: number | undefined;
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** JSON, or a form. Of a FormData, only a page reports the progress. */
  readonly body?: string | FormData | MultipartBody | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Makes a request other than a GET safe to repeat, where the server takes an `Idempotency-Key`. */
  readonly idempotencyKey?: string | undefined;
  /** `manual`, by default, makes a redirect an error. */
  readonly redirect?: 'manual' | 'follow' | undefined;
  /** Of a form, in bytes of the request body. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Progress {
  readonly loaded: number;
  readonly total: number;
}

/**
 * Sends requests to one plane. A GET, and a request with an idempotency key, is sent again after a failure that may pass:
 * no response, 408, 429, 502, 503, 504, or a response with `Retry-After`, which is respected up to a minute.
 * All throw SluiceError, what reading the file of a form threw, the signal's reason, or TypeError for a header that no request can carry.
 */
export interface Transport {
  /** Returns a response whose status is a success, its body not read yet. */
  send(method: Method, path: string, options?: SendOptions): Promise<Response>;
  /** Returns the JSON object of the response; undefined for an empty body. */
  json(method: Method, path: string, options?: SendOptions): Promise<unknown>;
}

const LONGEST_RETRY_AFTER_S = 60;
const SHORTEST_PAUSE_MS = 500;
const PASSING = [408, 429, 502, 503, 504];

/** @throws TypeError for a credential or a base that no request can carry */
export function createTransport({ base, credential, headers = {}, retries = 4 }: TransportOptions): Transport {
  const shared = { ...headers, ...(credential !== undefined && { authorization: `Bearer ${credential}` }) };
  headersOf(shared);
  if (base.includes(':') && !/^https?:\/\/[^/@]+(\/|$)/.test(base)) {
    throw new TypeError('The address of the server must look like https://updates.example.com, without a user name.');
  }

  async function withRetries<T>(
    method: Method,
    path: string,
    options: SendOptions,
    read: (response: Response, origin: string, requestId: string) => Promise<T> | T,
  ): Promise<T> {
    const { idempotencyKey, signal } = options;
    const url = base + path;
    const origin = /^https?:/.test(url) ? new URL(url).origin : 'The server';
    const requestId = randomHex(16);
    const request = {
      ...options,
      method,
      headers: headersOf(
        { accept: 'application/json', traceparent: `00-${requestId}-${randomHex(8)}-00` },
        shared,
        typeof options.body === 'string' ? { 'content-type': 'application/json' } : {},
        idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
        options.headers ?? {},
      ),
    };
    const repeats = method === 'GET' || idempotencyKey !== undefined ? retries : 0;
    for (let repeat = 0; ; repeat += 1) {
      try {
        signal?.throwIfAborted();
        const response = await sendOnce(url, request);
        if (!response.ok) throw await errorOf(response, origin, requestId);
        return await read(response, origin, requestId);
      } catch (thrown) {
        if (thrown instanceof ReadFailure) throw thrown.error;
        const error: unknown = signal?.aborted === true ? signal.reason : toSluiceError(thrown, origin, requestId);
        if (repeat === repeats || !(error instanceof SluiceError) || !mayPass(error)) throw error;
        await pause(Math.max(backOff(repeat), (error.retryAfter ?? 0) * 1_000), signal);
      }
    }
  }

  return {
    send: (method, path, options = {}) => withRetries(method, path, options, (response) => response),
    json: (method, path, options = {}) =>
      withRetries(method, path, options, async (response, origin, requestId) => {
        const text = await response.text();
        if (text === '') return undefined;
        const body = objectOf(text);
        if (body !== undefined) return body;
        const { status } = response;
        const message = `${origin} responded ${status} with something other than a JSON object.`;
        throw new SluiceError({ status, code: 'UNEXPECTED_RESPONSE', message, requestId, response });
      }),
  };
}

/** Later ones replace earlier ones of the same name. @throws TypeError for a value that no header can carry, without it */
function headersOf(...sources: readonly Readonly<Record<string, string>>[]): Headers {
  const headers = new Headers();
  for (const [name, value] of sources.flatMap((source) => Object.entries(source))) {
    // It may be a secret.
    if (!/^[\x20-\x7e]*$/.test(value)) {
      throw new TypeError(`The value for ${name} holds characters that no header can carry.`);
    }
    headers.set(name, value);
  }
  return headers;
}

interface OneRequest extends Omit<SendOptions, 'headers'> {
  readonly method: Method;
  readonly headers: Headers;
}

/**
 * Without a window and with redirects as errors, Node's fetch may send a stream once; otherwise it keeps a second copy of
 * the whole body in memory.
 */
const STREAMED = { duplex: 'half', window: null, redirect: 'error' } as const;

function sendOnce(url: string, request: OneRequest): Promise<Response> {
  const { method, headers, body, signal, redirect = 'manual', onProgress } = request;
  const shared: RequestInit = { method, headers, redirect, credentials: 'same-origin', signal: signal ?? null };
  if (body === undefined || typeof body === 'string')
    return fetch(url, { ...shared, ...(body !== undefined && { body }) });
  const form = body instanceof FormData ? body : (body.asFormData() ?? body);
  if (!(form instanceof FormData)) return sendStream(url, { ...shared, ...STREAMED, headers }, form, onProgress);
  return 'XMLHttpRequest' in globalThis ? sendForm(url, request, form) : fetch(url, { ...shared, body: form });
}

async function sendStream(
  url: string,
  init: RequestInit & { headers: Headers },
  form: MultipartBody,
  onProgress: SendOptions['onProgress'],
) {
  const { contentType, length: total } = form;
  init.headers.set('content-type', contentType);
  init.headers.set('content-length', String(total));
  let failure: ReadFailure | undefined;
  async function* chunks() {
    try {
      yield* form.chunks((loaded) => onProgress?.({ loaded, total }));
    } catch (error) {
      failure = new ReadFailure(error);
      throw error;
    }
  }
  try {
    return await fetch(url, { ...init, body: chunks() as unknown as ReadableStream<Uint8Array<ArrayBuffer>> });
  } catch (error) {
    throw failure ?? error;
  }
}

/** What the file of a form threw when it was read. */
class ReadFailure {
  constructor(readonly error: unknown) {}
}

/** What is used of the browser's XMLHttpRequest, which alone reports the progress of an upload. */
interface FormRequest {
  readonly upload: { onprogress: (progress: Progress) => void };
  readonly status: number;
  readonly responseText: string;
  onload: () => void;
  onerror: () => void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: FormData): void;
  abort(): void;
}

function sendForm(url: string, { method, headers, signal, onProgress }: OneRequest, form: FormData): Promise<Response> {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest: new () => FormRequest };
  const request = new XMLHttpRequest();
  return new Promise<Response>((resolve, reject) => {
    request.open(method, url);
    for (const [name, value] of headers) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress?.({ loaded, total });
    request.onerror = () => reject(new TypeError('The upload failed.'));
    request.onload = () => {
      const { status, responseText } = request;
      const received = request.getAllResponseHeaders().trim().split('\r\n').filter(Boolean);
      const pairs = received.map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      });
      resolve(new Response(responseText === '' ? null : responseText, { status, headers: pairs }));
    };
    signal?.addEventListener('abort', () => {
      request.abort();
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as fetch does
      reject(signal.reason);
    });
    request.send(form);
  });
}

function toSluiceError(thrown: unknown, origin: string, requestId: string): unknown {
  if (thrown instanceof SluiceError) return thrown;
  const { cause } = thrown as { cause?: unknown };
  const { message } = (cause ?? thrown) as Error;
  // Of a stream, which can't be sent a second time.
  if (message === 'unexpected redirect') {
    const text = `${origin} redirects. Requests with a credential are not redirected.`;
    return new SluiceError({ status: 0, code: 'REDIRECTED', message: text, requestId, cause: thrown });
  }
  return new SluiceError({
    ...{ status: 0, code: 'UNREACHABLE', message: `No response from ${origin}: ${message}` },
    ...{ requestId, cause: thrown },
  });
}

function mayPass({ status, code, retryAfter }: SluiceError): boolean {
  if (retryAfter !== undefined) return retryAfter <= LONGEST_RETRY_AFTER_S;
  return PASSING.includes(status) || code === 'UNREACHABLE' || code === 'IDEMPOTENCY_IN_PROGRESS';
}

/** Twice as long after each repeat, and a random part of it, so that clients do not come back together. */
const backOff = (repeat: number): number => SHORTEST_PAUSE_MS * 2 ** repeat * (1 - Math.random() / 2);

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
