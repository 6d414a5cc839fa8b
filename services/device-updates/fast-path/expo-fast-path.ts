import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorReply } from '@sluice/http';
import { type ExpoCheck, expoRefusal } from '../compat/expo-check';
import { EXPO_BASE } from '../http/compat-planes';
import { sendPrepared } from '../http/send-prepared';
import { prepareAnswer } from '../serving/prepared-answer';

const CHECK = new RegExp(`^${EXPO_BASE}/([\\w-]+)$`);

export interface ExpoFastPathOptions {
  /** The checks that every request of the plane passes first. @throws DomainError */
  readonly admit: (request: IncomingMessage) => void;
  readonly check: ExpoCheck;
  readonly refuse: (error: unknown, request: IncomingMessage) => ErrorReply;
}

/** Answers requests for manifests by Expo's clients without Fastify, as checkFastPath does with update checks. */
export function expoFastPath({ admit, check, refuse }: ExpoFastPathOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method !== 'GET') return false;
    const [, segment] = CHECK.exec(request.url ?? '') ?? [];
    if (segment === undefined) return false;
    const refused = (error: unknown): void => {
      const { status, body, headers } = expoRefusal(refuse(error, request));
      sendPrepared(prepareAnswer(status, body, headers), request, response);
    };
    try {
      admit(request);
      const answer = check(request, segment);
      if (!(answer instanceof Promise)) sendPrepared(answer, request, response);
      else void answer.then((made) => sendPrepared(made, request, response)).catch(refused);
    } catch (error) {
      refused(error);
    }
    return true;
  };
}
