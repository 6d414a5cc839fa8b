import {
  coerceVersion,
  ONE_NATIVE_RULE,
  rangeCovers,
  rangesOverlap,
  requireDelivery,
  requireFingerprint,
  requireNativeRange,
  requireNativeVersion,
  ValidationError,
} from '@sluice/kernel';
import type { BuildFacts, NativeRules } from './channel-events';

type Rules = Partial<Pick<BuildFacts, 'minNativeVersion'>> & NativeRules;
/** Members that a command may leave out. */
type Given<Members> = { readonly [Name in keyof Members]?: Members[Name] | undefined };

/** Those that a build has, for an event. */
export function nativeRulesOf({ nativeRange, fingerprint, platform, delivery }: Given<NativeRules>): NativeRules {
  return {
    ...(typeof nativeRange === 'string' && { nativeRange }),
    ...(typeof fingerprint === 'string' && { fingerprint }),
    ...(platform !== undefined && { platform }),
    ...(delivery !== undefined && { delivery }),
  };
}

/** @throws ValidationError for a rule that no device can be compared with, and for both rules about the native version */
export function requireNativeRules({ minNativeVersion, nativeRange, fingerprint, delivery }: Given<Rules>): void {
  requireNativeVersion(minNativeVersion);
  requireNativeRange(nativeRange);
  requireFingerprint(fingerprint);
  requireDelivery(delivery);
  if (typeof minNativeVersion !== 'string' || typeof nativeRange !== 'string') return;
  throw new ValidationError({ min_native_version: [ONE_NATIVE_RULE], native_range: [ONE_NATIVE_RULE] });
}

/** Whether each device that can run this build can run the other one, as far as their native rules can be compared. */
export function everyDeviceCanRun(build: Rules, other: Rules): boolean {
  const { fingerprint, platform, delivery } = other;
  if (!areDecryptedAlike(build, other)) return false;
  const key = delivery?.capgo.key_id;
  if (key !== undefined && key !== build.delivery?.capgo.key_id) return false;
  if (platform !== undefined && platform !== build.platform) return false;
  if (typeof fingerprint === 'string' && fingerprint !== build.fingerprint) return false;
  return rangeCovers(rangeOf(other), rangeOf(build));
}

/** Whether any device that can run this build can run the other one. */
export function anyDeviceCanRun(build: Rules, other: Rules): boolean {
  if (!areDecryptedAlike(build, other)) return false;
  if (build.platform !== undefined && other.platform !== undefined && build.platform !== other.platform) return false;
  const [one, another] = [build.fingerprint, other.fingerprint];
  if (typeof one === 'string' && typeof another === 'string' && one !== another) return false;
  return rangesOverlap(rangeOf(other), rangeOf(build));
}

/** Clients with a key reject a bundle that is not encrypted, and those without one cannot decrypt. */
function areDecryptedAlike({ delivery: one }: Rules, { delivery: other }: Rules): boolean {
  if (one === undefined || other === undefined) return one === other;
  const [key, otherKey] = [one.capgo.key_id, other.capgo.key_id];
  return key === undefined || otherKey === undefined || key === otherKey;
}

function rangeOf({ nativeRange, minNativeVersion }: Rules): string {
  return nativeRange ?? (typeof minNativeVersion === 'string' ? `>=${coerceVersion(minNativeVersion)}` : '*');
}
