import { Logger } from '@nestjs/common';
import type { MessageHandler } from '@nestjs/microservices';
import { DomainError } from '@sluice/kernel';
import { traceIdOf } from '@sluice/telemetry';
import { isObservable, lastValueFrom, throwError } from 'rxjs';
import { traceparentOf, type MessageHeaders } from './caller-headers';
import { packReply, type ReplyPart } from './packets';
import type { Observer } from './port';
import { INTERNAL_ERROR, toWireError } from './wire-error';

const logger = new Logger('Messaging');

/**
 * The service's half of request and reply, the same for every transport: what a handler of Nest's
 * answers, as the parts of a reply. Rejects with the WireError of a refusal.
 */
export async function answerOf<Context extends { getHeaders(): MessageHeaders }>(
  handler: MessageHandler<unknown, Context, unknown>,
  body: unknown,
  context: Context,
  observe: Observer,
): Promise<readonly ReplyPart[]> {
  const headers = context.getHeaders();
  const ended = observe({ operation: String(handler.extras?.['operation']), headers });
  let outcome: 'answered' | 'refused' = 'refused';
  try {
    const answer = await handler(body, context);
    const parts = await packed(isObservable(answer) ? await lastValueFrom(answer) : answer, headers);
    outcome = 'answered';
    return parts;
  } finally {
    ended(outcome);
  }
}

function packed(answer: unknown, headers: MessageHeaders): ReturnType<typeof packReply> {
  try {
    return packReply(answer);
  } catch (error) {
    logger.error(error, { trace_id: traceIdOf(traceparentOf(headers)) });
    return lastValueFrom(throwError(() => toWireError(new DomainError(INTERNAL_ERROR, 'Internal server error'))));
  }
}
