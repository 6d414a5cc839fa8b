import { type Channel, channelName, DomainError, isStandardChannel } from '@sluice/kernel';
import { buildNotFound } from './channel-builds';
import type { ChannelEvent } from './channel-events';
import type { ChannelBuild, ChannelCommand, ChannelState } from './channel-state';

/** How many builds of a closed channel are deleted in one append. */
const DELETED_AT_ONCE = 100;

const GONE: ReadonlySet<string> = new Set(['BUILD_NOT_FOUND', 'APP_NOT_FOUND', 'CHANNEL_NOT_FOUND']);

/** A promotion is cancelled as ever. */
type OnceClosed = Exclude<ChannelCommand, { type: 'CancelPromotion' }>;

/** Nothing comes in, and what a worker finds out of a build is of no use any more. */
export function decideClosed(command: OnceClosed, state: ChannelState, channel: Channel): readonly ChannelEvent[] {
  switch (command.type) {
    case 'EmptyChannel': {
      const some: ChannelEvent[] = [];
      for (const build of state.builds.values()) {
        if (some.push(deletion(build)) === DELETED_AT_ONCE) break;
      }
      return some;
    }
    case 'ActivateBuild':
    case 'FailBuild': {
      const build = state.builds.get(command.buildId);
      return build?.status === 'processing' ? [deletion(build)] : [];
    }
    case 'CloseChannel':
      return [];
    case 'AcceptBuild':
    case 'PromoteIn':
    case 'ExpireBuilds':
      throw isStandardChannel(channel)
        ? appNotFound()
        : new DomainError('CHANNEL_NOT_FOUND', `The channel ${channelName(channel)} was deleted.`);
    case 'StartPromotion':
    case 'EditBuild':
    case 'ChangeRollout':
    case 'DeleteBuild':
    case 'RecallBuild':
    case 'UnrecallBuild':
    case 'RetryBuild':
    case 'RecordPins':
      throw isStandardChannel(channel) ? appNotFound() : buildNotFound(command.buildId);
  }
}

function appNotFound(): DomainError {
  return new DomainError('APP_NOT_FOUND', 'There is no such app.');
}

export function deletion({ buildId, objectKey, status, jobId }: ChannelBuild): ChannelEvent {
  return { type: 'BuildDeleted', data: { buildId, objectKey, jobId: status === 'processing' ? jobId : null } };
}

/** The build is gone, its channel is closed, or its app is being removed. */
export function isGone(error: unknown): boolean {
  return error instanceof DomainError && GONE.has(error.code);
}
