import type { IncomingMessage, ServerResponse } from 'node:http';
import { channelSchema, type Channel } from '@sluice/contracts';
import type { ErrorReply } from '@sluice/http';
import { prepareAnswer, type PreparedAnswer } from '../serving/prepared-answer';
import { corsHeaders } from '../http/cors';
import type { UpdateCheck } from '../update-check/update-check.route';

const PATH = '/api/v1/updates/check';

/** An update check as devices write it, and the channel that it asks for. */
const CHANNEL_BY_URL: ReadonlyMap<string | undefined, Channel> = new Map([
  [PATH, 'production'],
  ...channelSchema.options.map((channel) => [`${PATH}?channel=${channel}`, channel] as const),
]);

export interface CheckFastPathOptions {
  /** What every request of the plane meets first. @throws DomainError */
  readonly admit: (request: IncomingMessage) => void;
  readonly check: UpdateCheck;
  readonly refuse: (error: unknown, request: IncomingMessage) => ErrorReply;
}

/**
 * Answers an update check that is spelled as usual: Fastify's router, request, reply and hooks take
 * longer than the check does. Answers false, and has done nothing, when a request is the router's.
 */
export function checkFastPath({ admit, check, refuse }: CheckFastPathOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const channel = CHANNEL_BY_URL.get(request.url);
    if (channel === undefined || request.method !== 'GET') return false;
    let answer: PreparedAnswer;
    try {
      admit(request);
      answer = check(request.headers, channel);
    } catch (error) {
      const { status, body, headers } = refuse(error, request);
      answer = prepareAnswer(status, body, headers);
    }
    sendPrepared(answer, request, response);
    return true;
  };
}

export function sendPrepared(
  { status, headers, body }: PreparedAnswer,
  { headers: { origin } }: IncomingMessage,
  response: ServerResponse,
): void {
  const all = origin === undefined ? (headers as string[]) : [...headers, ...corsHeaders(origin)];
  response.writeHead(status, all);
  const { socket } = response;
  // A pipelined request waits for its turn without a socket.
  if (socket !== null) {
    // Head and body leave at once in one string; with `end` Node would gather them with an empty last part, which costs more.
    response.write(body, 'latin1');
    socket.uncork();
    response.end();
  } else {
    response.end(body, 'latin1');
  }
}
