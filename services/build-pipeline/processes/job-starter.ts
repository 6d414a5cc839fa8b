import type { ProcessManager } from '@sluice/document-store';
import type { CommandHandling } from '@sluice/event-store';
import { stableUuid } from '@sluice/kernel';
import type { ChannelEvent } from '../domain/channel';
import { jobDecider, jobStream } from '../domain/job';

export interface JobStarterOptions {
  readonly commands: CommandHandling;
  /** Told of each job once it can be claimed. */
  readonly queued: (jobId: string) => void;
}

/** Every accepted build gets its job. */
export function jobStarter({ commands, queued }: JobStarterOptions): ProcessManager<ChannelEvent> {
  return {
    name: 'job-starter',
    prefixes: ['channel-'],
    react: async (event) => {
      if (event.type !== 'BuildAccepted') return;
      const { jobId, appId, channel, buildId } = event.data;
      await commands.handle(
        jobDecider,
        jobStream(jobId),
        { type: 'QueueJob', subject: { appId, channel, buildId } },
        {
          commandId: stableUuid(event.id, 'queue-job'),
          actor: 'system:job-starter',
          correlationId: event.metadata.correlationId,
          causationId: event.id,
          ...(event.metadata.traceparent !== undefined && { traceparent: event.metadata.traceparent }),
        },
        { visible: false },
      );
      queued(jobId);
    },
  };
}
