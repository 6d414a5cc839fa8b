import { ApiError } from '../../../api/client';

/** A refusal as a fault of the field that caused it, `causes[code]`; any other error as it is. */
export function besideField(error: Error | null, causes: Readonly<Record<string, string>>): Error | null {
  const field = error instanceof ApiError ? causes[error.code] : undefined;
  if (!(error instanceof ApiError) || field === undefined) return error;
  const { status, code, message, details } = error;
  return new ApiError({ status, code, message, details, fields: { [field]: [message] } });
}
