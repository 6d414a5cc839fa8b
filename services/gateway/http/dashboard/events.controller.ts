import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KnownOwner } from '../../projections/access-state';
import { EventStreams } from '../event-streams';
import { RequestOwner } from '../request.decorators';

/** What changes, as it happens. */
@Controller('api/dashboard/v1/events')
export class EventsController {
  constructor(private readonly streams: EventStreams) {}

  @Get()
  open(@RequestOwner() owner: KnownOwner, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.streams.open(owner, request.access?.session, reply);
  }
}
