import * as http from 'node:http';
import * as https from 'node:https';
import type { Client } from 'minio';
import type { StoreAddress } from './store-address';

/** Statuses of a temporary failure: the same call may be retried. */
const BUSY = new Set([408, 429, 499, 500, 502, 503, 504, 520]);
/** The largest clock difference that S3 accepts. */
const MAX_SKEW_MS = 15 * 60_000;

/** The error code for such a status. */
export const BUSY_CODE = 'Busy';
export const SKEWED_CODE = 'RequestTimeTooSkewed';

export interface S3Client {
  readonly client: Client;
  /** Closes every connection, also those in use. */
  close(): void;
}

/**
 * Creates the driver with a connection pool of its own. Sends nothing before the first call. A call fails with
 * ETIMEDOUT when the server sends nothing for `silentMs`.
 */
export async function s3Client(address: StoreAddress, silentMs: number): Promise<S3Client> {
  // Loaded only when it is needed, because it takes longer than the rest of a start.
  const { Client } = await import('minio');
  const { host, port, tls, accessKey, secretKey, sessionToken, region } = address;
  const agent = tls ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true });
  const client = new Client({
    endPoint: host,
    ...(port !== undefined && { port }),
    useSSL: tls,
    ...{ accessKey, secretKey, region, ...(sessionToken !== undefined && { sessionToken }) },
    transport: { request: impatient(tls ? https.request : http.request, silentMs) },
    transportAgent: agent,
    // The retries of the driver write to the console and ignore the timeout of the caller.
    retryOptions: { disableRetry: true },
  });
  // Over http the driver would hash every part again and block the event loop for milliseconds.
  client.enableSHA256 = false;
  return { client, close: () => agent.destroy() };
}

/** A server is not silent while its bytes wait for a slow reader. */
function impatient(request: typeof http.request, silentMs: number): typeof http.request {
  const ask = (options: http.RequestOptions, onResponse: (response: http.IncomingMessage) => void) => {
    let received: http.IncomingMessage | undefined;
    const sent = request({ ...options, timeout: silentMs }, (response) => {
      received = response;
      const fault = faultOf(response);
      if (fault === undefined) onResponse(response);
      else {
        // An unread response would occupy the connection permanently.
        response.resume();
        sent.emit('error', fault);
      }
    });
    sent.on('timeout', () => {
      if (received !== undefined && received.readableLength > 0) sent.setTimeout(silentMs);
      else (received ?? sent).destroy(silence(silentMs));
    });
    return sent;
  };
  return ask as typeof http.request;
}

/**
 * Errors that the driver does not distinguish: it recognises a busy store by the message text only, and reports a
 * rejected clock as a rejected key when the response has no body, as to HEAD.
 */
function faultOf({ statusCode = 0, headers: { date } }: http.IncomingMessage): Error | undefined {
  if (BUSY.has(statusCode)) return withCode(BUSY_CODE, `It returned status ${statusCode}`);
  const skew = date === undefined ? 0 : Date.now() - Date.parse(date);
  if (statusCode !== 403 || !(Math.abs(skew) > MAX_SKEW_MS)) return undefined;
  const minutes = Math.round(Math.abs(skew) / 60_000);
  return withCode(
    SKEWED_CODE,
    `This machine's clock is ${minutes} minutes ${skew > 0 ? 'ahead of' : 'behind'} the store's. Synchronise both with NTP: S3 accepts a difference of at most 15 minutes`,
  );
}

function withCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function silence(silentMs: number): Error {
  return withCode('ETIMEDOUT', `No response for ${silentMs / 1_000} s.`);
}
