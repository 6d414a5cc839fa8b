import { EventStreams, STREAM_DESCRIPTION } from '../live/event-streams';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes } from '../http/route';

@Routes('Events', 'Live changes to everything that the owner can see.')
export class EventsController {
  constructor(private readonly streams: EventStreams) {}

  @DashboardRoute('GET', 'events', {
    endless: true,
    summary: 'Subscribe to changes',
    description: STREAM_DESCRIPTION,
    answers: { 200: { kind: 'bytes', mediaType: 'text/event-stream', description: 'An open stream.' } },
    refusals: ['TOO_MANY_STREAMS'],
  })
  streamEvents({ owner, access, reply }: RequestContext): Promise<void> {
    return this.streams.open(owner, access.session, reply);
  }
}
