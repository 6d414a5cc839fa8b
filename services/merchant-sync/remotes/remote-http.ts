import { setTimeout as delay } from 'node:timers/promises';
import { type z } from 'zod';
import type { MerchantSyncSettings } from '../config/merchant-sync.settings';
import { RemoteError, type RemoteAccess, type RemoteOptions } from './remote-catalog';
import { isTransient, remoteFault } from './remote-fault';
import { TokenBucket } from './token-bucket';

export interface RemoteCall {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: { readonly type: string; readonly text: string };
  /** A batch counts as all that it holds. */
  readonly parts?: number;
}

export interface RemoteReply {
  readonly type: string;
  readonly text: string;
  /** In whose name it was answered. */
  readonly token: string;
}

/** A pause that the remote asks for is kept up to this length; a longer one ends the call. */
const LONGEST_PAUSE_MS = 300_000;
const LONGEST_BACKOFF_MS = 64_000;

/** Calls the merchant API: one shared rate limit, an access token for each call, and retries where they may help. */
export class RemoteHttp {
  private readonly bucket = new TokenBucket();

  constructor(private readonly settings: Pick<MerchantSyncSettings, 'remoteRetryBaseMs' | 'remoteTimeoutMs'>) {}

  /** Answers a success alone. @throws RemoteError, or the reason of the signal */
  async call(access: Omit<RemoteAccess, 'accountId'>, call: RemoteCall, options: RemoteOptions): Promise<RemoteReply> {
    let token = await this.token(access, options);
    let refreshed = false;
    for (let attempt = 0; ;) {
      const reply = await this.attempt(token, call, options.signal);
      if (!(reply instanceof RemoteError)) {
        this.bucket.speedUp();
        return reply;
      }
      if (reply.fault === 'reauth_required') {
        if (refreshed) return access.refused();
        refreshed = true;
        token = await this.token(access, options, token);
      } else {
        await this.pause(reply, attempt, options);
        attempt += 1;
      }
    }
  }

  /** Retries while the authorization server is unavailable. @throws RemoteError */
  async token(access: Omit<RemoteAccess, 'accountId'>, options: RemoteOptions, rejected?: string): Promise<string> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await until(options.signal, access.accessToken(rejected));
      } catch (error) {
        if (!(error instanceof RemoteError)) throw error;
        await this.pause(error, attempt, options);
      }
    }
  }

  /** The JSON of a success. @throws RemoteError, unavailable when it is not of this shape */
  async json<Schema extends z.ZodType>(
    access: Omit<RemoteAccess, 'accountId'>,
    call: RemoteCall,
    schema: Schema,
    options: RemoteOptions,
  ): Promise<z.output<Schema>> {
    return readJson((await this.call(access, call, options)).text, schema);
  }

  /** Every page of a list, one after the other. @throws RemoteError, also when the same page is named again */
  async *pages<Page extends { readonly nextPageToken?: string | undefined }>(
    access: Omit<RemoteAccess, 'accountId'>,
    { url, query }: { readonly url: string; readonly query: Readonly<Record<string, string>> },
    schema: z.ZodType<Page>,
    options: RemoteOptions,
  ): AsyncGenerator<Page> {
    for (let token: string | undefined = ''; token !== undefined;) {
      const parameters = new URLSearchParams({ ...query, ...(token !== '' && { pageToken: token }) });
      const call = { method: 'GET', url: `${url}?${parameters.toString()}` } as const;
      const page: Page = await this.json(access, call, schema, options);
      yield page;
      token = tokenAfter(token, page);
    }
  }

  /**
   * Waits before a repeat: as long as the remote said, else twice as long each time, with jitter.
   * @throws the fault itself when no repeat is due
   */
  async pause(fault: RemoteError, attempt: number, { maxRetries, signal }: RemoteOptions): Promise<void> {
    const { retryAfterMs } = fault.detail;
    const refused = !isTransient(fault) || (retryAfterMs ?? 0) > LONGEST_PAUSE_MS;
    if (fault.fault === 'rate_limited') this.bucket.slowDown(Math.min(retryAfterMs ?? 0, LONGEST_PAUSE_MS));
    if (refused || attempt >= maxRetries) throw fault;
    const backoff = Math.min(this.settings.remoteRetryBaseMs * 2 ** attempt, LONGEST_BACKOFF_MS);
    const wait = retryAfterMs ?? backoff * (0.5 + Math.random() / 2);
    await delay(wait, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }

  private async attempt(
    token: string,
    { method, url, body, parts = 1 }: RemoteCall,
    signal: AbortSignal,
  ): Promise<RemoteReply | RemoteError> {
    await this.bucket.take(parts, signal);
    const timeout = AbortSignal.timeout(this.settings.remoteTimeoutMs);
    try {
      const response = await fetch(url, {
        method,
        headers: {
          Accept: 'application/json, multipart/mixed',
          Authorization: `Bearer ${token}`,
          ...(body && { 'Content-Type': body.type }),
        },
        ...(body && { body: body.text }),
        // A redirect would carry the token elsewhere.
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
      });
      const text = await response.text();
      if (response.ok) return { type: response.headers.get('content-type') ?? '', text, token };
      const retryAfter = response.headers.get('retry-after') ?? undefined;
      return remoteFault({ status: response.status, body: text, retryAfter });
    } catch {
      signal.throwIfAborted();
      const { host } = new URL(url);
      return timeout.aborted
        ? new RemoteError('timeout', `${host} did not answer within ${this.settings.remoteTimeoutMs} ms.`)
        : new RemoteError('unavailable', `${host} could not be reached.`);
    }
  }
}

/** Of the page that follows; undefined: none does. @throws RemoteError unavailable when it would be the same page */
function tokenAfter(
  token: string,
  { nextPageToken }: { readonly nextPageToken?: string | undefined },
): string | undefined {
  if (nextPageToken === undefined || nextPageToken === '') return undefined;
  if (nextPageToken !== token) return nextPageToken;
  throw new RemoteError('unavailable', 'Google returns the same page of its listing repeatedly.');
}

/** Settles as the work does, or throws the signal's reason as soon as that is aborted. */
function until<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason as Error);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** @throws RemoteError unavailable when it is not of this shape */
export function readJson<Schema extends z.ZodType>(text: string, schema: Schema): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new RemoteError('unavailable', 'The response of Google does not have the format of its interface.');
  }
}
