import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '@sluice/kernel';
import type { KeyUsage } from './key-usage';
import { blockedReason, type Admits, type CallerIdentity } from '../serving/domain/restrictions';

/** Longer headers are told back cut off. */
const MAX_TOLD_LENGTH = 255;

/** @throws DomainError API_KEY_RESTRICTED that tells what the caller itself sent, never what is allowed */
export function refuseRestricted(keyId: number, admits: Admits, usage: KeyUsage, headers: IncomingHttpHeaders): void {
  const caller = callerIdentity(headers);
  if (admits(caller)) return;
  const reason = blockedReason(caller);
  usage.blocked(keyId, reason);
  const told = {
    origin: caller.origin,
    android_package: caller.androidPackage,
    android_cert_sha256: caller.androidSha256,
    android_cert_sha1: caller.androidSha1,
    ios_bundle_id: caller.iosBundleId,
    ios_team_id: caller.iosTeamId,
  };
  const details = Object.fromEntries(
    Object.entries(told).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, text.slice(0, MAX_TOLD_LENGTH)] as const],
    ),
  );
  throw new DomainError('API_KEY_RESTRICTED', 'This app API key is not for this caller.', {
    reason,
    ...details,
  });
}

function callerIdentity(headers: IncomingHttpHeaders): CallerIdentity {
  return {
    origin: sent(headers.origin),
    androidPackage: sent(headers['x-android-package']),
    androidSha256: sent(headers['x-android-cert-sha256']),
    androidSha1: sent(headers['x-android-cert-sha1']),
    iosBundleId: sent(headers['x-ios-bundle-id']),
    iosTeamId: sent(headers['x-ios-team-id']),
  };
}

function sent(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
