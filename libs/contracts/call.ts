import type { z } from 'zod';

/** A command or query that crosses a service's wall: its name on the bus and both shapes. */
export interface Call<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  /** `service.operation`, for example `registry.createApp`. */
  readonly pattern: string;
  readonly request: Request;
  readonly reply: Reply;
  /** Codes of its refusals, besides that of what the request names and does not exist. */
  readonly refusals: readonly string[];
}

export type RequestOf<C extends Call> = z.output<C['request']>;
export type ReplyOf<C extends Call> = z.output<C['reply']>;

/** Declares a call. */
export function defineCall<Request extends z.ZodType, Reply extends z.ZodType>(
  pattern: string,
  request: Request,
  reply: Reply,
  refusals: readonly string[] = [],
): Call<Request, Reply> {
  return { pattern, request, reply, refusals };
}

/** Who calls and why; travels in the headers of the message, never in its body. */
export interface Caller {
  /** `token:ID`, `owner:ID` or `system:NAME`. */
  readonly actor: string;
  /** Names the command: the same id again is a repeat. */
  readonly commandId: string;
  /** W3C trace context. */
  readonly traceparent?: string;
  /** SHA-256 of the request body that came with an idempotency key. */
  readonly bodyHash?: string;
}
