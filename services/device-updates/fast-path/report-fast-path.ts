import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseRepairedJson, textOfBody, type ErrorReply } from '@sluice/http';
import { prepareAnswer, type PreparedAnswer } from '../serving/prepared-answer';
import { sendPrepared } from '../http/send-prepared';
import { answerTo, REPORT_PATHS } from '../reports/report.routes';
import type { Reporter, Reporting, ReportKind } from '../reports/reporting';
import { readBytes, usualLength } from './usual-body';

const KIND_BY_URL: ReadonlyMap<string | undefined, ReportKind> = new Map(
  REPORT_PATHS.map(([path, kind]) => [`/api/v1/analytics${path}`, kind]),
);

export interface ReportFastPathOptions {
  /** The checks that every request of the plane passes first. @throws DomainError */
  readonly admit: (request: IncomingMessage) => void;
  readonly reporting: Reporting;
  readonly refuse: (error: unknown, request: IncomingMessage) => ErrorReply;
  /** Called for every successful response. */
  readonly answered: (status: number) => void;
}

/**
 * Accepts a report in its usual spelling without Fastify, as checkFastPath does with an update check. Returns
 * false, without any effect, for a request that the router must handle. Its responses equal the router's byte for byte.
 */
export function reportFastPath({ admit, reporting, refuse, answered }: ReportFastPathOptions) {
  const refused = (error: unknown, request: IncomingMessage, response: ServerResponse, more = {}): void => {
    const { status, body, headers } = refuse(error, request);
    sendPrepared(prepareAnswer(status, body, { ...headers, ...more }), request, response);
  };

  const unread = (error: unknown, request: IncomingMessage, response: ServerResponse): void =>
    refused(error, request, response, { Connection: 'close' });

  async function record(reporter: Reporter, body: unknown, request: IncomingMessage, response: ServerResponse) {
    let at: Date;
    try {
      at = await reporting.record(reporter, body);
    } catch (error) {
      refused(error, request, response);
      return;
    }
    answered(SUCCESS.status);
    const answer = reporter.kind === 'active' ? prepareAnswer(200, answerTo('active', at)) : SUCCESS;
    sendPrepared(answer, request, response);
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const kind = KIND_BY_URL.get(request.url);
    if (kind === undefined || request.method !== 'POST') return false;
    const length = usualLength(request.headers);
    if (length === undefined) return false;
    let reporter: Reporter;
    try {
      admit(request);
      reporter = reporting.reporter(kind, request);
    } catch (error) {
      refused(error, request, response);
      return true;
    }
    if (length === 0) {
      void record(reporter, undefined, request, response);
      return true;
    }
    readBytes(request, (bytes) => {
      let body: unknown;
      try {
        body = parseRepairedJson(textOfBody(bytes));
      } catch (error) {
        unread(error, request, response);
        return;
      }
      void record(reporter, body, request, response);
    });
    return true;
  };
}

const SUCCESS: PreparedAnswer = prepareAnswer(200, answerTo('install', new Date(0)));
