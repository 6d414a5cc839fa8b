import type { Channel } from '@sluice/kernel/channels';
import { z } from 'zod';
import { defineCall } from './call';
import { pageOf, pageRequestSchema } from './paging';
import { audienceNamesSchema, audienceSchema } from './audience';
import { type PinChange, pinChange } from './pins';
import { channelNameSchema, channelSchema, idSchema, ifRevisionSchema, revisionOf, timeSchema } from './values';

export const appChannelSchema = z.object({
  name: channelNameSchema,
  id: channelSchema.meta({
    description:
      'Of a standard channel its name. A channel that is added under a name that was used before has another id.',
  }),
  standard: z.boolean().meta({ description: 'Whether every app has it, so that it can not be changed or deleted.' }),
  created_at: timeSchema.nullable().meta({ description: 'Null for a standard channel.' }),
  expires_at: timeSchema.nullable().meta({
    description: 'When it is deleted, with its builds. Null: it stays until a request deletes it.',
  }),
  audience: audienceSchema.nullable().default(null).meta({
    description: 'The devices that are offered its builds. Null: all devices.',
  }),
  self_assign: z.boolean().default(false).meta({ description: 'Whether devices may choose it themselves.' }),
  revision: revisionOf('channel').default(1),
});
export type AppChannel = z.infer<typeof appChannelSchema>;

/** Body of `POST /api/v1/channel`. */
export const channelChoiceBody = z.object({
  channel: channelNameSchema.describe('A channel of the app that devices may choose: its self_assign is true.'),
});

const ofChannel = z.object({ appId: idSchema, name: z.string() });

/** Rejected while the installation has no format that knows added channels. */
export const addChannel = defineCall(
  'registry.addChannel',
  ofChannel.extend({
    expiresAt: timeSchema.optional(),
    selfAssign: z.boolean().optional(),
    audience: audienceSchema.optional(),
    names: audienceNamesSchema.optional(),
  }),
  appChannelSchema,
  ['CHANNEL_EXISTS', 'CHANNEL_LIMIT_REACHED', 'UPGRADE_NOT_FINISHED'],
);

/** The standard ones first, then the others by name. `expires`: only those that expire, or only those that stay. */
export const listChannels = defineCall(
  'registry.listChannels',
  pageRequestSchema.extend({ appId: idSchema, expires: z.boolean().optional() }),
  pageOf(appChannelSchema),
);

/** Rejected with CHANNEL_NOT_FOUND. */
export const getChannel = defineCall('registry.getChannel', ofChannel, appChannelSchema, ['CHANNEL_NOT_FOUND']);

/**
 * Members left out stay as they are. Rejected with CHANNEL_NOT_FOUND; with CHANNEL_REQUIRED where a standard channel is to
 * get anything else than an audience.
 */
export const editChannel = defineCall(
  'registry.editChannel',
  ofChannel.extend({
    ifRevision: ifRevisionSchema,
    expiresAt: timeSchema.nullable().optional(),
    selfAssign: z.boolean().optional(),
    audience: audienceSchema.nullable().optional(),
    names: audienceNamesSchema.optional(),
  }),
  appChannelSchema,
  ['CHANNEL_CHANGED', 'CHANNEL_NOT_FOUND', 'CHANNEL_REQUIRED', 'UPGRADE_NOT_FINISHED'],
);

/** With its builds. Rejected with CHANNEL_NOT_FOUND. */
export const removeChannel = defineCall(
  'registry.removeChannel',
  ofChannel.extend({ ifRevision: ifRevisionSchema }),
  z.object({ deleted: z.literal(true), name: z.string() }),
  ['CHANNEL_CHANGED', 'CHANNEL_NOT_FOUND', 'CHANNEL_REQUIRED'],
);

/**
 * For the history of the channel: how many devices were pinned and unpinned, and how many are left. Rejected with
 * CHANNEL_NOT_FOUND.
 */
export const recordChannelPins = defineCall(
  'registry.recordChannelPins',
  z.object({ appId: idSchema, channel: channelSchema, ...pinChange }),
  z.object({ recorded: z.literal(true) }),
  ['CHANNEL_NOT_FOUND', 'UPGRADE_NOT_FINISHED'],
);

interface OfChannel {
  readonly appId: number;
  readonly id: Channel;
  readonly name: string;
}

/** Streams `channels-{appId}`, as other services read them. */
export type ChannelsEvent =
  | {
      readonly type: 'ChannelAdded';
      readonly data: OfChannel & { readonly expiresAt?: string; readonly selfAssign?: boolean };
    }
  | {
      readonly type: 'ChannelEdited';
      readonly data: OfChannel & { readonly expiresAt: string | null; readonly selfAssign?: boolean };
    }
  | {
      readonly type: 'ChannelAudienceSet';
      readonly data: OfChannel & { readonly audience: AppChannel['audience'] };
    }
  | { readonly type: 'ChannelPinsChanged'; readonly data: OfChannel & PinChange }
  | { readonly type: 'ChannelExpiryDue'; readonly data: OfChannel }
  /** From here on nothing more goes in, and its builds go. */
  | { readonly type: 'ChannelRemoved'; readonly data: OfChannel }
  /** Devices that name it are no longer notified that it is closed. */
  | { readonly type: 'ChannelForgotten'; readonly data: OfChannel }
  /** The app is being removed. */
  | { readonly type: 'ChannelsClosed'; readonly data: { readonly appId: number } };
