import { EventStreams, STREAM_DESCRIPTION } from '../live/event-streams';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes } from '../http/route';

@Routes('Events', 'What changes, as it happens, of all that the owner sees.')
export class EventsController {
  constructor(private readonly streams: EventStreams) {}

  @DashboardRoute('GET', 'events', {
    endless: true,
    summary: 'Be told what to ask for anew',
    description: STREAM_DESCRIPTION,
    answers: { 200: { kind: 'bytes', mediaType: 'text/event-stream', description: 'A stream that goes on.' } },
    refusals: ['TOO_MANY_STREAMS'],
  })
  streamEvents({ owner, access, reply }: RequestContext): Promise<void> {
    return this.streams.open(owner, access.session, reply);
  }
}
