import type { AppChannel, PinChange } from '@sluice/contracts';
import type { Collection, Row } from '@sluice/document-store';
import { type Channel, unknownEvent } from '@sluice/kernel';
import type { Projection } from '@sluice/projections';
import type { ChannelsEvent } from './domain/channels';

interface OfChannel extends Row {
  readonly appId: number;
  readonly name: string;
  readonly channel: Channel;
}

/** A channel that an app has added, or a standard one that has had an audience or pins. Its id is `{appId}/{name}`. */
export interface ChannelRow extends OfChannel {
  /** ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** As `expiresAt`, in milliseconds since 1970; 0: never. */
  readonly dueAt: number;
  /** Left out: no. */
  readonly selfAssign?: boolean;
  /** As AddedChannel has them. */
  readonly dues: number;
  /** Left out, or null: all devices. */
  readonly audience?: AppChannel['audience'];
  /** Left out: none. */
  readonly pins?: Pick<PinChange, 'devices' | 'until'>;
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
    const change = async (values: Partial<ChannelRow>) => {
      const known: ChannelRow[] = [];
      await rows.update(channelRows, id, (row) => {
        known.push(row);
        return { ...row, ...values };
      });
      const standard = { id, appId, name, channel, createdAt: at, expiresAt: null, dueAt: timeOf(null), dues: 0 };
      if (known.length === 0) rows.put(channelRows, { ...standard, ...values });
    };
    switch (event.type) {
      case 'ChannelAdded': {
        const { expiresAt = null, selfAssign = false } = event.data;
        const created = { createdAt: at, expiresAt, dueAt: timeOf(expiresAt), dues: 0, selfAssign };
        rows.put(channelRows, { id, appId, name, channel, ...created });
        rows.delete(closedChannelRows, id);
        return;
      }
      case 'ChannelEdited': {
        const { expiresAt } = event.data;
        return rows.update(channelRows, id, ({ selfAssign: held, ...row }) => {
          const { selfAssign = held ?? false } = event.data;
          return { ...row, expiresAt, dueAt: timeOf(expiresAt), selfAssign };
        });
      }
      case 'ChannelAudienceSet':
        return change({ audience: event.data.audience });
      case 'ChannelPinsChanged': {
        const { devices, until } = event.data;
        return change({ pins: { devices, until } });
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
