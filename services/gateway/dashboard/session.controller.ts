import { credentialHash, OPERATOR_ID, ownerSchema, timeSchema } from '@sluice/contracts';
import { DomainError } from '@sluice/kernel';
import { z } from 'zod';
import { AccessIndex } from '../access/access-index';
import type { KnownOwner } from '../access/access-state';
import { requireNotSuspended } from '../access/authentication';
import { EventStreams } from '../live/event-streams';
import { Limits } from '../limits/limits';
import { one } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes } from '../http/route';
import { refuseForeignLogin, Sessions, type Session } from '../access/sessions';
import { loginBody } from './schemas';

const sessionAnswer = z.object({
  owner: ownerSchema.pick({ id: true, name: true, operator: true }),
  /** When the session ends unless it is used earlier; null with the owner key. */
  expires_at: timeSchema.nullable(),
});

@Routes('Session', 'Browser login of an owner. Scripts send the owner key instead.')
export class SessionController {
  constructor(
    private readonly sessions: Sessions,
    private readonly access: AccessIndex,
    private readonly streams: EventStreams,
    private readonly limits: Limits,
  ) {}

  @DashboardRoute('POST', 'session', {
    open: true,
    summary: 'Log in with the owner key',
    description:
      'The cookie is HttpOnly and SameSite=Strict. Failed logins count against the limit of the client’s IP address.',
    body: loginBody,
    answers: { 201: { ...one(sessionAnswer, 'Logged in.'), headers: { 'Set-Cookie': 'The session.' } } },
    refusals: ['INVALID_OWNER_KEY', 'OWNER_SUSPENDED', 'CSRF_REFUSED'],
  })
  async beginSession({ request, reply }: RequestContext, { owner_key: key }: z.output<typeof loginBody>) {
    refuseForeignLogin(request, this.sessions.origin);
    const owner = this.access.state.owner(credentialHash(key));
    if (owner === undefined) {
      throw new DomainError('INVALID_OWNER_KEY', 'This owner key is not valid on this installation.');
    }
    requireNotSuspended(owner.id, this.access.state);
    await this.limits.ownerRequests.count(owner.id, reply);
    const { session, secret } = await this.sessions.begin(owner);
    void reply.header('Set-Cookie', this.sessions.cookies(secret));
    return shown(owner, session);
  }

  @DashboardRoute('GET', 'session', {
    summary: 'Get the logged-in owner and when the session ends',
    answers: { 200: one(sessionAnswer, 'The calling owner.') },
  })
  getSession({ owner, access }: RequestContext) {
    return shown(owner, access.session);
  }

  @DashboardRoute('DELETE', 'session', {
    onlyTakesAway: true,
    summary: 'Log out immediately on every gateway',
    answers: { 200: one(z.object({ ended: z.boolean() }), 'Whether there was a session to end.') },
  })
  async endSession({ access: { session }, reply }: RequestContext) {
    if (session !== undefined) {
      await this.sessions.end(session);
      this.streams.endOf(session);
    }
    void reply.header('Set-Cookie', this.sessions.cookies());
    return { ended: session !== undefined };
  }
}

function shown({ id, name }: KnownOwner, session: Session | undefined) {
  const expiresAt = session === undefined ? null : new Date(session.endsAt).toISOString();
  return { owner: { id, name, operator: id === OPERATOR_ID }, expires_at: expiresAt };
}
