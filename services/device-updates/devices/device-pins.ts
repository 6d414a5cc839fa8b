import type { Collection } from '@sluice/document-store';
import type { DeviceRow } from './followed-rows';

/** A device that is pinned to a build or a channel. The id is `appId/target/device`. */
export interface DevicePin extends DeviceRow {
  /** The id of the build, as text, or the channel. */
  readonly target: string;
  /** Milliseconds since 1970. A pin that was removed expired when its row was written. */
  readonly expiresAt: number;
}

/** In the state store. */
export const devicePins: Collection<DevicePin> = {
  name: 'devicePins',
  indexes: [
    { fields: ['at'] },
    { fields: ['expiresAt'] },
    { fields: ['appId', 'target', 'expiresAt'] },
    { fields: ['device'], unordered: true },
  ],
};

/** Ids of channels are never digits alone. */
export function isBuildTarget(target: string): boolean {
  return /^\d+$/.test(target);
}
