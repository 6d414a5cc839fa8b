import { DomainError } from '@sluice/kernel';
import type { ChannelEvent } from './channel-events';
import type { ChannelBuild, ChannelCommand, ChannelState } from './channel-state';

/** How many builds of a closed channel are deleted in one append. */
const DELETED_AT_ONCE = 100;

/** A promotion is cancelled as ever. */
type OnceClosed = Exclude<ChannelCommand, { type: 'CancelPromotion' }>;

/** Nothing comes in, and what a worker finds out of a build is of no use any more. */
export function decideClosed(command: OnceClosed, state: ChannelState): readonly ChannelEvent[] {
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
    case 'StartPromotion':
    case 'PromoteIn':
    case 'EditBuild':
    case 'ChangeRollout':
    case 'DeleteBuild':
    case 'ExpireBuilds':
    case 'RecallBuild':
    case 'UnrecallBuild':
    case 'RetryBuild':
    case 'RecordPins':
      throw new DomainError('APP_NOT_FOUND', 'There is no such app.');
  }
}

export function deletion({ buildId, objectKey, status, jobId }: ChannelBuild): ChannelEvent {
  return { type: 'BuildDeleted', data: { buildId, objectKey, jobId: status === 'processing' ? jobId : null } };
}
