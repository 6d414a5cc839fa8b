import { DomainError, ValidationError } from '@sluice/kernel';

/** A spelling of the member names that reach a prototype, also with escaped characters. */
const NAMES_A_PROTOTYPE = /__proto__|constructor|\\u00[5-7]/i;

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
