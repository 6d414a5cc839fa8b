import { faultOf, type ErrorReply } from '@sluice/http';
import { VALIDATION_FAILED } from '@sluice/kernel';

/** The envelope of spec 3 around an answer. */
export function success<Data>(data: Data, message: string) {
  return { success: true, data, message } as const;
}

/** Codes that this plane names otherwise than the management plane; all others are those in small letters. */
const CODES: Readonly<Record<string, string>> = {
  [VALIDATION_FAILED]: 'invalid_settings',
  TOKEN_PERMISSION_DENIED: 'forbidden',
  OPERATOR_ONLY: 'forbidden',
};

/** What this plane calls a refusal that others know by `code`. */
export function listingsCode(code: string, status: number): string {
  return status === 401 ? 'unauthenticated' : (CODES[code] ?? code.toLowerCase());
}

/** Turns whatever was thrown into the answer that spec 3 wants: `{ success: false, data: { code }, message }`. */
export function listingsErrorReply(error: unknown): ErrorReply {
  const { status, headers, code, message, details, unexpected } = faultOf(error);
  const told = code === VALIDATION_FAILED || unexpected ? details : {};
  return {
    status,
    code,
    headers,
    body: { success: false, data: { code: listingsCode(code, status), ...told }, message },
    unexpected,
  };
}
