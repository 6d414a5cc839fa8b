import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseRepairedJson, textOfBody, type ErrorReply } from '@sluice/http';
import { capgoRefusal, type CapgoCheck } from '../compat/capgo-check';
import { CAPGO_BASE } from '../http/compat-planes';
import { sendPrepared } from '../http/send-prepared';
import { prepareAnswer } from '../serving/prepared-answer';
import { readBytes, usualLength } from './usual-body';

const CHECK = new RegExp(`^${CAPGO_BASE}/([\\w-]+)/updates$`);

export interface CapgoFastPathOptions {
  /** The checks that every request of the plane passes first. @throws DomainError */
  readonly admit: (request: IncomingMessage) => void;
  readonly check: CapgoCheck;
  readonly refuse: (error: unknown, request: IncomingMessage) => ErrorReply;
}

/** Answers update checks of Capgo's clients without Fastify, as checkFastPath does with those of Sluice's own. */
export function capgoFastPath({ admit, check, refuse }: CapgoFastPathOptions) {
  const refused = (error: unknown, request: IncomingMessage, response: ServerResponse, more = {}): void => {
    const { status, body, headers } = capgoRefusal(refuse(error, request));
    sendPrepared(prepareAnswer(status, body, { ...headers, ...more }), request, response);
  };
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method !== 'POST') return false;
    const [, segment] = CHECK.exec(request.url ?? '') ?? [];
    if (segment === undefined || usualLength(request.headers) === undefined) return false;
    try {
      admit(request);
    } catch (error) {
      refused(error, request, response);
      return true;
    }
    readBytes(request, (bytes) => {
      try {
        const body = bytes.length === 0 ? undefined : parseRepairedJson(textOfBody(bytes));
        sendPrepared(check(request, segment, body), request, response);
      } catch (error) {
        refused(error, request, response);
      }
    });
    return true;
  };
}
