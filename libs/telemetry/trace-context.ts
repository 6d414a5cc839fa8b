import { randomBytes } from 'node:crypto';

/**
 * The W3C trace context of a request. It is handed on by hand: what finds it by itself (AsyncLocalStorage)
 * makes every promise of the process dearer.
 */
export interface TraceContext {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** `00-<trace id>-<span id>-<flags>`: what is handed on. */
  readonly traceparent: string;
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Continues the trace of a client's `traceparent`, or begins one when there is none that is well formed.
 * Whether a trace is sent is not the client's choice.
 */
export function continueTrace(received: string | undefined): TraceContext {
  const [, traceId = randomHex(16)] = TRACEPARENT.exec(received ?? '') ?? [];
  return { traceId, traceparent: `00-${traceId}-${randomHex(8)}-01` };
}

let pool = Buffer.alloc(0);
let taken = 0;

/** Taken from bytes that were drawn for many ids together: each drawing costs more than its bytes. */
function randomHex(bytes: number): string {
  if (taken + bytes > pool.length) {
    pool = randomBytes(8 * 1024);
    taken = 0;
  }
  taken += bytes;
  return pool.toString('hex', taken - bytes, taken);
}

/** The trace id of a well-formed `traceparent`. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  return TRACEPARENT.exec(traceparent ?? '')?.[1];
}

export interface TraceparentParts {
  readonly traceId: string;
  readonly spanId: string;
  /** Two hex digits; the lowest bit says whether the trace is sent. */
  readonly flags: string;
}

/** Undefined for what is not well formed. */
export function traceparentParts(traceparent: string | undefined): TraceparentParts | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  return traceId === undefined || spanId === undefined || flags === undefined ? undefined : { traceId, spanId, flags };
}
