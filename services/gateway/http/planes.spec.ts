import Fastify from 'fastify';
import { readSettings } from '@sluice/config';
import { credentialHash, newCredential, type Permission } from '@sluice/contracts';
import { DomainError, systemClock } from '@sluice/kernel';
import { gatewaySettings } from '../config/gateway.settings';
import { AccessState } from '../access/access-state';
import type { AccessPolicy } from '../access/access-policy';
import { Limits } from '../limits/limits';
import { recordingLogger, failOnLine } from '@sluice/testing';
import { guardPlanes, type PlanesOptions } from './planes';

// No route whose key actions are counted needs a permission today.
const access: AccessPolicy = {
  ...{ plane: 'management', scope: 'app', limit: 'keyActionsOfApp', permission: 'keys.delete' },
};

it('rejects for a missing permission before it counts a key action, so that no budget is spent on it', async () => {
  const [able, unable] = [newCredential('svc_pat_'), newCredential('svc_pat_')];
  const state = new AccessState();
  const metadata = { commandId: '', actor: '', correlationId: '', causationId: '', at: '2026-01-01T00:00:00.000Z' };
  for (const [id, token] of [able, unable].entries()) {
    const permissions: Permission[] = token === able ? ['keys.delete'] : [];
    const facts = { name: 'ci', ownerId: 1, allApps: true, apps: [], expiresAt: null, sealId: null };
    state.apply({ type: 'TokenIssued', data: { ...facts, id, hash: credentialHash(token), permissions }, metadata });
  }
  const app = { id: 7, ownerId: 1, appId: 'a.b', bundleId: 'a.b', name: 'Shop', platform: 'both' as const };
  state.apply({ type: 'AppRegistered', data: { ...app, description: null, tokenId: null }, metadata });

  const limits = new Limits(
    readSettings({ LIMIT_KEY_ACTIONS_PER_HOUR: '1' }, gatewaySettings),
    {} as never,
    recordingLogger(failOnLine),
  );
  const fastify = Fastify();
  guardPlanes(fastify, {
    ...{ state, limits, clock: systemClock, tokenUse: { used: () => undefined } },
    logger: { isLevelEnabled: () => false },
  } as unknown as PlanesOptions);
  fastify.setErrorHandler((error, _, reply) => reply.send({ code: error instanceof DomainError ? error.code : error }));
  fastify.post('/api/public/v1/apps/:app/api-keys', { config: { access } }, () => ({ code: 'made' }));
  const codeOf = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fastify.inject({ method: 'POST', url: '/api/public/v1/apps/a.b/api-keys', headers });
    return answer.json<{ code: unknown }>().code;
  };
  try {
    expect(await codeOf(unable)).toBe('TOKEN_PERMISSION_DENIED');
    expect(await codeOf(able)).toBe('made');
    expect(await codeOf(able)).toBe('KEY_ACTION_RATE_LIMITED');
    expect(await codeOf(unable)).toBe('TOKEN_PERMISSION_DENIED');
  } finally {
    await fastify.close();
    await limits.onApplicationShutdown();
  }
});
