import type { Collection } from '@sluice/document-store';
import type { DeviceRow } from './followed-rows';

/** A device that is pinned to a build. The id is `appId/buildId/device`. */
export interface DevicePin extends DeviceRow {
  readonly buildId: number;
  /** Milliseconds since 1970. A pin that was removed expired when its row was written. */
  readonly expiresAt: number;
}

/** In the state store. */
export const devicePins: Collection<DevicePin> = {
  name: 'devicePins',
  indexes: [
    { fields: ['at'] },
    { fields: ['expiresAt'] },
    { fields: ['buildId', 'expiresAt'] },
    { fields: ['device'], unordered: true },
  ],
};
