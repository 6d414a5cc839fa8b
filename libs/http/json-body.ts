import { DomainError } from '@sluice/kernel';

/** A JSON body; undefined for one that is empty. @throws DomainError INVALID_JSON */
export function parseJsonBody(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value));
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw new DomainError('INVALID_JSON', `The body is not valid JSON. ${reason}`.trim());
  }
}

export function unsupportedMediaType(expected: string): DomainError {
  return new DomainError('UNSUPPORTED_MEDIA_TYPE', `This operation takes a body of the type ${expected}.`);
}
