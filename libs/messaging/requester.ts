import type { Call, Caller } from '@sluice/contracts';
import { UnavailableError } from '@sluice/kernel';
import { spanWithin } from '@sluice/telemetry';
import type { z } from 'zod';
import { callerToHeaders, continueIn } from './caller-headers';
import { InFlight } from './in-flight';
import { packBody, unpackReply, type ReplyPart } from './packets';
import type { CallOptions, Messaging } from './port';
import { fromWireError } from './wire-error';

const DEFAULT_TIMEOUT_MS = 10_000;

export interface OutgoingRequest {
  readonly pattern: string;
  /** The body as JSON text. */
  readonly json: string;
  readonly headers: Map<string, string>;
}

export interface Requester extends Pick<Messaging, 'request' | 'requestRaw'> {
  /** Rejects further requests and waits for those in flight. */
  close(): Promise<void>;
}

/** No part of an answer came in time. */
export class LateAnswerError extends Error {}

/** No process received the request. */
export class UndeliveredError extends Error {}

/**
 * Sends a request and resolves with the parts of its reply. Rejects with the WireError of a refusal;
 * with a LateAnswerError when nothing came within so many milliseconds, or an UndeliveredError when
 * no process received the request until then; with any other Error when the service could not be asked.
 */
export type Send = (request: OutgoingRequest, timeoutMs: number) => Promise<readonly ReplyPart[]>;

/** The caller's half of request and reply, the same for every transport: size, reassembly and errors. */
export function createRequester(send: Send): Requester {
  const inFlight = new InFlight();
  let closed = false;

  /** The reply as JSON text; undefined for no value. */
  async function ask(
    { pattern }: Call,
    body: unknown,
    caller: Caller,
    timeoutMs = DEFAULT_TIMEOUT_MS,
  ): Promise<string | undefined> {
    if (closed) throw new UnavailableError('This process is stopping.', undefined, 'no');
    const request = { pattern, json: packBody(pattern, body), headers: callerToHeaders(caller) };
    const span = spanWithin(caller.traceparent, { name: `ask ${pattern}`, kind: 'CLIENT' });
    if (span !== undefined) continueIn(request.headers, span);
    inFlight.begin();
    try {
      return await unpackReply(await send(request, timeoutMs));
    } catch (error) {
      throw fromWireError(error) ?? unanswered(pattern, error);
    } finally {
      inFlight.end();
      span?.end();
    }
  }

  return {
    async request<Request extends z.ZodType, Reply extends z.ZodType>(
      call: Call<Request, Reply>,
      body: z.input<Request>,
      caller: Caller,
      options?: CallOptions,
    ): Promise<z.output<Reply>> {
      const text = await ask(call, body, caller, options?.timeoutMs);
      return call.reply.parse(text === undefined ? undefined : JSON.parse(text));
    },

    async requestRaw(call, body, caller, options) {
      return (await ask(call, body, caller, options?.timeoutMs)) ?? 'null';
    },

    close() {
      closed = true;
      return inFlight.idle();
    },
  };
}

function unanswered(pattern: string, cause: unknown): UnavailableError {
  const reason = cause instanceof LateAnswerError ? 'did not answer in time' : 'could not be reached';
  const done = cause instanceof UndeliveredError ? 'no' : 'unknown';
  const error = new UnavailableError(`${pattern} ${reason}.`, undefined, done);
  error.cause = cause;
  return error;
}
