import type { IncomingHttpHeaders } from 'node:http';
import { credentialFault } from '@sluice/contracts';
import { DomainError } from '@sluice/kernel';
import type { KeyUsage } from './key-usage';
import type { ServingIndex } from '../serving/serving-index';
import type { DevicePlatform } from '../serving/domain/select-build';
import type { ServingApp } from '../serving/serving.projection';
import { refuseRestricted } from './caller-identity';

export const PLATFORMS: readonly DevicePlatform[] = ['ios', 'android', 'web', 'all'];
export const MAX_DEVICE_ID_LENGTH = 255;

/** The app whose key was sent; its use or refusal is noted. @throws DomainError for its 401s and 403s */
export function authenticate(index: ServingIndex, usage: KeyUsage, headers: IncomingHttpHeaders): ServingApp {
  const text = header(headers, 'x-api-key');
  if (text === undefined) throw new DomainError('MISSING_API_KEY', 'Send the app API key in the header X-API-Key.');
  const key = index.key(text);
  const app = key && index.app(key.appId);
  if (key !== undefined && app !== undefined) {
    if (index.isStopped(app)) throw new DomainError('OWNER_SUSPENDED', 'The owner of this app is suspended.');
    if (key.admits !== undefined) refuseRestricted(key.keyId, key.admits, usage, headers);
    usage.used(key.keyId);
    return app;
  }
  if (credentialFault('svc_app_', text) === 'format') {
    throw new DomainError('INVALID_API_KEY_FORMAT', 'X-API-Key takes an app API key, which begins with svc_app_.');
  }
  throw new DomainError('INVALID_API_KEY', 'The app API key is not known, or it is no longer valid.');
}

/** The install's id, of any length. @throws DomainError MISSING_DEVICE_ID */
export function deviceIdOf(headers: IncomingHttpHeaders): string {
  const text = header(headers, 'x-device-id');
  if (text !== undefined) return asUtf8(text);
  throw new DomainError('MISSING_DEVICE_ID', 'Send a stable id of this install in the header X-Device-ID.');
}

export function isPlatform(text: string | undefined): text is DevicePlatform {
  return text === 'ios' || text === 'android' || text === 'web' || text === 'all';
}

/** Undefined when it is absent or empty. */
export function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Node reads a header's bytes as Latin-1; a device id beyond ASCII was sent as UTF-8, mostly. */
function asUtf8(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}
