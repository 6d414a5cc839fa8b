import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ValidationError } from '@sluice/kernel';
import { rememberingVersions } from '../../serving/domain/remembering-versions';
import type { ServedBuild } from '../../serving/served-builds';

/** Names of members: `package_hash` since version 3.0 of the client's SDK, `packageHash` before. */
export type Spelling = 'snake' | 'camel';

/** What clients of CodePush send with a check or a report; '' for what they leave out. */
export interface CodePushRequest {
  /** The app key, alone or with a channel. */
  readonly deploymentKey: string;
  /** Of the native app, or in a report that of the package. As it was sent: clients get it back unchanged. */
  readonly appVersion: string;
  readonly packageHash: string;
  readonly label: string;
  readonly clientId: string;
  /** Any native app will do. */
  readonly isCompanion: boolean;
  readonly status: string;
  readonly previous: string;
}

type Members = Readonly<Record<string, unknown>>;

export function codePushRequest(members: Members, spelling: Spelling): CodePushRequest {
  const text = (name: string): string => {
    const value = members[spelling === 'snake' ? name : camel(name)];
    // Some clients send the text "undefined" for what they do not have.
    return typeof value === 'string' && value !== 'undefined' ? value : '';
  };
  return {
    deploymentKey: text('deployment_key'),
    appVersion: text('app_version'),
    packageHash: text('package_hash'),
    label: text('label'),
    clientId: text('client_unique_id'),
    isCompanion: text('is_companion') === 'true',
    status: text('status'),
    previous: text('previous_label_or_app_version'),
  };
}

const CAMEL = new Map<string, string>();

function camel(name: string): string {
  const known = CAMEL.get(name);
  if (known !== undefined) return known;
  const made = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  CAMEL.set(name, made);
  return made;
}

/** A member of a response, as the spelling has it. */
export function spelt(name: string, spelling: Spelling): string {
  if (spelling === 'snake') return name;
  return LEGACY[name] ?? camel(name);
}

const LEGACY: Readonly<Record<string, string>> = { download_url: 'downloadURL', target_binary_range: 'appVersion' };

const versionOf = rememberingVersions();

/** @throws ValidationError */
export function requireKey({ deploymentKey }: CodePushRequest): void {
  if (deploymentKey === '') throw new ValidationError({ deployment_key: ['The deployment_key is required.'] });
}

/** @throws ValidationError */
export function requireVersion({ appVersion }: CodePushRequest): void {
  if (versionOf(appVersion) !== undefined) return;
  const fault =
    appVersion === ''
      ? 'The app_version is required.'
      : `The app_version must be a version like 1.2.3. Received: ${appVersion.slice(0, 50)}`;
  throw new ValidationError({ app_version: [fault] });
}

/** Names a release for the clients. With its version, so that it says what a device runs also once the build is deleted. */
export function labelOf({ facts: { release = 0, version } }: Pick<ServedBuild, 'facts'>): string {
  return `v${release}-${version}`;
}

const LABEL = /^v(\d{1,15})-(.{1,250})$/;

/** Undefined for a label that labelOf did not make, such as `v7` of another server. */
export function readLabel(label: string): { readonly release: number; readonly version: string } | undefined {
  const [, release = '', version = ''] = LABEL.exec(label) ?? [];
  return release !== '' && versionOf(version)?.version === version ? { release: Number(release), version } : undefined;
}

/** The headers by which a client of Sluice sends the same. The address of the client stays. */
export function headersOf(
  { headers }: Pick<IncomingMessage, 'headers'>,
  key: string,
  { clientId, appVersion, isCompanion }: CodePushRequest,
  { platform, version }: { readonly platform: string; readonly version: string },
): IncomingHttpHeaders {
  return {
    origin: headers.origin,
    'x-forwarded-for': headers['x-forwarded-for'],
    'x-api-key': key,
    'x-device-id': asHeader(clientId),
    'x-platform': platform,
    'x-app-version': isCompanion ? undefined : appVersion,
    'x-current-version': version,
    'x-bundle-version': version,
  };
}

/** As Node reads it: the bytes of UTF-8, each as a character. */
function asHeader(text: string): string {
  return /^[ -~]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}
