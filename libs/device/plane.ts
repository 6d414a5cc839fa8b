import { messageOf, UpdateError } from './errors.js';
import type { ChosenChannel, Report } from './state.js';
import { concat } from './storage.js';
import type { DevicePlatform } from './verifier.js';

/** Who the app says it is, for API keys that are restricted to certain apps. */
export interface AppIdentity {
  readonly androidPackage?: string;
  /** Fingerprints of the certificate that signed the app, in hex. */
  readonly androidCertSha256?: string;
  readonly androidCertSha1?: string;
  readonly iosBundleId?: string;
  readonly iosTeamId?: string;
}

export interface PlaneOptions {
  /** The address of the server, its `PUBLIC_URL`: `https://updates.example.com`. */
  readonly server: string;
  /** An API key of the app: `svc_app_…`. */
  readonly apiKey: string;
  readonly platform: DevicePlatform;
  /** Default: `production`. */
  readonly channel?: string;
  /** The version of the native app, which the server compares with what a build requires. */
  readonly nativeVersion?: string;
  /** Of the native app, as builds name it: 1 to 128 printable ASCII characters without spaces. */
  readonly fingerprint?: string;
  /** Values of the attributes that the app declares, for the audiences of builds: ASCII text. Each update check reads them again. */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly identity?: AppIdentity;
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Time and chance, which tests replace. */
export interface Surroundings {
  now(): Date;
  /** Resolves after so many milliseconds, or earlier if the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
  /** A request that makes no progress for so many milliseconds has failed. */
  readonly stallMs: number;
}

export const REAL_SURROUNDINGS: Surroundings = {
  now: () => new Date(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end);
      if (signal?.aborted === true) end();
    }),
  random: Math.random,
  stallMs: 60_000,
};

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 1_000;
/** A server that asks for a longer pause gets it, but no call waits for so long. */
const LONGEST_PAUSE_MS = 60_000;

/** Takes the bytes of a download. */
interface Receiver {
  readonly receive: (bytes: Uint8Array) => Promise<void>;
  /** Before bytes that do not continue those that are stored. */
  readonly restart: () => Promise<void>;
}

/** The requests of a device. Every method rejects with an UpdateError. */
export class Plane {
  /** No request is sent before this time, in milliseconds since 1970: the server asked for a pause. */
  private notBefore = 0;

  constructor(
    private readonly options: PlaneOptions,
    private readonly around: Surroundings,
  ) {}

  /** The JSON of an update check's response. */
  check(deviceId: string, currentVersion: string, embeddedVersion: string, signal?: AbortSignal): Promise<unknown> {
    const { channel: name = 'production', fingerprint } = this.options;
    const channel = encodeURIComponent(name);
    return this.retry(signal, () => {
      const attributes = Object.entries(this.options.attributes ?? {});
      const headers = {
        ...{ 'X-Current-Version': currentVersion, 'X-Embedded-Version': embeddedVersion },
        ...(fingerprint !== undefined && { 'X-Native-Fingerprint': fingerprint }),
        ...Object.fromEntries(attributes.map(([name, value]) => [`X-Attr-${name}`, value])),
      };
      return this.call(`updates/check?channel=${channel}`, deviceId, { headers }, signal);
    });
  }

  /** Stores, reads or deletes the device's choice of a channel. Resolves with what it is then. */
  choice(
    deviceId: string,
    how: 'GET' | 'DELETE' | { readonly channel: string },
    signal?: AbortSignal,
  ): Promise<ChosenChannel | undefined> {
    const init = typeof how === 'string' ? { method: how } : posted(how);
    return this.retry(signal, async () => {
      const body = await this.call('channel', deviceId, init, signal);
      const { channel, expiresAt } = (body ?? {}) as { readonly channel?: unknown; readonly expiresAt?: unknown };
      return typeof channel === 'string' ? { channel, expiresAt: Date.parse(String(expiresAt)) } : undefined;
    });
  }

  /** Resolves once the server has stored the report. */
  report(deviceId: string, report: Report, signal?: AbortSignal): Promise<void> {
    const { kind } = report;
    let init: RequestInit;
    if (kind === 'mau') init = { method: 'POST', headers: { 'X-Bundle-Version': report.version } };
    else {
      const { bundleId, status, error, previousVersion } = report;
      init = posted({ bundle_id: bundleId, status, error, previous_version: previousVersion });
    }
    return this.retry(signal, async () => {
      await this.call(`analytics/${kind}`, deviceId, init, signal);
    });
  }

  /**
   * Downloads from the byte `from`. `receive` gets the bytes in order, after `restart` if the server sends them from the
   * first byte. One attempt: rejects when the connection breaks.
   */
  async download(url: string, from: number, { receive, restart }: Receiver, signal?: AbortSignal): Promise<void> {
    const exchange = await this.send(url, { headers: from > 0 ? { Range: `bytes=${from}-` } : {} }, signal);
    const { status, headers } = exchange.response;
    try {
      // Browsers hide Content-Range if the object store does not expose it. The checksum decides in any case.
      const start = Number(/^bytes (\d+)-/.exec(headers.get('Content-Range') ?? '')?.[1] ?? from);
      if (from > 0 && (status !== 206 || start !== from)) await restart();
      if (status === 206 && start !== from) throw new UpdateError('unreachable', 'The server sent another range.');
      for (let bytes = await exchange.read(); bytes !== undefined; bytes = await exchange.read()) await receive(bytes);
    } finally {
      exchange.end();
    }
  }

  /** Repeats what may succeed later, with growing pauses. A call of `progress` starts counting again. */
  async retry<T>(signal: AbortSignal | undefined, attempt: (progress: () => void) => Promise<T>): Promise<T> {
    let failures = 0;
    for (;;) {
      await this.waitForServer(signal);
      try {
        return await attempt(() => (failures = 0));
      } catch (error) {
        if (!(error instanceof UpdateError) || !error.isTransient) throw error;
        const { retryAfterMs = 0 } = error;
        this.notBefore = Math.max(this.notBefore, this.around.now().getTime() + retryAfterMs);
        failures += 1;
        if (failures >= ATTEMPTS || retryAfterMs > LONGEST_PAUSE_MS) throw error;
        await this.around.sleep(FIRST_PAUSE_MS * 2 ** (failures - 1) * (0.5 + this.around.random()), signal);
      }
    }
  }

  private async waitForServer(signal: AbortSignal | undefined): Promise<void> {
    const ms = this.notBefore - this.around.now().getTime();
    if (ms > LONGEST_PAUSE_MS) {
      const message = `The server asked for no request during the next ${Math.ceil(ms / 1_000)} s.`;
      throw new UpdateError('unavailable', message, { retryAfterMs: ms });
    }
    if (ms > 0) await this.around.sleep(ms, signal);
    throwIfAborted(signal);
  }

  /** The JSON of the response. */
  private async call(
    path: string,
    deviceId: string,
    init: RequestInit,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const { server, apiKey, platform, nativeVersion, identity = {} } = this.options;
    const headers = new Headers(init.headers);
    const all: Record<string, string | undefined> = {
      'X-API-Key': apiKey,
      'X-Device-ID': deviceId,
      'X-Platform': platform,
      'X-App-Version': nativeVersion,
    };
    // `androidCertSha1` is sent as X-Android-Cert-Sha1.
    for (const [name, value] of Object.entries<string | undefined>(identity as Record<string, string>))
      all[`X-${name.replace(/[A-Z]/g, '-$&')}`] = value;
    for (const [name, value] of Object.entries(all)) if (value !== undefined) headers.set(name, value);
    const exchange = await this.send(`${server}/api/v1/${path}`, { ...init, headers }, signal);
    try {
      return JSON.parse(await textOf(exchange)) as unknown;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      // A page of a proxy or of a network's sign-in, usually.
      throw new UpdateError('unavailable', 'The response is not JSON.', { status: exchange.response.status });
    }
  }

  /** Sends a request and takes the response, unless it is an error. */
  private async send(url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Exchange> {
    const { fetch = globalThis.fetch } = this.options;
    const abort = new AbortController();
    const guarded = <T>(step: () => Promise<T>) => this.guard(step, abort, signal);
    const request = { ...init, cache: 'no-store' as const, signal: abort.signal };
    const response = await guarded(() => fetch(url, request));
    const reader = response.body?.getReader();
    const exchange: Exchange = {
      response,
      read: async () => reader && (await guarded(() => reader.read())).value,
      end: () => abort.abort(),
    };
    if (response.ok) return exchange;
    throw await this.rejection(exchange);
  }

  /** Fails when the step takes too long or the caller aborts, whether or not `fetch` supports signals. */
  private async guard<T>(step: () => Promise<T>, abort: AbortController, signal: AbortSignal | undefined): Promise<T> {
    throwIfAborted(signal);
    const { stallMs } = this.around;
    let stop = () => {};
    const stopped = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => reject(new Error(`no data for ${stallMs / 1_000} s`)), stallMs);
      const aborted = () => reject(new Error('aborted'));
      signal?.addEventListener('abort', aborted, { once: true });
      stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
      };
    });
    try {
      return await Promise.race([step(), stopped]);
    } catch (error) {
      abort.abort();
      throwIfAborted(signal);
      // A download URL is a credential, and stays out of the message.
      throw new UpdateError('unreachable', `The connection failed: ${messageOf(error)}.`, { cause: error });
    } finally {
      stop();
    }
  }

  private async rejection(exchange: Exchange): Promise<UpdateError> {
    const { status, headers } = exchange.response;
    const { code, message } = serverFault(await textOf(exchange).catch(() => ''));
    const facts = { status, ...(code !== undefined && { serverCode: code }) };
    const text = `The server responded with ${status}${message}`;
    if (status < 500 && status !== 408 && status !== 429) return new UpdateError('rejected', text, facts);
    const retryAfterMs = this.retryAfterMs(headers.get('Retry-After'));
    return new UpdateError('unavailable', text, { ...facts, ...(retryAfterMs !== undefined && { retryAfterMs }) });
  }

  /** Of a number of seconds or a date. */
  private retryAfterMs(header: string | null): number | undefined {
    if (header === null) return undefined;
    const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - this.around.now().getTime();
    return ms > 0 ? ms : undefined;
  }
}

/** A request whose response has begun. */
interface Exchange {
  readonly response: Response;
  /** The next bytes of the body; undefined at its end. */
  read(): Promise<Uint8Array | undefined>;
  /** Closes the connection if the body has not ended. */
  end(): void;
}

async function textOf(exchange: Exchange): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let bytes = await exchange.read(); bytes !== undefined; bytes = await exchange.read()) parts.push(bytes);
  return new TextDecoder().decode(concat(parts));
}

/** What the body of an error states, in either of the two forms of the API. */
function serverFault(text: string): { readonly code?: string; readonly message: string } {
  try {
    const body = JSON.parse(text) as { error?: { code?: unknown; message?: unknown }; message?: unknown };
    const { code, message = body.message } = body.error ?? {};
    const known = [code, message].filter((part) => typeof part === 'string');
    return { ...(typeof code === 'string' && { code }), message: known.length > 0 ? `: ${known.join(': ')}` : '.' };
  } catch {
    return { message: '.' };
  }
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new UpdateError('aborted', 'The call was aborted.', { cause: signal.reason });
}

function posted(body: object): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}
