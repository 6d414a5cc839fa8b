import { isUtf8 } from 'node:buffer';
import { DomainError, ValidationError } from '@sluice/kernel';

/** A spelling of the member names that reach a prototype, also with escaped characters. */
const NAMES_A_PROTOTYPE = /__proto__|constructor|\\u00[5-7]/i;

/** Most values of a body: an operation's longest list takes less than half of them. */
const MAX_VALUES = 50_000;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [SPACE, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x20, 0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Before a body is parsed, because parsing blocks the process: half a million values in 1 MiB take many times as long
 * as one text of that size, most of it to collect what they leave behind.
 * @throws DomainError PAYLOAD_TOO_LARGE
 */
export function refuseManyValues(text: string): void {
  // Each value takes a character, and so does what divides it from the next.
  if (text.length < 2 * MAX_VALUES || !hasMoreValues(text, MAX_VALUES)) return;
  throw new DomainError(
    'PAYLOAD_TOO_LARGE',
    `The body has more than ${MAX_VALUES} values (texts, numbers, lists, objects). Send fewer in one request.`,
    { max_values: MAX_VALUES },
  );
}

/** Whether the JSON holds more values, at any depth, than so many. */
function hasMoreValues(text: string, most: number): boolean {
  let values = 1;
  let justOpened = false;
  for (let at = 0; at < text.length && values <= most; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    // After a comma, and first in a list or an object that is not empty.
    if (code === COMMA || (justOpened && code !== CLOSE_LIST && code !== CLOSE_OBJECT)) values += 1;
    if (code === QUOTE) at = endOfText(text, at);
    justOpened = code === OPEN_LIST || code === OPEN_OBJECT;
  }
  return values > most;
}

/** Where the text that begins with the quote at `at` has its last one. */
function endOfText(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) return end;
    if (code === BACKSLASH) end += 1;
  }
  return text.length;
}

/**
 * The text of a body.
 * @throws DomainError INVALID_JSON
 */
export function textOfBody(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new DomainError('INVALID_JSON', 'The body is not valid UTF-8. Send JSON encoded as UTF-8.');
}

/**
 * A JSON body without members that would reach a prototype; undefined for one that is empty.
 * @throws DomainError INVALID_JSON
 */
export function parseJsonBody(text: string): unknown {
  if (text.trim() === '') return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw new DomainError('INVALID_JSON', `The body is not valid JSON. ${reason}`.trim());
  }
  // A reviver would be called for every value, which takes ten times as long as the parser itself.
  if (NAMES_A_PROTOTYPE.test(text)) removePrototypes(body);
  return body;
}

/** Removes `__proto__`, and a `constructor` that has a `prototype`. Not recursive: a body may be deep. */
function removePrototypes(body: unknown): void {
  const remaining: unknown[] = [body];
  while (remaining.length > 0) {
    const value = remaining.pop();
    if (typeof value !== 'object' || value === null) continue;
    const members = value as Record<string, unknown>;
    if (Object.hasOwn(members, '__proto__')) delete members['__proto__'];
    const maker = Object.hasOwn(members, 'constructor') ? members['constructor'] : undefined;
    if (typeof maker === 'object' && maker !== null && Object.hasOwn(maker, 'prototype')) delete members['constructor'];
    for (const member of Object.values(members)) if (typeof member === 'object') remaining.push(member);
  }
}

/**
 * A JSON body is an object on every plane, also where an operation takes none; undefined: none was sent.
 * @throws ValidationError
 */
export function requireJsonObject(body: unknown): void {
  if (body === undefined || (typeof body === 'object' && body !== null && !Array.isArray(body))) return;
  const given = body === null ? 'null' : Array.isArray(body) ? 'an array' : `a ${typeof body}`;
  throw new ValidationError({ body: [`The body must be a JSON object, for example {}. Received: ${given}.`] });
}

export function unsupportedMediaType(expected: string): DomainError {
  return new DomainError('UNSUPPORTED_MEDIA_TYPE', `This operation takes a body of the type ${expected}.`);
}
