/** The channels that every app has. */
export const STANDARD_CHANNELS = ['production', 'staging', 'development'] as const;
export type StandardChannel = (typeof STANDARD_CHANNELS)[number];

/**
 * What events and services identify a channel by: a standard one by its name, one that an app has added by
 * `{name}.{number}`. The number is never used again, so that a name which is used again is another channel.
 */
export type Channel = string;

export const CHANNEL_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const CHANNEL_NAME_RULE =
  'The name of a channel has 1 to 63 lower-case letters, digits and hyphens, and does not begin with a hyphen.';

/** What people call the channel. */
export function channelName(channel: Channel): string {
  const end = channel.indexOf('.');
  return end < 0 ? channel : channel.slice(0, end);
}

/** Of an added channel, higher than that of every earlier one of its app; 0 of a standard one. */
export function channelNumber(channel: Channel): number {
  const end = channel.indexOf('.');
  return end < 0 ? 0 : Number(channel.slice(end + 1));
}

const standard: ReadonlySet<unknown> = new Set(STANDARD_CHANNELS);

export function isStandardChannel(channel: unknown): channel is StandardChannel {
  return standard.has(channel);
}
