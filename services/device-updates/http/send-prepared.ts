import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PreparedAnswer } from '../serving/prepared-answer';
import { corsHeaders } from './cors';

/** Sends the response without Fastify's reply, in one write. */
export function sendPrepared(
  { status, headers, body, bytes }: PreparedAnswer,
  { headers: { origin } }: IncomingMessage,
  response: ServerResponse,
): void {
  const all = origin === undefined ? (headers as string[]) : [...headers, ...corsHeaders(origin)];
  response.writeHead(status, all);
  if (bytes !== undefined) {
    response.end(bytes);
    return;
  }
  const { socket } = response;
  // A pipelined request has no socket before its turn.
  if (socket !== null) {
    // Head and body are one string, because `end` would make Node send them with an empty last part, which costs more.
    response.write(body, 'latin1');
    socket.uncork();
    response.end();
  } else {
    response.end(body, 'latin1');
  }
}
