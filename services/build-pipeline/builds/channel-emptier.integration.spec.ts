import { join } from 'node:path';
import type { RegistryEvent } from '@sluice/contracts';
import { createCommandHandling, type CommandHandling, type Recorded } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newCommandId, newUlid, systemClock } from '@sluice/kernel';
import { temporaryDirectory } from '@sluice/testing';
import { channelDecider, channelStream, type ChannelCommand } from './domain/channel';
import { channelEmptier } from './channel-emptier';

const CHANNELS = ['production', 'staging'] as const;

it('leaves the rest to the next start when it is stopped', async () => {
  const folder = temporaryDirectory();
  const events = await openSqliteEventStore({ path: join(folder, 'events.db') });
  try {
    const commands = createCommandHandling({ store: events, clock: systemClock, visible: () => Promise.resolve() });
    for (const [index, channel] of CHANNELS.entries()) {
      const build = {
        ...{ buildId: index + 1, jobId: newUlid(), bundleId: `bundle-${index}`, appId: 7, channel, version: '1.0.0' },
        ...{ objectKey: `bundles/${index}.zip`, size: 1, checksum: 'ab'.repeat(32), signature: null },
        ...{ releaseNotes: null, minNativeVersion: null, rolloutPercentage: 100, mandatory: false },
      };
      const by = { commandId: newCommandId(), actor: 'token:1' };
      await commands.handle(channelDecider, channelStream(7, channel), { type: 'AcceptBuild', build }, by);
    }
    const left = async () => {
      const states = CHANNELS.map((channel) => commands.load(channelDecider, channelStream(7, channel)));
      return (await Promise.all(states)).map(({ state }) => state.builds.size);
    };
    const by = { commandId: newCommandId(), actor: 'token:1', correlationId: 'c', causationId: 'c' };
    const event = {
      ...{
        id: newCommandId(),
        type: 'AppRemovalStarted',
        data: { id: 7 },
        stream: 'app-7',
        revision: 1,
        position: '1',
      },
      metadata: { ...by, at: '2026-01-01T00:00:00.000Z' },
    } as unknown as Recorded<RegistryEvent>;

    const stop = new AbortController();
    const stoppedMeanwhile: CommandHandling = {
      ...{ repeat: (...call) => commands.repeat(...call), load: (...call) => commands.load(...call) },
      handle: (decider, stream, command, context, options) => {
        if ((command as ChannelCommand).type === 'EmptyChannel') stop.abort();
        return commands.handle(decider, stream, command, context, options);
      },
    };
    await expect(channelEmptier(stoppedMeanwhile).react(event, stop.signal)).rejects.toThrow();
    expect(await left()).toEqual([0, 1]);
    await channelEmptier(commands).react(event, new AbortController().signal);
    expect(await left()).toEqual([0, 0]);
  } finally {
    await events.close();
  }
});
