import { Inject, Injectable } from '@nestjs/common';
import {
  causedBy,
  type CommandContext,
  type CommandHandling,
  COMMANDS,
  createSequence,
  type HandleOptions,
  type Recorded,
  type Sequence,
} from '@sluice/event-store';
import { DomainError, stableUuid } from '@sluice/kernel';
import type { ProcessManager } from '@sluice/projections';
import { channelsOf } from './app-channels';
import {
  type ChannelBuild,
  channelDecider,
  type ChannelEvent,
  type ChannelState,
  channelStream,
  isGone,
  type RecallTarget,
} from './domain/channel';

type Recalled = Extract<ChannelEvent, { type: 'BuildRecalled' }>;
/** A bundle, and the channel in which it is recalled. */
type Bundle = Pick<ChannelBuild, 'appId' | 'channel' | 'checksum'>;

/** Builds with the same bundle in the other channels of an app. */
@Injectable()
export class RecalledCopies {
  private readonly ids: Sequence;

  /** Completes recalls everywhere that a stopped process left half done. */
  readonly process: ProcessManager<ChannelEvent> = {
    name: 'recalled-copies',
    prefixes: ['channel-'],
    react: async (event) => {
      if (event.type === 'BuildRecalled' && event.data.everywhere === true) {
        await this.recall(event, { waitForReaders: false });
      }
    },
  };

  constructor(@Inject(COMMANDS) private readonly commands: CommandHandling) {
    this.ids = createSequence({ commands, name: 'builds' });
  }

  /** That devices could run, republished ones left out: those that are recalled, and those that are not. */
  async of({ appId, channel, checksum }: Bundle): Promise<{ recalled: ChannelBuild[]; others: ChannelBuild[] }> {
    const recalled: ChannelBuild[] = [];
    const others: ChannelBuild[] = [];
    for (const other of await channelsOf(this.commands, appId)) {
      if (other === channel) continue;
      const { state } = await this.commands.load(channelDecider, channelStream(appId, other));
      for (const copy of copiesIn(state, checksum)) {
        (state.recalls.get(copy.buildId) === undefined ? others : recalled).push(copy);
      }
    }
    return { recalled, others };
  }

  /** Recalls each in its own channel, to the same kind of target. The same event again changes nothing. */
  async recall(event: Recorded<Recalled>, options?: HandleOptions): Promise<void> {
    const { target, reason } = event.data;
    const to = typeof target === 'number' ? undefined : target;
    for (const { appId, channel, buildId } of (await this.of(event.data)).others) {
      const context = (step: string) => causedBy(event, event.metadata.actor, `${step}-${buildId}`);
      const give = async (to: RecallTarget | undefined, caller: CommandContext) => {
        const republishedId = await this.ids.next(caller);
        const bundleId = stableUuid('bundle', republishedId);
        const command = { type: 'RecallBuild', buildId, reason, to, republishedId, bundleId } as const;
        await this.commands.handle(channelDecider, channelStream(appId, channel), command, caller, options);
      };
      try {
        await give(to, context('recall-copy'));
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        if (isGone(error)) continue;
        if (error.code !== 'RECALL_TARGET_MISSING') throw error;
        await give('none', context('recall-copy-without-target'));
      }
    }
  }
}

function* copiesIn({ builds }: ChannelState, checksum: string): Generator<ChannelBuild> {
  for (const build of builds.values()) {
    if (build.checksum === checksum && build.wasActive && build.recallOf === undefined) yield build;
  }
}
