import type { ChannelsEvent } from '@sluice/contracts';
import type { CommandHandling } from '@sluice/event-store';
import { type Channel, type Decider, SortedMap, STANDARD_CHANNELS, unknownEvent } from '@sluice/kernel';

/** By id, those that the app has added and that are there; folded from the registry's stream. */
type AddedChannels = SortedMap<Channel, Channel>;

const addedChannels: Decider<AddedChannels, never, ChannelsEvent> = {
  initialState: () => new SortedMap(),
  decide: () => [],
  evolve: (added, event) => {
    switch (event.type) {
      case 'ChannelAdded':
        return added.set(event.data.id, event.data.id);
      case 'ChannelRemoved':
        return added.delete(event.data.id);
      case 'ChannelsClosed':
        return new SortedMap();
      case 'ChannelEdited':
      case 'ChannelAudienceSet':
      case 'ChannelPinsChanged':
      case 'ChannelExpiryDue':
      case 'ChannelForgotten':
        return added;
      default:
        return unknownEvent(event);
    }
  },
};

/** The standard channels, then those that the app has added. @throws UnavailableError */
export async function channelsOf(commands: Pick<CommandHandling, 'load'>, appId: number): Promise<readonly Channel[]> {
  const { state } = await commands.load(addedChannels, `channels-${appId}`);
  return [...STANDARD_CHANNELS, ...state.values()];
}
