import type { Collection, Row } from '@sluice/document-store';
import { type Channel, unknownEvent } from '@sluice/kernel';
import type { Projection } from '@sluice/projections';
import type { ChannelsEvent } from './domain/channels';

interface OfChannel extends Row {
  readonly appId: number;
  readonly name: string;
  readonly channel: Channel;
}

/** A channel that an app has added. Its id is `{appId}/{name}`. */
export interface ChannelRow extends OfChannel {
  /** ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** As `expiresAt`, in milliseconds since 1970; 0: never. */
  readonly dueAt: number;
  /** As AddedChannel has them. */
  readonly dues: number;
}

/** A channel that was removed, and of which devices are notified that it is closed. Its id is `{appId}/{name}`. */
export interface ClosedChannelRow extends OfChannel {
  /** Milliseconds since 1970. */
  readonly removedAt: number;
}

export const channelRows: Collection<ChannelRow> = {
  name: 'channels',
  indexes: [{ fields: ['appId', 'name'] }, { fields: ['dueAt'] }],
};

export const closedChannelRows: Collection<ClosedChannelRow> = {
  name: 'closedChannels',
  indexes: [{ fields: ['removedAt'] }, { fields: ['appId'] }],
};

export const channelsProjection: Projection<ChannelsEvent> = {
  name: 'channels',
  version: 1,
  prefixes: ['channels-'],
  collections: [channelRows, closedChannelRows],
  apply: async (event, rows) => {
    if (event.type === 'ChannelsClosed') {
      const { appId } = event.data;
      await rows.deleteWhere(channelRows, { appId });
      return rows.deleteWhere(closedChannelRows, { appId });
    }
    const { appId, id: channel, name } = event.data;
    const id = `${appId}/${name}`;
    const { at } = event.metadata;
    switch (event.type) {
      case 'ChannelAdded': {
        const { expiresAt = null } = event.data;
        const created = { createdAt: at, expiresAt, dueAt: timeOf(expiresAt), dues: 0 };
        rows.put(channelRows, { id, appId, name, channel, ...created });
        rows.delete(closedChannelRows, id);
        return;
      }
      case 'ChannelEdited': {
        const { expiresAt } = event.data;
        return rows.update(channelRows, id, (row) => ({ ...row, expiresAt, dueAt: timeOf(expiresAt) }));
      }
      case 'ChannelExpiryDue':
        return rows.update(channelRows, id, (row) => ({ ...row, dues: row.dues + 1 }));
      case 'ChannelRemoved':
        rows.delete(channelRows, id);
        rows.put(closedChannelRows, { id, appId, name, channel, removedAt: Date.parse(at) });
        return;
      case 'ChannelForgotten':
        rows.delete(closedChannelRows, id);
        return;
      default:
        return unknownEvent(event);
    }
  },
};

function timeOf(expiresAt: string | null): number {
  return expiresAt === null ? 0 : Date.parse(expiresAt);
}
