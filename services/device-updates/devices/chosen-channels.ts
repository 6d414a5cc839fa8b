import type { Collection } from '@sluice/document-store';
import type { Channel } from '@sluice/kernel';
import type { DeviceRow } from './followed-rows';

/** The channel that a device has chosen. The id is `appId/device`. */
export interface ChosenChannel extends DeviceRow {
  readonly channel: Channel;
  /** Milliseconds since 1970. A choice that was taken back expired when its row was written. */
  readonly expiresAt: number;
}

/** Whether the choice is still in force. */
export const isInForce = ({ expiresAt, at }: Pick<ChosenChannel, 'expiresAt' | 'at'>, now: number): boolean =>
  expiresAt > Math.max(at, now);

/** In the state store. */
export const chosenChannels: Collection<ChosenChannel> = {
  name: 'chosenChannels',
  indexes: [{ fields: ['at'] }, { fields: ['expiresAt'] }, { fields: ['appId', 'channel'] }],
};
