import type { Platform } from '@sluice/contracts';

export const PLATFORMS: readonly (readonly [Platform, string])[] = [
  ['both', 'iOS and Android'],
  ['ios', 'iOS'],
  ['android', 'Android'],
];

export function platformWords(platform: Platform): string {
  return PLATFORMS.find(([each]) => each === platform)?.[1] ?? platform;
}
