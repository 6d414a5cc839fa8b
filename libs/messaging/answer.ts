import type { MessageHandler } from '@nestjs/microservices';
import { toValidationError, type Caller } from '@sluice/contracts';
import { DomainError, type Logger } from '@sluice/kernel';
import { traceIdOf } from '@sluice/telemetry';
import { isObservable, lastValueFrom, throwError } from 'rxjs';
import { callerFromHeaders, traceparentOf, type MessageHeaders } from './caller-headers';
import { packReply, type ReplyPart } from './packets';
import type { Observer } from './port';
import { servedCall } from './serve-calls';
import { INTERNAL_ERROR, toWireError } from './wire-error';

/**
 * The service's half of request and reply, the same for every transport: decodes the body for a
 * handler of Nest's, and packs what it answers as the parts of a reply. Rejects with the WireError of
 * a refusal.
 */
export async function answerOf(
  handler: MessageHandler<unknown, Caller, unknown>,
  body: unknown,
  headers: MessageHeaders,
  observe: Observer,
  logger: Logger | undefined,
): Promise<readonly ReplyPart[]> {
  const { pattern, request: schema } = servedCall(handler.extras);
  const ended = observe({ pattern, headers });
  let outcome: 'answered' | 'refused' = 'refused';
  try {
    const request = schema.safeParse(body);
    if (!request.success) return await refused(toValidationError(request.error));
    const answer = await handler(request.data, callerFromHeaders(headers));
    const packed = packReply(isObservable(answer) ? await lastValueFrom(answer) : answer);
    const parts = packed instanceof Promise ? await packed : packed;
    outcome = 'answered';
    return parts;
  } catch (refusal) {
    // The filter of the handlers has made refusals of all their errors.
    if (!(refusal instanceof Error)) throw refusal;
    logger?.error({ err: refusal, trace_id: traceIdOf(traceparentOf(headers)) }, String(refusal));
    return await refused(new DomainError(INTERNAL_ERROR, 'Internal server error'));
  } finally {
    ended(outcome);
  }
}

const refused = (error: DomainError): Promise<never> => lastValueFrom(throwError(() => toWireError(error)));
