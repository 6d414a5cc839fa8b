import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '@sluice/kernel';
import Negotiator from 'negotiator';
import { type Dictionary, parseDictionary } from 'structured-headers';
import { header } from '../../access/device-headers';
import type { UpdatePlatform } from './expo-update-id';

/** What the client of Expo sends with a request for a manifest. */
export interface ExpoRequest {
  readonly platform: UpdatePlatform;
  readonly runtimeVersion: string;
  /** Of the installation. */
  readonly clientId: string;
  /** Of the update that runs; undefined: the client sent none. */
  readonly currentId: string | undefined;
  /** Of updates that did not start. */
  readonly failedIds: readonly string[];
  readonly fatalError: string | undefined;
  /** Undefined: the app's configuration names none. */
  readonly channel: string | undefined;
  readonly type: ExpoType;
  /** By which key it verifies what it gets; undefined: it verifies nothing. */
  readonly keyId: string | undefined;
}

const MULTIPART = 'multipart/mixed';
const TYPES = [MULTIPART, 'application/expo+json', 'application/json'] as const;
export type ExpoType = (typeof TYPES)[number];
/** As the published clients send it. */
const USUAL_ACCEPT = 'multipart/mixed,application/expo+json,application/json';
export const SIGNATURE_ALGORITHM = 'rsa-v1_5-sha256';
/** Where the configuration of the app names no key. */
const DEFAULT_KEY_ID = 'root';
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const MAX_FAILED = 10;

/** @throws DomainError INVALID_REQUEST, NOT_ACCEPTABLE */
export function expoRequestOf(headers: IncomingHttpHeaders): ExpoRequest {
  if (headers['expo-protocol-version'] !== '1') {
    throw invalid('Expo-Protocol-Version', 'be 1, as expo-updates 0.17 and later send it', headers);
  }
  const platform = headers['expo-platform'];
  if (platform !== 'ios' && platform !== 'android') throw invalid('Expo-Platform', 'be ios or android', headers);
  const runtimeVersion = header(headers, 'expo-runtime-version');
  if (runtimeVersion === undefined) throw invalid('Expo-Runtime-Version', 'be the runtime version of the app', headers);
  const clientId = header(headers, 'eas-client-id');
  if (clientId === undefined) throw invalid('EAS-Client-ID', 'be a stable id of this installation', headers);
  const failed = header(headers, 'expo-recent-failed-update-ids');
  const expected = header(headers, 'expo-expect-signature');
  return {
    ...{ platform, runtimeVersion, clientId },
    currentId: header(headers, 'expo-current-update-id')?.toLowerCase(),
    failedIds: failed === undefined ? [] : (failed.toLowerCase().match(UUID) ?? []).slice(0, MAX_FAILED),
    fatalError: header(headers, 'expo-fatal-error'),
    channel: header(headers, 'expo-channel-name'),
    type: typeOf(headers),
    keyId: expected === undefined ? undefined : keyIdOf(expected),
  };
}

function typeOf(headers: IncomingHttpHeaders): ExpoType {
  const { accept } = headers;
  if (accept === USUAL_ACCEPT || accept === undefined) return MULTIPART;
  const [type] = new Negotiator({ headers: { accept } }).mediaTypes([...TYPES]);
  if (type !== undefined) return type as ExpoType;
  throw new DomainError('NOT_ACCEPTABLE', `Accept must admit one of ${TYPES.join(', ')}. Received: ${shown(accept)}`);
}

/** @throws DomainError INVALID_REQUEST */
function keyIdOf(text: string): string {
  const name = 'expo-expect-signature';
  let expected: Dictionary;
  try {
    expected = parseDictionary(text);
  } catch {
    throw invalid(name, 'be a dictionary of structured fields', { [name]: text });
  }
  const [keyId = DEFAULT_KEY_ID] = expected.get('keyid') ?? [];
  const [algorithm = SIGNATURE_ALGORITHM] = expected.get('alg') ?? [];
  if (algorithm !== SIGNATURE_ALGORITHM) throw invalid(name, `have the alg ${SIGNATURE_ALGORITHM}`, { [name]: text });
  if (typeof keyId !== 'string') throw invalid(name, 'have a text as keyid', { [name]: text });
  return keyId;
}

function invalid(name: string, rule: string, headers: IncomingHttpHeaders): DomainError {
  const sent = headers[name.toLowerCase()];
  const received = typeof sent === 'string' && sent !== '' ? shown(sent) : 'none.';
  return new DomainError('INVALID_REQUEST', `The ${name} header must ${rule}. Received: ${received}`);
}

function shown(text: string): string {
  return text.slice(0, 200);
}
