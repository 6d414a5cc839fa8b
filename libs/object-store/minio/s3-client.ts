import * as http from 'node:http';
import * as https from 'node:https';
import type { Client } from 'minio';
import type { StoreAddress } from './store-address';

/** With these a store says that it could not do it this time: the same call may be made again. */
const BUSY = new Set([408, 429, 499, 500, 502, 503, 504, 520]);
/** More than an S3 lets a clock differ from its own. */
const MAX_SKEW_MS = 15 * 60_000;

/** The code of an answer that says so. */
export const BUSY_CODE = 'Busy';
export const SKEWED_CODE = 'RequestTimeTooSkewed';

export interface S3Client {
  readonly client: Client;
  /** Ends every connection, those in use too. */
  close(): void;
}

/**
 * The driver on connections of its own. Nothing is sent before the first call. A server that says nothing
 * for `silentMs` while it is waited for ends the call with ETIMEDOUT.
 */
export async function s3Client(address: StoreAddress, silentMs: number): Promise<S3Client> {
  // Loaded by whoever needs it: that takes longer than the rest of a start.
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
    // It would write to the console, and knows nothing of the time that a caller has.
    retryOptions: { disableRetry: true },
  });
  // Over http the driver would hash every part once more, for milliseconds in which nothing else runs.
  client.enableSHA256 = false;
  return { client, close: () => agent.destroy() };
}

/** A server whose reader is slow is not silent: what it sent waits to be read. */
function impatient(request: typeof http.request, silentMs: number): typeof http.request {
  const ask = (options: http.RequestOptions, onResponse: (response: http.IncomingMessage) => void) => {
    let received: http.IncomingMessage | undefined;
    const sent = request({ ...options, timeout: silentMs }, (response) => {
      received = response;
      const fault = faultOf(response);
      if (fault === undefined) onResponse(response);
      else {
        // Left unread, it would keep the connection for ever.
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
 * What the driver has no word for: it tells busy stores apart by a text alone, and takes a refusal of
 * the clock for one of the key where the answer has no body, as that to HEAD.
 */
function faultOf({ statusCode = 0, headers: { date } }: http.IncomingMessage): Error | undefined {
  if (BUSY.has(statusCode)) return withCode(BUSY_CODE, `It answers ${statusCode}`);
  const skew = date === undefined ? 0 : Date.now() - Date.parse(date);
  if (statusCode !== 403 || !(Math.abs(skew) > MAX_SKEW_MS)) return undefined;
  const minutes = Math.round(Math.abs(skew) / 60_000);
  return withCode(
    SKEWED_CODE,
    `This machine's clock is ${minutes} minutes ${skew > 0 ? 'ahead of' : 'behind'} the store's. Let both be set by NTP: an S3 takes 15 minutes at most`,
  );
}

function withCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function silence(silentMs: number): Error {
  return withCode('ETIMEDOUT', `No answer for ${silentMs / 1_000} s.`);
}
