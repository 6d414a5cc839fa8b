import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseRepairedJson, textOfBody, type ErrorReply } from '@sluice/http';
import { sendPrepared } from '../http/send-prepared';
import type { PreparedAnswer } from '../serving/prepared-answer';
import { readBytes, usualLength } from './usual-body';

/** The update checks of one protocol. */
export interface PlaneChecks<Asked> {
  /** Of a POST, the body is JSON. */
  readonly method: 'GET' | 'POST';
  /** The request as parsed; undefined for anything but a check in its usual spelling. */
  readonly read: (url: string) => Asked | undefined;
  /** @throws DomainError, ValidationError */
  readonly check: (request: IncomingMessage, asked: Asked, body: unknown) => PreparedAnswer | Promise<PreparedAnswer>;
  /** A rejection as the clients of the protocol read it. */
  readonly refusal: (reply: ErrorReply) => PreparedAnswer;
}

export interface PlaneFastPathOptions {
  /** The checks that every request of the plane passes first. @throws DomainError */
  readonly admit: (request: IncomingMessage) => void;
  readonly refuse: (error: unknown, request: IncomingMessage) => ErrorReply;
}

/** Answers update checks of other update clients without Fastify, as checkFastPath does with those of Sluice's own. */
export function planeFastPath<Asked>(
  { method, read, check, refusal }: PlaneChecks<Asked>,
  { admit, refuse }: PlaneFastPathOptions,
) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method !== method) return false;
    const asked = read(request.url ?? '');
    if (asked === undefined || (method === 'POST' && usualLength(request.headers) === undefined)) return false;
    const refused = (error: unknown): void => sendPrepared(refusal(refuse(error, request)), request, response);
    const answer = (body: unknown): void => {
      const made = check(request, asked, body);
      if (made instanceof Promise) made.then((each) => sendPrepared(each, request, response)).catch(refused);
      else sendPrepared(made, request, response);
    };
    try {
      admit(request);
      if (method === 'GET') answer(undefined);
    } catch (error) {
      refused(error);
      return true;
    }
    if (method === 'POST') {
      readBytes(request, (bytes) => {
        try {
          answer(bytes.length === 0 ? undefined : parseRepairedJson(textOfBody(bytes)));
        } catch (error) {
          refused(error);
        }
      });
    }
    return true;
  };
}

/** Clients send up to ten members. */
const MAX_MEMBERS = 20;

/** A query as nearly all are; undefined for one with an encoded character, and for one that names a member twice. */
export function plainQuery(text: string): Record<string, string> | undefined {
  if (/[^!-~]|[%+]/.test(text)) return undefined;
  const query: Record<string, string> = {};
  const parts = text.split('&', MAX_MEMBERS + 1);
  if (parts.length > MAX_MEMBERS) return undefined;
  for (const part of parts) {
    if (part === '') continue;
    const end = part.indexOf('=');
    const name = end < 0 ? part : part.slice(0, end);
    if (name === '__proto__' || query[name] !== undefined) return undefined;
    query[name] = end < 0 ? '' : part.slice(end + 1);
  }
  return query;
}
