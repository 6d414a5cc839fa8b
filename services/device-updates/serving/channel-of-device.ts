import type { Channel, Explanation } from '@sluice/contracts';
import type { KeyChannels } from './domain/key-channels';
import type { NamedChannel, ServingIndex } from './serving-index';
import type { ServingApp } from './serving.projection';

/** A device that asks for a channel. */
export interface ChannelRequest {
  /** Of the API key; undefined: it is for all channels. */
  readonly keyChannels: KeyChannels | undefined;
  /** The name that the device sends; undefined: none. */
  readonly requested: unknown;
  readonly platform: string | undefined;
  /** Under which the device may be stored; called only for apps in which devices have chosen channels. */
  readonly hashes: () => readonly string[];
}

export interface ChannelOfDevice {
  /** What the request names, or would name; undefined: no channel of the app. It has to exist also where a chosen one is served. */
  readonly named: NamedChannel | undefined;
  /** The channel that the device has chosen, which is served in place of `named`; undefined: it has chosen none. */
  readonly chosen: Channel | undefined;
  /** Undefined: from the API key. */
  readonly from: Explanation['channel_from'] | undefined;
}

/**
 * The channel that a device gets: the only one of its API key, else the one that it has chosen, else the one that it names, else
 * the default of the app for its platform, else production.
 */
export function channelOfDevice(
  index: Pick<ServingIndex, 'channel' | 'channelChoices' | 'defaultChannel' | 'isServedByChoice'>,
  app: ServingApp,
  { keyChannels, requested, platform, hashes }: ChannelRequest,
): ChannelOfDevice {
  const { appId } = app;
  const only = keyChannels?.only;
  if (only !== undefined) {
    return { named: index.channel(appId, requested ?? only), chosen: undefined, from: undefined };
  }
  const latest = index.channelChoices.isUsedBy(appId) ? index.channelChoices.of(appId, hashes())?.channel : undefined;
  const chosen = latest !== undefined && index.isServedByChoice(appId, latest, keyChannels) ? latest : undefined;
  if (requested !== undefined) {
    return {
      named: index.channel(appId, requested),
      chosen,
      from: chosen === undefined ? 'requested' : 'self_assigned',
    };
  }
  if (chosen !== undefined) return { named: { channel: chosen, closed: false }, chosen, from: 'self_assigned' };
  const byDefault = index.defaultChannel(app, platform);
  if (byDefault !== undefined && keyChannels?.admits(byDefault.channel) !== false) {
    return { named: byDefault, chosen, from: 'default' };
  }
  return { named: index.channel(appId, 'production'), chosen, from: 'production' };
}
