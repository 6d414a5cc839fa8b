import { type Channel, channelName } from '@sluice/kernel';

/** The channels that a key may be used for. */
export interface KeyChannels {
  /** The name of the only one; undefined: there are several, or none. */
  readonly only: string | undefined;
  readonly admits: (channel: Channel) => boolean;
}

/**
 * @param own the channel that the key belongs to: a later channel of the same name is another one
 * @param names of the channels that its restrictions allow; undefined or empty: all
 */
export function keyChannels(own: Channel | undefined, names: readonly string[] = []): KeyChannels | undefined {
  if (own === undefined && names.length === 0) return undefined;
  const allowed = new Set(names);
  const isAllowed = (name: string) => allowed.size === 0 || allowed.has(name);
  const only = own === undefined ? (allowed.size === 1 ? names[0] : undefined) : channelName(own);
  return {
    only,
    admits: (channel) => (own === undefined || channel === own) && isAllowed(channelName(channel)),
  };
}
