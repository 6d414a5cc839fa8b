import type { IncomingHttpHeaders } from 'node:http';
import { type Channel, credentialFault, devicePlatformSchema } from '@sluice/contracts';
import { DomainError, hasCharacters } from '@sluice/kernel';
import type { KeyUsage } from './key-usage';
import type { ServedKey, ServingIndex } from '../serving/serving-index';
import type { DevicePlatform } from '../serving/domain/select-build';
import type { ServingApp } from '../serving/serving.projection';
import { blockedReason, type Admits, type BlockedReason, type CallerIdentity } from '../serving/domain/restrictions';

const MAX_DEVICE_ID_LENGTH = 255;
/** Longer headers are cut off in the response. */
const MAX_TOLD_LENGTH = 255;

/** The request's key and its app; records the use or rejection. @throws DomainError for its 401s and 403s */
export function authenticate(index: ServingIndex, usage: KeyUsage, headers: IncomingHttpHeaders): Authenticated {
  const text = header(headers, 'x-api-key');
  if (text === undefined) throw new DomainError('MISSING_API_KEY', 'Send the app API key in the header X-API-Key.');
  const key = index.key(text);
  const app = key && index.app(key.appId);
  if (key !== undefined && app !== undefined) {
    if (index.isStopped(app)) throw new DomainError('OWNER_SUSPENDED', 'The owner of this app is suspended.');
    if (key.admits !== undefined) refuseRestricted(key.keyId, key.admits, usage, headers);
    usage.used(key.keyId);
    return { app, key };
  }
  if (credentialFault('svc_app_', text) === 'format') {
    throw new DomainError('INVALID_API_KEY_FORMAT', 'X-API-Key must be an app API key, which begins with svc_app_.');
  }
  throw new DomainError('INVALID_API_KEY', 'The app API key is unknown or no longer valid.');
}

/** @throws DomainError API_KEY_RESTRICTED that repeats what the caller sent, never what is allowed */
function refuseRestricted(keyId: number, admits: Admits, usage: KeyUsage, headers: IncomingHttpHeaders): void {
  const caller = {
    origin: header(headers, 'origin'),
    android_package: header(headers, 'x-android-package'),
    android_cert_sha256: header(headers, 'x-android-cert-sha256'),
    android_cert_sha1: header(headers, 'x-android-cert-sha1'),
    ios_bundle_id: header(headers, 'x-ios-bundle-id'),
    ios_team_id: header(headers, 'x-ios-team-id'),
  } satisfies CallerIdentity;
  if (admits(caller)) return;
  const reason = blockedReason(caller);
  usage.blocked(keyId, reason);
  const sent = Object.entries(caller).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text.slice(0, MAX_TOLD_LENGTH)] as const],
  );
  const details = { reason, ...Object.fromEntries(sent) };
  throw new DomainError(
    'API_KEY_RESTRICTED',
    'The restrictions of this app API key do not allow this caller.',
    details,
  );
}

interface Authenticated {
  readonly app: ServingApp;
  readonly key: ServedKey;
}

/** @throws DomainError API_KEY_RESTRICTED when the key is for other channels; undefined is a channel that there is not */
export function requireChannel({ keyId, channels }: ServedKey, channel: Channel | undefined, usage: KeyUsage): void {
  if (channels === undefined || (channel !== undefined && channels.admits(channel))) return;
  const reason = 'channel_not_allowed' satisfies BlockedReason;
  usage.blocked(keyId, reason);
  throw new DomainError('API_KEY_RESTRICTED', 'This app API key is for other channels of the app.', { reason });
}

/** The install's id, of any length. @throws DomainError MISSING_DEVICE_ID */
export function deviceIdOf(headers: IncomingHttpHeaders): string {
  const text = header(headers, 'x-device-id');
  if (text !== undefined) return asUtf8(text);
  throw new DomainError('MISSING_DEVICE_ID', 'Send a stable id of this installation in the header X-Device-ID.');
}

export function isPlatform(text: string | undefined): text is DevicePlatform {
  return text === 'ios' || text === 'android' || text === 'web' || text === 'all';
}

/** For a ValidationError: a device id that is too long. */
export function deviceIdFault(deviceId: string): Faults | undefined {
  if (hasCharacters(deviceId, 0, MAX_DEVICE_ID_LENGTH)) return undefined;
  return { 'X-Device-ID': [`The X-Device-ID header must have at most ${MAX_DEVICE_ID_LENGTH} characters.`] };
}

/** For a ValidationError: a platform that is missing or unknown. */
export function platformFault(text: string | undefined): Faults {
  return headerFault('X-Platform', text, `be one of ${devicePlatformSchema.options.join(', ')}`);
}

/** For a ValidationError: a version that is missing or invalid. */
export function versionFault(name: string, text: string | undefined): Faults {
  return headerFault(name, text, 'be a version like 1.2.3');
}

function headerFault(name: string, text: string | undefined, rule: string): Faults {
  return { [name]: [`The ${name} header ${text === undefined ? 'is required' : `must ${rule}`}.`] };
}

type Faults = Readonly<Record<string, readonly string[]>>;

/** Undefined when it is absent or empty. */
export function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Node decodes headers as Latin-1, but clients usually send text beyond ASCII as UTF-8. */
export function asUtf8(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}
