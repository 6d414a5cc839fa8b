import { Body, Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { credentialHash, OPERATOR_ID } from '@sluice/contracts';
import { validateBody } from '@sluice/http';
import { DomainError } from '@sluice/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessIndex } from '../../projections/access-index';
import type { KnownOwner } from '../../projections/access-state';
import { requireNotSuspended } from '../authentication';
import { EventStreams } from '../event-streams';
import { Limits } from '../limits';
import { RequestOwner } from '../request.decorators';
import { refuseForeignLogin, Sessions, type Session } from '../sessions';
import { loginBody } from './schemas';

/** The login of an owner in a browser. */
@Controller('api/dashboard/v1/session')
export class SessionController {
  constructor(
    private readonly sessions: Sessions,
    private readonly access: AccessIndex,
    private readonly streams: EventStreams,
    private readonly limits: Limits,
  ) {}

  @Post()
  @HttpCode(201)
  async begin(@Body() body: unknown, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    refuseForeignLogin(request, this.sessions.origin);
    const { owner_key: key } = validateBody(loginBody, body);
    const owner = this.access.state.owner(credentialHash(key));
    if (owner === undefined) {
      throw new DomainError('INVALID_OWNER_KEY', 'The owner key is not one of this installation.');
    }
    requireNotSuspended(owner.id, this.access.state);
    await this.limits.ownerRequests.count(owner.id, reply);
    const { session, secret } = await this.sessions.begin(owner);
    void reply.header('Set-Cookie', this.sessions.cookies(secret));
    return { data: shown(owner, session) };
  }

  @Get()
  whoAmI(@RequestOwner() owner: KnownOwner, @Req() request: FastifyRequest) {
    return { data: shown(owner, request.access?.session) };
  }

  @Delete()
  async end(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const session = request.access?.session;
    if (session !== undefined) {
      await this.sessions.end(session);
      this.streams.endOf(session);
    }
    void reply.header('Set-Cookie', this.sessions.cookies());
    return { data: { ended: session !== undefined } };
  }
}

function shown({ id, name }: KnownOwner, session: Session | undefined) {
  const expiresAt = session === undefined ? null : new Date(session.endsAt).toISOString();
  return { owner: { id, name, operator: id === OPERATOR_ID }, expires_at: expiresAt };
}
