import * as http from 'node:http';
import * as https from 'node:https';
import type { Client } from 'minio';
import type { StoreAddress } from './store-address';

/** Of an answer with one of these the driver leaves the body unread, which would keep the connection for ever. */
const UNREAD = new Set([408, 429, 499, 500, 502, 503, 504, 520]);

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
  const { host, port, tls, accessKey, secretKey, region } = address;
  const agent = tls ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true });
  const client = new Client({
    endPoint: host,
    ...(port !== undefined && { port }),
    useSSL: tls,
    ...{ accessKey, secretKey, region },
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
      if (UNREAD.has(response.statusCode ?? 0)) response.resume();
      onResponse(response);
    });
    sent.on('timeout', () => {
      if (received !== undefined && received.readableLength > 0) sent.setTimeout(silentMs);
      else (received ?? sent).destroy(silence(silentMs));
    });
    return sent;
  };
  return ask as typeof http.request;
}

function silence(silentMs: number): Error {
  return Object.assign(new Error(`No answer for ${silentMs / 1_000} s.`), { code: 'ETIMEDOUT' });
}
