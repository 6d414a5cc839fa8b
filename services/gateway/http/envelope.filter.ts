import { Catch, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { errorReply } from '@sluice/http';
import { DomainError } from '@sluice/kernel';
import type { Report } from '@sluice/engines';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { onListingsPlane } from './access-policy';
import { listingsErrorReply } from './listings/envelope';

/** The one owner of the shape of errors: whatever was thrown becomes the envelope of spec 1, or of spec 3 on its plane. */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  constructor(private readonly report: Report) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const error =
      thrown instanceof NotFoundException ? new DomainError('NOT_FOUND', 'There is nothing at this address.') : thrown;
    const http = host.switchToHttp();
    const { method, url } = http.getRequest<FastifyRequest>();
    const answer = onListingsPlane(url) ? listingsErrorReply(error) : errorReply(error);
    if (answer.unexpected) {
      this.report(`${method} ${url.split('?')[0] ?? ''} failed: ${JSON.stringify(answer.body)}`, thrown);
    }
    const reply = http.getResponse<FastifyReply>();
    if (reply.sent) return;
    void reply.status(answer.status).headers(answer.headers).send(answer.body);
  }
}
