import { ValidationError } from '@sluice/kernel/domain-error';
import type { z } from 'zod';

/** So many faults are listed: a small request must not get a large answer. */
const MAX_FAULTS = 100;

/** The messages of each field, 100 of them at most; a fault of the whole is under `body`. */
export function toValidationError({ issues }: z.ZodError): ValidationError {
  // No object: a client may name a field `constructor`.
  const errors = new Map<string, string[]>();
  let faults = 0;
  for (const issue of issues) {
    if (faults >= MAX_FAULTS) {
      // Only counted: a large body has thousands.
      faults += issue.code === 'unrecognized_keys' ? issue.keys.length : 1;
      continue;
    }
    const fields = issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.map(String).join('.') || 'body'];
    for (const field of fields) {
      if (faults < MAX_FAULTS) errors.set(field, [...(errors.get(field) ?? []), issue.message]);
      faults += 1;
    }
  }
  return new ValidationError(Object.fromEntries(errors), faults);
}
