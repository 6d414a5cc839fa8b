import type { Platform } from '@sluice/contracts';
import { platforms } from '../../../texts/shared';

export const PLATFORMS: readonly (readonly [Platform, string])[] = [
  ['both', platforms.both],
  ['ios', platforms.ios],
  ['android', platforms.android],
];
