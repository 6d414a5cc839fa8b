import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { requireJsonObject } from '@sluice/http';
import { rememberingVersions } from '../../serving/domain/remembering-versions';
import { versionOfCapgo } from './capgo-events';
import type { UrlKey } from '../url-key';

/** What Capgo's clients send of themselves with every request; more than is read here. */
export interface CapgoInfo {
  readonly platform: string;
  readonly deviceId: string;
  /** Bundle id or package name of the native app. */
  readonly appId: string;
  /** The name of the bundle that runs, or that an event is about. */
  readonly versionName: string;
  /** Of the native app. */
  readonly versionBuild: string;
  readonly pluginVersion: string;
  /** The beginning of the public key with which it decrypts; empty: none, or a client that does not send it. */
  readonly keyId: string;
  /** Empty: the device has chosen none, and its configuration has none. */
  readonly channel: string;
}

/** The name of the bundle in the native app. */
export const BUILTIN = 'builtin';

type Members = Readonly<Record<string, unknown>>;

/** @throws ValidationError when it is no object; nothing counts as an empty one */
export function membersOf(body: unknown = {}): Members {
  const object = body ?? {};
  requireJsonObject(object);
  return object as Members;
}

export function infoOf(members: Members): CapgoInfo {
  return {
    platform: textOf(members['platform']),
    deviceId: textOf(members['device_id']),
    appId: textOf(members['app_id']),
    versionName: textOf(members['version_name']),
    versionBuild: textOf(members['version_build']),
    pluginVersion: textOf(members['plugin_version']),
    keyId: textOf(members['key_id']),
    channel: textOf(members['defaultChannel']),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Some clients call the bundle in the native app by the version of that. */
export function isBuiltin({ versionName, versionBuild }: CapgoInfo): boolean {
  return versionName === BUILTIN || versionName === '' || versionName === versionBuild;
}

const versionOf = rememberingVersions();

/** The headers by which a client of Sluice sends the same. The address of the client stays. */
export function headersOf(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { key }: UrlKey,
  info: CapgoInfo,
): IncomingHttpHeaders {
  const { platform, deviceId, appId, versionName, versionBuild } = info;
  const named = isBuiltin(info) ? versionBuild : versionOfCapgo(versionName);
  const current = versionOf(named) === undefined ? '0.0.0' : named;
  // One shape, written out: a copy of all headers takes as long as the rest of a check.
  return {
    origin: headers.origin,
    'x-forwarded-for': headers['x-forwarded-for'],
    'x-api-key': key,
    'x-device-id': asHeader(deviceId),
    'x-platform': platform === 'ios' || platform === 'android' ? platform : 'all',
    'x-app-version': versionBuild,
    'x-current-version': current,
    'x-bundle-version': current,
    'x-android-package': platform === 'android' ? appId : undefined,
    'x-ios-bundle-id': platform === 'ios' ? appId : undefined,
  };
}

/** As Node reads it: the bytes of UTF-8, each as a character. */
function asHeader(text: string): string {
  return /^[ -~]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}
