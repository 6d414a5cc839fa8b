import type { ProcessManager } from '@sluice/projections';
import { causedBy, type CommandHandling } from '@sluice/event-store';
import type { ChannelEvent } from '../builds/domain/channel';
import { DELETED, jobDecider, jobStream } from './domain/job';

export interface JobStarterOptions {
  readonly commands: CommandHandling;
  /** Told of each job once it can be claimed. */
  readonly queued: (jobId: string) => void;
}

/** Every accepted build gets its job; that of a build deleted while it was processing is closed. */
export function jobStarter({ commands, queued }: JobStarterOptions): ProcessManager<ChannelEvent> {
  return {
    name: 'job-starter',
    prefixes: ['channel-'],
    react: async (event) => {
      if (event.type === 'BuildAccepted') {
        const { jobId, appId, channel, buildId } = event.data;
        const subject = { appId, channel, buildId };
        const context = causedBy(event, 'system:job-starter', 'queue-job');
        await commands.handle(jobDecider, jobStream(jobId), { type: 'QueueJob', subject }, context, {
          waitForReaders: false,
        });
        queued(jobId);
      } else if (event.type === 'BuildDeleted' && event.data.jobId !== null) {
        const command = { type: 'CloseJob', outcome: DELETED } as const;
        const context = causedBy(event, 'system:job-starter', 'close-job');
        await commands.handle(jobDecider, jobStream(event.data.jobId), command, context, { waitForReaders: false });
      }
    },
  };
}
