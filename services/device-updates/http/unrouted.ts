import type { IncomingMessage } from 'node:http';
import type { Settings } from '@sluice/config';
import { errorReply, type ErrorReply } from '@sluice/http';
import { countDeviceAnswer, countDeviceRefusal } from '@sluice/telemetry';
import { COMPAT_BASE } from './compat-planes';
import { anyOrigin } from './cors';
import { deviceLimitsOf } from '../access/device-limits';

export { COMPAT_BASE };
export const BASE = '/api/v1/';
/** Single files of bundles. */
export const FILES_BASE = '/files/';

/**
 * Responds where no route does: to a malformed URL, and to any request while the plane starts. Below a base
 * path it first counts against its address, and any page may read the response, as for every response there.
 */
export function refuseUnrouted(request: IncomingMessage, error: unknown, settings: Settings): ErrorReply {
  const below = belowBase(request);
  const answer = errorReply(below ? (overLimit(request, settings) ?? error) : error);
  if (below) {
    countDeviceAnswer(answer.status);
    countDeviceRefusal(answer.code);
  }
  return { ...answer, headers: { ...answer.headers, 'Cache-Control': 'no-store', ...headersOfUnrouted(request) } };
}

/** Headers of responses outside the plane's own scope. */
export function headersOfUnrouted(request: IncomingMessage): Readonly<Record<string, string>> {
  return belowBase(request) ? anyOrigin(request) : {};
}

function belowBase({ url = '' }: IncomingMessage): boolean {
  return [BASE, COMPAT_BASE, FILES_BASE].some((base) => url.startsWith(base));
}

function overLimit(request: IncomingMessage, settings: Settings): unknown {
  try {
    deviceLimitsOf(settings).countAddress(request);
    return undefined;
  } catch (error) {
    return error;
  }
}
