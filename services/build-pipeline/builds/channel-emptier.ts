import type { ChannelsEvent, RegistryEvent } from '@sluice/contracts';
import type { ProcessManager } from '@sluice/projections';
import { causedBy, type CommandHandling, type Recorded } from '@sluice/event-store';
import { type Channel, STANDARD_CHANNELS } from '@sluice/kernel';
import { channelDecider, channelStream } from './domain/channel';

const QUIETLY = { waitForReaders: false };

type Removal = RegistryEvent | ChannelsEvent;

/**
 * Closes a channel that was removed, and the standard ones of an app whose removal has begun, and deletes their builds:
 * with these go their rows, their jobs and, by the sweep, the bundles. Told to stop, it leaves what remains of them to
 * the next start.
 */
export function channelEmptier(commands: CommandHandling): ProcessManager<Removal> {
  const empty = async (event: Recorded<Removal>, appId: number, channel: Channel, actor: string, stop: AbortSignal) => {
    const context = (step: string) => causedBy(event, actor, step);
    const stream = channelStream(appId, channel);
    const close = { type: 'CloseChannel', appId, channel } as const;
    let { state } = await commands.handle(channelDecider, stream, close, context(`close-${channel}`), QUIETLY);
    for (let step = 1; state.builds.size > 0; step += 1) {
      stop.throwIfAborted();
      const cause = context(`empty-${channel}-${step}`);
      ({ state } = await commands.handle(channelDecider, stream, { type: 'EmptyChannel' }, cause, QUIETLY));
    }
  };
  return {
    name: 'channel-emptier',
    prefixes: ['app-', 'channels-'],
    react: async (event, stopping) => {
      if (event.type === 'ChannelRemoved') {
        await empty(event, event.data.appId, event.data.id, 'system:channel-removal', stopping);
      } else if (event.type === 'AppRemovalStarted') {
        for (const channel of STANDARD_CHANNELS) {
          await empty(event, event.data.id, channel, 'system:app-removal', stopping);
        }
      }
    },
  };
}
