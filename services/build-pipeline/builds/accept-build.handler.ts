import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channelSchema, acceptBuild, type ReplyOf, type RequestOf } from '@sluice/contracts';
import { COMMANDS, type CommandHandling, type Sequence } from '@sluice/event-store';
import { newUlid, stableUuid } from '@sluice/kernel';
import { CommandOf } from '@sluice/messaging';
import { buildOf, channelDecider, type ChannelState, channelStream } from './domain/channel';
import { BUILD_IDS } from './build-ids';

export class AcceptBuild extends CommandOf(acceptBuild) {}

@CommandHandler(AcceptBuild)
export class AcceptBuildHandler implements ICommandHandler<AcceptBuild> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(BUILD_IDS) private readonly buildIds: Sequence,
  ) {}

  async execute({ request, caller }: AcceptBuild): Promise<ReplyOf<typeof acceptBuild>> {
    const { uniqueSignatures = false, ...facts } = request;
    const uniqueAmong = uniqueSignatures && facts.signature !== null ? await this.otherChannels(facts) : undefined;
    const buildId = await this.buildIds.next(caller);
    const { state, events } = await this.commands.handle(
      channelDecider,
      channelStream(request.appId, request.channel),
      {
        ...(uniqueAmong && { uniqueAmong }),
        type: 'AcceptBuild',
        build: { ...facts, buildId, bundleId: stableUuid('bundle', buildId), jobId: newUlid() },
      },
      caller,
    );
    // For a repeat these are the ids that were given the first time.
    const accepted = events.find((event) => event.type === 'BuildAccepted');
    if (!accepted) throw new Error(`Command ${caller.commandId} was given before, for something else than an upload.`);
    const { buildId: id, version, channel, status } = buildOf(state, accepted.data.buildId);
    return { job_id: accepted.data.jobId, build: { id, version, channel, status }, objectKey: accepted.data.objectKey };
  }

  /**
   * As they are now: of two uploads to two channels at the same moment both may pass. Within one channel its stream
   * decides.
   */
  private otherChannels({ appId, channel }: BuildTarget): Promise<ChannelState[]> {
    const others = channelSchema.options.filter((other) => other !== channel);
    return Promise.all(
      others.map(async (other) => (await this.commands.load(channelDecider, channelStream(appId, other))).state),
    );
  }
}

type BuildTarget = Pick<RequestOf<typeof acceptBuild>, 'appId' | 'channel'>;
