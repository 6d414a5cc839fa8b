import {
  coerceVersion,
  ONE_NATIVE_RULE,
  rangeCovers,
  rangesOverlap,
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
export function nativeRulesOf({ nativeRange, fingerprint, platform }: Given<NativeRules>): NativeRules {
  return {
    ...(typeof nativeRange === 'string' && { nativeRange }),
    ...(typeof fingerprint === 'string' && { fingerprint }),
    ...(platform !== undefined && { platform }),
  };
}

/** @throws ValidationError for a rule that no device can be compared with, and for both rules about the native version */
export function requireNativeRules({ minNativeVersion, nativeRange, fingerprint }: Given<Rules>): void {
  requireNativeVersion(minNativeVersion);
  requireNativeRange(nativeRange);
  requireFingerprint(fingerprint);
  if (typeof minNativeVersion !== 'string' || typeof nativeRange !== 'string') return;
  throw new ValidationError({ min_native_version: [ONE_NATIVE_RULE], native_range: [ONE_NATIVE_RULE] });
}

/** Whether each device that can run this build can run the other one, as far as their native rules can be compared. */
export function everyDeviceCanRun(build: Rules, other: Rules): boolean {
  const { fingerprint, platform, nativeRange } = other;
  if (platform !== undefined && platform !== build.platform) return false;
  if (typeof fingerprint === 'string' && fingerprint !== build.fingerprint) return false;
  return typeof nativeRange !== 'string' || rangeCovers(nativeRange, rangeOf(build));
}

/** Whether any device that can run this build can run the other one. */
export function anyDeviceCanRun(build: Rules, other: Rules): boolean {
  if (build.platform !== undefined && other.platform !== undefined && build.platform !== other.platform) return false;
  const [one, another] = [build.fingerprint, other.fingerprint];
  if (typeof one === 'string' && typeof another === 'string' && one !== another) return false;
  return typeof other.nativeRange !== 'string' || rangesOverlap(other.nativeRange, rangeOf(build));
}

function rangeOf({ nativeRange, minNativeVersion }: Rules): string {
  return nativeRange ?? (typeof minNativeVersion === 'string' ? `>=${coerceVersion(minNativeVersion)}` : '*');
}
