import { z } from 'zod';
import { defineCall } from './call';
import { channelNameSchema, channelSchema, idSchema, timeSchema } from './values';

/** Of a pin that names no end. */
export const DEFAULT_PIN_DAYS = 90;
export const MAX_PIN_DAYS = 365;
/** So many devices are named in one request. */
export const MAX_PINS_AT_ONCE = 100;

const count = z.int().min(0);

const validPins = {
  devices: count.meta({ description: 'How many devices are pinned.' }),
  first_expires_at: timeSchema.nullable(),
  last_expires_at: timeSchema.nullable(),
};

/** The pins of a build that are valid: their devices can't be listed, because only keyed hashes are stored. */
export const pinsSchema = z.object({ build_id: idSchema, ...validPins });
export type Pins = z.infer<typeof pinsSchema>;

/** Those of a channel: devices that are in its audience whatever its rules. */
export const channelPinsSchema = z.object({ channel: channelNameSchema, ...validPins });
export type ChannelPins = z.infer<typeof channelPinsSchema>;

export const pinWarningSchema = z.object({
  /** Null: it is about the build or the channel, and so about every device. */
  device_id: z.string().nullable(),
  warning: z.enum(['not_offered', 'newer_offered', 'not_newer', 'rolled_back', 'no_audience']),
  message: z.string(),
});
export type PinWarning = z.infer<typeof pinWarningSchema>;

const withWarnings = {
  warnings: z.array(pinWarningSchema).meta({ description: 'Why pins that were added have no effect now.' }),
};

const ofBuild = { appId: idSchema, id: idSchema };
const ofChannel = { appId: idSchema, channel: channelSchema };
const change = {
  add: z.array(z.string()).max(MAX_PINS_AT_ONCE),
  /** `all`: every pin there. */
  remove: z.union([z.array(z.string()).max(MAX_PINS_AT_ONCE), z.literal('all')]),
  /** Of the pins that are added. */
  expiresAt: timeSchema.optional(),
};
const refusals = ['PIN_LIMIT_REACHED', 'UPGRADE_NOT_FINISHED'] as const;

/** For a history: how many pins were added and removed, and how many are left until when. */
export const pinChange = { added: count, removed: count, devices: count, until: timeSchema.nullable() };
export type PinChange = z.infer<z.ZodObject<typeof pinChange>>;

/** Rejected with BUILD_NOT_FOUND. */
export const getPins = defineCall('deviceUpdates.getPins', z.object(ofBuild), pinsSchema);

/**
 * Pins devices to a build, and removes pins. A device that is pinned already gets the new end. Rejected with
 * BUILD_NOT_FOUND, and while the installation has no format that knows pins.
 */
export const changePins = defineCall(
  'deviceUpdates.changePins',
  z.object({ ...ofBuild, ...change }),
  pinsSchema.extend(withWarnings),
  [...refusals, 'BUILD_REPUBLISHED'],
);

export const getChannelPins = defineCall('deviceUpdates.getChannelPins', z.object(ofChannel), channelPinsSchema);

/** As changePins. Rejected with CHANNEL_NOT_FOUND. */
export const changeChannelPins = defineCall(
  'deviceUpdates.changeChannelPins',
  z.object({ ...ofChannel, ...change }),
  channelPinsSchema.extend(withWarnings),
  [...refusals, 'CHANNEL_NOT_FOUND'],
);

/** For the history of the build. Rejected with BUILD_NOT_FOUND. */
export const recordPins = defineCall(
  'buildPipeline.recordPins',
  z.object({ ...ofBuild, ...pinChange }),
  z.object({ recorded: z.literal(true) }),
  ['BUILD_REPUBLISHED', 'UPGRADE_NOT_FINISHED'],
);

/** How many of the facts about devices that are stored now are valid beyond a time: a rotation of their key ends them. */
export const countDeviceFacts = defineCall(
  'deviceUpdates.countDeviceFacts',
  z.object({ after: timeSchema }),
  z.object({ pins: count, groups: count.default(0), chosen_channels: count.default(0) }),
);
