import type { Caller } from '@sluice/contracts';
import type { Span } from '@sluice/telemetry';

/** What a transport's message context offers: NATS headers, or a Map. Each request has its own. */
export interface MessageHeaders {
  get(name: string): string | undefined;
  set(name: string, value: string): unknown;
}

const ACTOR = 'sluice-actor';
const COMMAND_ID = 'sluice-command-id';
const BODY_HASH = 'sluice-body-hash';
const TRACEPARENT = 'traceparent';

const LINE_BREAK = /[\r\n]/;

/** @throws TypeError for a value that can't stand in a header */
export function callerToHeaders(caller: Caller): Map<string, string> {
  const headers = new Map<string, string>();
  const put = (name: string, value: string): void => {
    if (value === '' || LINE_BREAK.test(value)) throw new TypeError(`The header ${name} must be one line of text.`);
    headers.set(name, value);
  };
  put(ACTOR, caller.actor);
  put(COMMAND_ID, caller.commandId);
  if (caller.traceparent !== undefined) put(TRACEPARENT, caller.traceparent);
  if (caller.bodyHash !== undefined) put(BODY_HASH, caller.bodyHash);
  return headers;
}

export function traceparentOf(headers: MessageHeaders | undefined): string | undefined {
  return headers?.get(TRACEPARENT);
}

/** From here on the request is part of this span. */
export function continueIn(headers: MessageHeaders, { traceparent }: Pick<Span, 'traceparent'>): void {
  headers.set(TRACEPARENT, traceparent);
}

/** @throws Error when the message names no actor or no command */
export function callerFromHeaders(headers: MessageHeaders | undefined): Caller {
  const actor = headers?.get(ACTOR);
  const commandId = headers?.get(COMMAND_ID);
  if (!actor || !commandId) throw new Error(`A request needs the headers ${ACTOR} and ${COMMAND_ID}.`);
  const traceparent = traceparentOf(headers);
  const bodyHash = headers?.get(BODY_HASH);
  return { actor, commandId, ...(traceparent && { traceparent }), ...(bodyHash && { bodyHash }) };
}
