import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import type { ErrorReply } from '@sluice/http';
import { type CodePushCheck, codePushRefusal } from '../compat/codepush-check';
import { checkPath } from '../compat/codepush.routes';
import { CODEPUSH_BASE } from '../http/compat-planes';
import { sendPrepared } from '../http/send-prepared';

const PREFIX = `${CODEPUSH_BASE}${checkPath('snake')}?`;
/** Clients send six members. */
const MAX_MEMBERS = 20;

export interface CodePushFastPathOptions {
  /** The checks that every request of the plane passes first. @throws DomainError */
  readonly admit: (request: IncomingMessage) => void;
  readonly check: CodePushCheck;
  readonly refuse: (error: unknown, request: IncomingMessage) => ErrorReply;
}

/** Answers update checks of CodePush's clients without Fastify, as checkFastPath does with those of Sluice's own. */
export function codePushFastPath({ admit, check, refuse }: CodePushFastPathOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { method, url = '' } = request;
    if (method !== 'GET' || !url.startsWith(PREFIX)) return false;
    const refused = (error: unknown): void => sendPrepared(codePushRefusal(refuse(error, request)), request, response);
    try {
      admit(request);
      const query = plainQuery(url) ?? parse(url.slice(PREFIX.length), '&', '=', { maxKeys: MAX_MEMBERS });
      const answer = check(request, query, 'snake');
      if (answer instanceof Promise) answer.then((made) => sendPrepared(made, request, response)).catch(refused);
      else sendPrepared(answer, request, response);
    } catch (error) {
      refused(error);
    }
    return true;
  };
}

/** A query without an encoded character, as nearly all are; undefined for any other, and for one that names a member twice. */
function plainQuery(url: string): Record<string, string> | undefined {
  if (/[%+]/.test(url)) return undefined;
  const query: Record<string, string> = {};
  const parts = url.slice(PREFIX.length).split('&', MAX_MEMBERS);
  for (const part of parts) {
    const end = part.indexOf('=');
    const name = end < 0 ? part : part.slice(0, end);
    if (name === '__proto__' || query[name] !== undefined) return undefined;
    query[name] = end < 0 ? '' : part.slice(end + 1);
  }
  return query;
}
