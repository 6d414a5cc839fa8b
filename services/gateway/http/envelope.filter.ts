import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { clientLeft, errorReply, frameworkRefusal, type ErrorReply } from '@sluice/http';
import type { Logger } from '@sluice/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { listingsErrorReply } from '../listings/plane/envelope';
import { LISTINGS, liesUnder } from '../listings/plane/namespace';
import { traceIdOf } from '@sluice/telemetry';

/** Decides the shape of errors: the envelope of the listings plane on its paths, `{"error": …}` elsewhere. `url`: an innerUrl. */
export function errorReplyAt(url: string, thrown: unknown): ErrorReply {
  const error = thrown instanceof HttpException ? (frameworkRefusal(thrown.getStatus()) ?? thrown) : thrown;
  return liesUnder(LISTINGS, url) ? listingsErrorReply(error) : errorReply(error);
}

/** Answers whatever was thrown. */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    if (clientLeft(thrown, reply.raw)) return;
    const { method, url, trace, overLimit } = http.getRequest<FastifyRequest>();
    const answer = errorReplyAt(url, overLimit ?? thrown);
    if (answer.unexpected) {
      this.logger.error(
        { err: thrown, trace_id: traceIdOf(trace?.traceparent) },
        `${method} ${url.split('?')[0] ?? ''} failed: ${JSON.stringify(answer.body)}`,
      );
    }
    if (reply.sent) return;
    void reply.status(answer.status).headers(answer.headers).send(answer.body);
  }
}
