import { channelSchema, type RegistryEvent } from '@sluice/contracts';
import type { ProcessManager } from '@sluice/projections';
import { causedBy, type CommandHandling } from '@sluice/event-store';
import { channelDecider, channelStream } from './domain/channel';

const QUIETLY = { waitForReaders: false };

/**
 * Closes the channels of an app whose removal has begun, as the registry asks for too, and deletes
 * their builds: with these go their rows, their jobs and, by the sweep, the bundles. Told to stop, it
 * leaves what remains of them to the next start.
 */
export function channelEmptier(commands: CommandHandling): ProcessManager<RegistryEvent> {
  return {
    name: 'channel-emptier',
    prefixes: ['app-'],
    react: async (event, stopping) => {
      if (event.type !== 'AppRemovalStarted') return;
      const { data } = event;
      const context = (step: string) => causedBy(event, 'system:app-removal', step);
      for (const channel of channelSchema.options) {
        const stream = channelStream(data.id, channel);
        const close = { type: 'CloseChannel', appId: data.id, channel } as const;
        let { state } = await commands.handle(channelDecider, stream, close, context(`close-${channel}`), QUIETLY);
        for (let step = 1; state.builds.size > 0; step += 1) {
          stopping.throwIfAborted();
          const cause = context(`empty-${channel}-${step}`);
          ({ state } = await commands.handle(channelDecider, stream, { type: 'EmptyChannel' }, cause, QUIETLY));
        }
      }
    },
  };
}
