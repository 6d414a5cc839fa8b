import { setTimeout as delay } from 'node:timers/promises';
import { errors, fetch, type Response } from 'undici';
import { parseRetryAfter } from '../remotes/remote-fault';
import {
  AddressRefusedError,
  assertAllowedUrl,
  guardedAgent,
  isLoopbackHost,
  type AddressRules,
} from './guarded-agent';
import { SourceError } from './product-source';

const MAX_REPEATS = 4;
const MAX_REDIRECTS = 5;
/** A longer `Retry-After` ends the request; the next run tries again. */
const MAX_WAIT_MS = 60_000;

export interface ShopClientOptions {
  /** Whether the shop may have an address of a private network. */
  readonly allowPrivateAddresses: boolean;
  /** The pause before the first retry of a request to the shop; doubled before each further one. */
  readonly retryBaseMs: number;
  /** The longest time without a byte from the shop. */
  readonly timeoutMs: number;
}

export interface ShopClient {
  /**
   * What `read` makes of the answer to a GET, 2xx or one of `expected`. 5xx, 429, silence and broken
   * connections, also while it is read, are tried again with growing pauses, or as Retry-After says.
   * @throws SourceError; the signal's reason when that ends it
   */
  get<Result>(url: URL, options: GetOptions, read: (response: Response) => Promise<Result>): Promise<Result>;
  /** Waits as before a repeat: twice as long after each, which count from 0, with jitter. Rejects when aborted. */
  pause(repeats: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface GetOptions {
  readonly signal: AbortSignal;
  /** Sent to the shop's own origin alone. */
  readonly authorization?: string;
  readonly accept?: string;
  /** Statuses that have a meaning in addition to success. */
  readonly expected?: readonly number[];
}

/** Sends requests to one shop, which `origin` names, and enforces the rules for addresses. */
export function openShopClient(origin: URL, options: ShopClientOptions): ShopClient {
  const { allowPrivateAddresses, retryBaseMs, timeoutMs } = options;
  const rules: AddressRules = {
    allowPrivateAddresses,
    allowLoopback: isLoopbackHost(origin.hostname),
    setting: 'SOURCE_ALLOW_PRIVATE_ADDRESSES',
  };
  const dispatcher = guardedAgent(rules, timeoutMs);

  async function once(url: URL, { signal, authorization, accept }: GetOptions): Promise<Response> {
    let target = url;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      assertAllowedUrl(target, rules);
      const own = target.origin === origin.origin;
      const response = await fetch(target, {
        ...{ dispatcher, signal, redirect: 'manual' },
        headers: {
          'User-Agent': 'Sluice',
          Accept: accept ?? 'application/json',
          ...(own && authorization !== undefined && { Authorization: authorization }),
        },
      });
      const location = response.headers.get('location');
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
      await response.body?.cancel();
      const next = URL.canParse(location, target.href) ? new URL(location, target.href) : undefined;
      if (next === undefined || (authorization !== undefined && next.origin !== origin.origin)) {
        throw new SourceError(
          'unavailable',
          `${shown(target)} redirects to ${next?.origin ?? 'no address'}. If that is correct, set the shop's address to it.`,
        );
      }
      target = next;
    }
    throw new SourceError('unavailable', `${shown(url)} redirects more than ${MAX_REDIRECTS} times.`);
  }

  const backoffMs = (repeats: number) => retryBaseMs * 2 ** Math.min(repeats, MAX_REPEATS) * (0.75 + Math.random() / 2);

  return {
    pause: (repeats, signal) => delay(backoffMs(repeats), undefined, { signal }),
    async get(url, asked, read) {
      for (let repeats = 0; ; repeats += 1) {
        let fault: SourceError;
        let waitMs = backoffMs(repeats);
        try {
          const response = await once(url, asked);
          if (response.ok || asked.expected?.includes(response.status) === true) return await read(response);
          fault = await refusal(response, url);
          if (response.status !== 429 && response.status < 500) throw fault;
          waitMs = Math.max(waitMs, parseRetryAfter(response.headers.get('retry-after') ?? '') ?? 0);
        } catch (error) {
          asked.signal.throwIfAborted();
          if (error instanceof SourceError) throw error;
          fault = asSourceError(error, url);
          if (fault.fault === 'address_refused') throw fault;
        }
        if (repeats === MAX_REPEATS || waitMs > MAX_WAIT_MS) throw fault;
        await delay(waitMs, undefined, { signal: asked.signal });
      }
    },
    close: () => dispatcher.destroy(),
  };
}

/** An address without what may be secret in it: of a listing's even the path may be. */
export function shown({ origin }: URL): string {
  return origin;
}

/** What went wrong between here and the shop, also while a body was read. */
export function asSourceError(error: unknown, url: URL): SourceError {
  if (error instanceof SourceError) return error;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AddressRefusedError) return new SourceError('address_refused', cause.message);
    if (
      cause instanceof errors.HeadersTimeoutError ||
      cause instanceof errors.BodyTimeoutError ||
      cause instanceof errors.ConnectTimeoutError
    ) {
      return new SourceError('timeout', `${shown(url)} did not answer in time.`, { cause: error });
    }
  }
  const { code } = ((error instanceof Error ? error.cause : undefined) ?? {}) as { readonly code?: unknown };
  const told = typeof code === 'string' ? ` (${code})` : '';
  return new SourceError('unavailable', `${shown(url)} could not be read: the connection failed${told}.`, {
    cause: error,
  });
}

async function refusal(response: Response, url: URL): Promise<SourceError> {
  const { status } = response;
  await response.body?.cancel();
  const told = `${shown(url)} answered ${status}.`;
  if (status === 401 || status === 403) {
    return new SourceError(
      'unauthorized',
      `${told} The shop needs a key that may read products, and the Authorization header must reach it.`,
    );
  }
  return new SourceError('unavailable', status === 404 ? `${told} Is that the shop's address?` : told);
}
