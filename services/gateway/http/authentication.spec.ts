import { credentialHash, newCredential, OPERATOR_ID } from '@sluice/contracts';
import { systemClock } from '@sluice/kernel';
import type { FastifyRequest } from 'fastify';
import { AccessState } from '../projections/access-state';
import { ACCESS_POLICIES } from './access-policy';
import { authenticate, authorize, type Identity } from './authentication';

describe('what is for the operator alone', () => {
  const policy = ACCESS_POLICIES['POST /api/dashboard/v1/secrets/reseal']!;
  const state = new AccessState();
  const noSessions = { find: () => Promise.reject(new Error('There is no cookie.')) };
  const owners = [OPERATOR_ID, 2].map((id) => {
    const key = newCredential('svc_own_');
    const metadata = { commandId: '', actor: '', correlationId: '', causationId: '', at: '2026-01-01T00:00:00.000Z' };
    state.apply({ type: 'OwnerCreated', data: { id, name: `owner ${id}`, hash: credentialHash(key) }, metadata });
    return key;
  });
  const by = (key: string) => {
    const request = { headers: { authorization: `Bearer ${key}` }, trace: null } as FastifyRequest;
    return authorize(request, policy, authenticate(request, policy, state, systemClock, noSessions) as Identity, state);
  };
  const refusal = (code: string) => expect.objectContaining({ code }) as Error;

  it('is granted to the first owner', () => {
    expect(by(owners[0]!).caller.actor).toBe(`owner:${OPERATOR_ID}`);
  });

  it('is refused to other owners, and to keys of nobody', () => {
    expect(() => by(owners[1]!)).toThrow(refusal('OPERATOR_ONLY'));
    expect(() => by(newCredential('svc_own_'))).toThrow(refusal('INVALID_OWNER_KEY'));
    expect(() => by(newCredential('svc_pat_'))).toThrow(refusal('INVALID_OWNER_KEY'));
  });
});
