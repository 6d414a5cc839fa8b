import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/**
 * Waits until a response to a pipelined request has the connection to itself: what it holds from then on
 * is released with the connection's end.
 * @returns whether the client can still be answered
 */
export async function turnOf(response: ServerResponse): Promise<boolean> {
  if (response.socket === null && !response.destroyed) await once(response, 'socket');
  return !response.destroyed && response.socket?.destroyed === false;
}
