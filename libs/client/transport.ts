import type { Progress, UploadForm } from './multipart.js';
import { randomHex } from './random-hex.js';
import { errorOf, objectOf, SluiceError } from './sluice-error.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface TransportOptions {
  /** In front of every path: the base address of an API. It may be a path in a page of the server itself. */
  readonly base: string;
  /** Sent as `Authorization: Bearer`. */
  readonly credential?: string | undefined;
  /** Of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Decides about requests that are safe to repeat. Without it, nothing is sent again. */
  readonly retry?: Retry | undefined;
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** JSON, or a form. Of a FormData, only a page reports the progress. */
  readonly body?: string | UploadForm | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Makes a request other than a GET safe to repeat, where the server takes an `Idempotency-Key`. */
  readonly idempotencyKey?: string | undefined;
  /** `manual`, by default, makes a redirect an error. */
  readonly redirect?: 'manual' | 'follow' | undefined;
  /** Of a form, in bytes of the request body. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Waits, and returns whether the request is to be sent again. `repeats`: how often it was already. Throws the reason of the
 * signal.
 */
export type Retry = (error: SluiceError, repeats: number, signal: AbortSignal | undefined) => Promise<boolean>;

/**
 * Sends requests to one API. A GET, and a request with an idempotency key, is safe to repeat.
 * All throw SluiceError, the signal's reason, what reading the file of a form threw, or TypeError for a header that no
 * request can carry.
 */
export interface Transport {
  /** Returns a response whose status is a success, its body not read yet. */
  send(method: Method, path: string, options?: SendOptions): Promise<Response>;
  /** Returns the JSON object of the response; undefined for an empty body. */
  json(method: Method, path: string, options?: SendOptions): Promise<unknown>;
}

/** Required for changes with a session: the header that other sites can't send. */
export const SESSION_HEADERS: Readonly<Record<string, string>> = { 'X-Sluice-CSRF': '1' };

/** @throws TypeError for a credential or a header that no request can carry */
export function createTransport({ base, credential, headers = {}, retry }: TransportOptions): Transport {
  const shared = { ...headers, ...(credential !== undefined && { authorization: `Bearer ${credential}` }) };
  headersOf(shared);

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
    const isSafe = method === 'GET' || idempotencyKey !== undefined;
    for (let repeats = 0; ; repeats += 1) {
      try {
        signal?.throwIfAborted();
        const response = await sendOnce(url, request);
        if (!response.ok) throw await errorOf(response, origin, requestId);
        return await read(response, origin, requestId);
      } catch (thrown) {
        const error: unknown = signal?.aborted === true ? signal.reason : toSluiceError(thrown, origin, requestId);
        if (!isSafe || !(error instanceof SluiceError) || (await retry?.(error, repeats, signal)) !== true) throw error;
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

function sendOnce(url: string, request: OneRequest): Promise<Response> {
  const { method, headers, body, signal, redirect = 'manual', onProgress } = request;
  const init = { method, headers, redirect, credentials: 'same-origin', signal: signal ?? null } as const;
  if (body === undefined) return fetch(url, init);
  if (typeof body === 'object' && 'send' in body) return body.send(url, init, onProgress);
  if (body instanceof FormData && 'XMLHttpRequest' in globalThis) return sendForm(url, request, body);
  return fetch(url, { ...init, body });
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
      const received = request.getAllResponseHeaders().matchAll(/^(\S+): (.*)\r$/gm);
      const pairs = Array.from(received, ([, name = '', value = '']): [string, string] => [name, value]);
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
  // What fetch throws without a response.
  if ((thrown as Error | undefined)?.name !== 'TypeError') return thrown;
  const { cause, message } = thrown as { cause?: Error; message: string };
  return new SluiceError({
    ...{ status: 0, code: 'UNREACHABLE', message: `No response from ${origin}: ${cause?.message ?? message}` },
    ...{ requestId, cause: thrown },
  });
}
