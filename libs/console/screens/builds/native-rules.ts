import type { Build } from '@sluice/contracts';

/** Which native apps can run a build. A server of an earlier release returns the first member alone. */
export type NativeRules = Pick<Build, 'min_native_version'> &
  Partial<Pick<Build, 'native_range' | 'fingerprint' | 'platform'>>;

export const isForEvery = ({ min_native_version, native_range, fingerprint, platform = 'all' }: NativeRules): boolean =>
  [min_native_version, native_range, fingerprint].every((rule) => typeof rule !== 'string') && platform === 'all';

/** Whether devices of one platform may be offered either build. */
export const isSamePlatform = (one: Partial<NativeRules>, other: Partial<NativeRules>): boolean =>
  [one, other].some(({ platform = 'all' }) => platform === 'all') || one.platform === other.platform;
