import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readJsonBodies } from '../http/json-bodies';
import type { Reporter, Reporting, ReportKind } from './reporting';

declare module 'fastify' {
  interface FastifyRequest {
    reporter: Reporter | null;
  }
}

export const REPORT_PATHS: readonly (readonly [path: string, kind: ReportKind])[] = [
  ['/mau', 'active'],
  ['/download', 'download'],
  ['/install', 'install'],
];

/**
 * Registers `POST /mau`, `/download` and `/install` on a scope of their own. Headers
 * are checked before the body is read; the response is sent once the report is durable.
 */
export function registerReportRoutes(plane: FastifyInstance, reporting: Reporting): void {
  plane.decorateRequest('reporter', null);
  readJsonBodies(plane);

  for (const [path, kind] of REPORT_PATHS) {
    const onRequest = (request: FastifyRequest, _reply: FastifyReply, next: () => void): void => {
      request.reporter = reporting.reporter(kind, request.raw);
      next();
    };
    plane.post(path, { onRequest }, async (request, reply) => {
      const at = await reporting.record(reporterOf(request), request.body);
      return reply.header('Cache-Control', 'no-store').send(answerTo(kind, at));
    });
  }
}

/** @param at when it was recorded */
export function answerTo(kind: ReportKind, at: Date): object {
  return kind === 'active' ? { success: true, recorded_at: at.toISOString() } : { success: true };
}

function reporterOf({ reporter }: FastifyRequest): Reporter {
  if (reporter === null) throw new Error('The headers of the report were not read.');
  return reporter;
}
