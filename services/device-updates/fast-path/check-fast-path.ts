import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Channel } from '@sluice/contracts';
import { STANDARD_CHANNELS } from '@sluice/kernel';
import type { ErrorReply } from '@sluice/http';
import { sendPrepared } from '../http/send-prepared';
import { prepareAnswer, type PreparedAnswer } from '../serving/prepared-answer';
import type { UpdateCheck } from '../update-check/update-check.route';

const PATH = '/api/v1/updates/check';

/** An update check as clients usually write it, with the channel that it names, if any: an added one is left to the router. */
const CHANNEL_BY_URL: ReadonlyMap<string | undefined, Channel | undefined> = new Map<string, Channel | undefined>([
  [PATH, undefined],
  ...STANDARD_CHANNELS.map((channel) => [`${PATH}?channel=${channel}`, channel] as const),
]);

export interface CheckFastPathOptions {
  /** The checks that every request of the plane passes first. @throws DomainError */
  readonly admit: (request: IncomingMessage) => void;
  readonly check: UpdateCheck;
  readonly refuse: (error: unknown, request: IncomingMessage) => ErrorReply;
}

/**
 * Responds to an update check in its usual spelling, because Fastify's router, request, reply and hooks take
 * longer than the check. Returns false, without any effect, for a request that the router must handle.
 */
export function checkFastPath({ admit, check, refuse }: CheckFastPathOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const channel = CHANNEL_BY_URL.get(request.url);
    if ((channel === undefined && request.url !== PATH) || request.method !== 'GET') return false;
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
