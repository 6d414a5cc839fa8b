import { DomainError, type ErrorCode, UnavailableError, VALIDATION_FAILED, ValidationError } from '@sluice/kernel';
import { z } from 'zod';

/** The code of everything that no client can act on; `details.error_id` finds it in the logs. */
export const INTERNAL_ERROR = 'INTERNAL_ERROR';

const jsonSchema = z.json();
const wireErrorSchema = z.object({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), jsonSchema).optional(),
  /** Of an UnavailableError that knows it. */
  done: z.literal('no').optional(),
});

/** How a DomainError crosses the bus. */
export type WireError = z.infer<typeof wireErrorSchema>;

export function toWireError(error: DomainError): WireError {
  const { code, message, details } = error;
  const done = error instanceof UnavailableError && error.done === 'no' ? 'no' : undefined;
  return wireErrorSchema.parse(JSON.parse(JSON.stringify({ code, message, details, done })));
}

const validationDetails = z.object({ errors: z.record(z.string(), z.array(z.string())) });
const unavailableDetails = z.object({ retry_after: z.number() });

/** The error as the handler threw it, of the same class. Undefined: this did not come from a handler. */
export function fromWireError(thrown: unknown): DomainError | undefined {
  if (typeof thrown !== 'object' || thrown === null || thrown instanceof Error) return undefined;
  const wire = wireErrorSchema.safeParse(thrown);
  if (!wire.success) return new DomainError(INTERNAL_ERROR, 'Internal server error');
  const { code, message, details, done } = wire.data;
  if (code === VALIDATION_FAILED) {
    const parsed = validationDetails.safeParse(details);
    if (parsed.success) return new ValidationError(parsed.data.errors);
  }
  if (code === 'SERVICE_UNAVAILABLE') {
    const parsed = unavailableDetails.safeParse(details);
    return new UnavailableError(message, parsed.data?.retry_after, done);
  }
  // Another release may know a code that this one does not.
  return new DomainError(code as ErrorCode, message, details);
}
