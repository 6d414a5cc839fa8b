import type { Delivery, Version, VersionRange } from '@sluice/kernel';

/** Which native apps can run a build. Undefined or left out: the rule does not restrict it. */
export interface NativeRules {
  readonly minNativeVersion: Version | undefined;
  readonly nativeRange?: VersionRange | undefined;
  readonly fingerprint?: string | undefined;
  readonly platform?: 'ios' | 'android' | undefined;
  /** The bundle is encrypted for it. */
  readonly client?: DecryptingClient | undefined;
}

/** A client of another update service, which gets bundles that others cannot decrypt. */
export type DecryptingClient = keyof Delivery;

export type DevicePlatform = 'ios' | 'android' | 'web' | 'all';

/** What a device says of its native app. */
export interface NativeApp {
  readonly platform: DevicePlatform;
  /** Undefined: not sent, so not gated. */
  readonly nativeVersion: Version | undefined;
  /** Undefined: not sent, so no build that names one fits. */
  readonly fingerprint?: string | undefined;
  /** Undefined: one that decrypts nothing. */
  readonly client?: DecryptingClient | undefined;
}

export function fitsNativeApp(build: NativeRules, app: NativeApp): boolean {
  return (
    meetsNativeVersion(build, app) &&
    isInNativeRange(build, app) &&
    hasFingerprint(build, app) &&
    isForPlatform(build, app) &&
    isForClient(build, app)
  );
}

export function isForEveryNativeApp(rules: NativeRules): boolean {
  const { minNativeVersion, nativeRange, fingerprint, platform, client } = rules;
  return [minNativeVersion, nativeRange, fingerprint, platform, client].every((rule) => rule === undefined);
}

export function meetsNativeVersion(
  { minNativeVersion }: NativeRules,
  { nativeVersion }: Pick<NativeApp, 'nativeVersion'>,
): boolean {
  return minNativeVersion === undefined || nativeVersion === undefined || nativeVersion.compare(minNativeVersion) >= 0;
}

export function isInNativeRange(
  { nativeRange }: NativeRules,
  { nativeVersion }: Pick<NativeApp, 'nativeVersion'>,
): boolean {
  return nativeRange === undefined || nativeVersion === undefined || nativeRange.includes(nativeVersion);
}

export function hasFingerprint({ fingerprint }: NativeRules, app: Pick<NativeApp, 'fingerprint'>): boolean {
  return fingerprint === undefined || fingerprint === app.fingerprint;
}

export function isForPlatform({ platform }: NativeRules, app: Pick<NativeApp, 'platform'>): boolean {
  return platform === undefined || platform === app.platform;
}

/** Whether a client of this kind can decrypt the bundle, or does not have to. */
export function isForClient({ client }: NativeRules, app: Pick<NativeApp, 'client'>): boolean {
  return client === undefined || client === app.client;
}

/** The lowest native version that would run the build; undefined: it runs this one, or no later one would do. */
export function nativeUpdateFor({ nativeRange }: NativeRules, { nativeVersion }: NativeApp): Version | undefined {
  if (nativeRange === undefined || nativeVersion === undefined || nativeRange.includes(nativeVersion)) return undefined;
  return nativeRange.lowestAbove(nativeVersion);
}
