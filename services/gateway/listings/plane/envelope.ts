import { faultOf, type ErrorReply } from '@sluice/http';
import { VALIDATION_FAILED } from '@sluice/kernel';

/** The envelope of this plane around a response. */
export function success<Data>(data: Data, message: string) {
  return { success: true, data, message } as const;
}

/** Codes that differ from those of the management plane; all others are the same in lower case. */
const CODES: Readonly<Record<string, string>> = {
  [VALIDATION_FAILED]: 'invalid_settings',
  TOKEN_PERMISSION_DENIED: 'forbidden',
  OPERATOR_ONLY: 'forbidden',
};

/** This plane's name for an error code. */
export function listingsCode(code: string, status: number): string {
  return status === 401 ? 'unauthenticated' : (CODES[code] ?? code.toLowerCase());
}

/** Turns an error into this plane's envelope: `{ success: false, data: { code }, message }`. */
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
