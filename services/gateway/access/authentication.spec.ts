import { credentialHash, newCredential, OPERATOR_ID, permissionSchema, type Permission } from '@sluice/contracts';
import { systemClock, type DomainError } from '@sluice/kernel';
import type { FastifyRequest } from 'fastify';
import { AccessState } from './access-state';
import { authenticate, authorize, authorizeGrant, type Identity } from './authentication';
import { guardedRoutes } from '../openapi/planes';

const policies = guardedRoutes();
const metadata = { commandId: '', actor: '', correlationId: '', causationId: '', at: '2026-01-01T00:00:00.000Z' };
const state = new AccessState();
const noSessions = { find: () => Promise.reject(new Error('There is no cookie.')), secretOf: () => undefined };
const [operator, other] = [OPERATOR_ID, 2].map((id) => {
  const key = newCredential('svc_own_');
  state.apply({ type: 'OwnerCreated', data: { id, name: `owner ${id}`, hash: credentialHash(key) }, metadata });
  return key;
}) as [string, string];
const tokenOf = (ownerId: number, id: number, permissions: Permission[]) => {
  const token = newCredential('svc_pat_');
  const data = { id, ownerId, name: 'ci', permissions, allApps: true, apps: [], expiresAt: null };
  state.apply({ type: 'TokenIssued', data: { ...data, hash: credentialHash(token) }, metadata });
  return token;
};
const operatorsToken = tokenOf(OPERATOR_ID, 1, ['manage', 'manage_store']);
const othersToken = tokenOf(2, 2, ['manage', 'manage_store']);
const operatorsPlainToken = tokenOf(OPERATOR_ID, 3, ['manage']);

const codeFor = (route: string, credential: string): string => {
  const policy = policies.get(route)!;
  const request = { headers: { authorization: `Bearer ${credential}` }, trace: null } as FastifyRequest;
  try {
    authorize(request, policy, authenticate(request, policy, state, systemClock, noSessions) as Identity, state);
    return 'granted';
  } catch (error) {
    return (error as DomainError).code;
  }
};

const SECRETS = '/api/dashboard/v1/secrets';

it.each([`POST ${SECRETS}/reseal`, `GET ${SECRETS}/data-keys`, `POST ${SECRETS}/data-keys/rotate`])(
  'grants %s to the first owner alone',
  (route) => {
    expect(codeFor(route, operator)).toBe('granted');
    expect(codeFor(route, other)).toBe('OPERATOR_ONLY');
    expect(codeFor(route, newCredential('svc_own_'))).toBe('INVALID_OWNER_KEY');
    expect(codeFor(route, newCredential('svc_pat_'))).toBe('INVALID_OWNER_KEY');
  },
);

const routesOf = (...prefixes: string[]) =>
  [...policies.keys()].filter((route) => prefixes.some((prefix) => route.split(' ')[1]!.startsWith(prefix)));

it.each(routesOf('/svc/v1/'))('%s is for the operator and the tokens that the operator gave manage_store', (route) => {
  const callers = { operator, operatorsToken, operatorsPlainToken, other, othersToken };
  const codes = Object.entries(callers).map(([name, credential]) => [name, codeFor(route, credential)]);
  expect(Object.fromEntries(codes)).toEqual({
    operator: 'granted',
    operatorsToken: 'granted',
    operatorsPlainToken: 'TOKEN_PERMISSION_DENIED',
    other: 'OPERATOR_ONLY',
    othersToken: 'OPERATOR_ONLY',
  });
});

it.each(routesOf('/api/dashboard/v1/listings'))('%s is for the operator alone', (route) => {
  const codes = [operator, operatorsToken, other, othersToken].map((credential) => codeFor(route, credential));
  expect(codes).toEqual(['granted', 'INVALID_OWNER_KEY', 'OPERATOR_ONLY', 'INVALID_OWNER_KEY']);
});

it.each(permissionSchema.options)('lets %s be given by every owner, unless it is for the shop', (permission) => {
  const give = (id: number) => () =>
    authorizeGrant({ id, name: '', hash: '', suspended: false }, ['manage', permission]);
  expect(give(OPERATOR_ID)).not.toThrow();
  if (permission === 'manage_store')
    expect(give(2)).toThrow(expect.objectContaining({ code: 'OPERATOR_ONLY' }) as Error);
  else expect(give(2)).not.toThrow();
});
