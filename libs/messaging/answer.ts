import { Logger } from '@nestjs/common';
import type { MessageHandler } from '@nestjs/microservices';
import { DomainError } from '@sluice/kernel';
import { isObservable, lastValueFrom, throwError } from 'rxjs';
import type { MessageHeaders } from './caller-headers';
import { packReply, type ReplyPart } from './packets';
import type { Observer } from './port';
import { INTERNAL_ERROR, toWireError } from './wire-error';

const logger = new Logger('Messaging');

/**
 * The service's half of request and reply, the same for every transport: what a handler of Nest's
 * answers, as the parts of a reply. Rejects with the WireError of a refusal.
 */
export function answerOf<Context extends { getHeaders(): MessageHeaders }>(
  handler: MessageHandler<unknown, Context, unknown>,
  body: unknown,
  context: Context,
  observe: Observer,
): Promise<readonly ReplyPart[]> {
  const operation = String(handler.extras?.['operation']);
  return observe({ operation, headers: context.getHeaders() }, async () => {
    const answer = await handler(body, context);
    return packed(isObservable(answer) ? await lastValueFrom(answer) : answer);
  });
}

async function packed(answer: unknown): Promise<readonly ReplyPart[]> {
  try {
    return await packReply(answer);
  } catch (error) {
    logger.error(error);
    return lastValueFrom(throwError(() => toWireError(new DomainError(INTERNAL_ERROR, 'Internal server error'))));
  }
}
