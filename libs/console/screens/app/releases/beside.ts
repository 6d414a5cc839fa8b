import { useMemo } from 'react';
import { ApiError } from '../../../api/client';

/** A refusal as a fault of the field that caused it, `causes[code]`; any other error as it is. */
export function useBesideField(error: Error | null, causes: Readonly<Record<string, string>>): Error | null {
  // The same object for the same refusal, as a form wants it.
  return useMemo(() => {
    const field = error instanceof ApiError ? causes[error.code] : undefined;
    if (!(error instanceof ApiError) || field === undefined) return error;
    const { status, code, message, details } = error;
    return new ApiError({ status, code, message, details, fields: { [field]: [message] } });
  }, [error, causes]);
}
