import { credentialFault, credentialHash, OPERATOR_ID, type Caller, type Permission } from '@sluice/contracts';
import { DomainError, newCommandId, type Clock } from '@sluice/kernel';
import type { Span, TraceContext } from '@sluice/telemetry';
import type { FastifyRequest } from 'fastify';
import type { AccessState, KnownApp, KnownOwner, KnownToken } from './access-state';
import type { IdempotencyRecord } from '../idempotency/idempotency';
import { isOperatorOnly, OPERATOR_PERMISSIONS, type AccessPolicy } from './access-policy';
import type { Session, Sessions } from './sessions';

/** The result of authentication and authorization; handlers read nothing else about the caller. */
export interface Access {
  readonly caller: Caller;
  /** Owner of the apps that the request is about: the token's owner, or the calling owner. */
  readonly ownerId: number;
  readonly token?: KnownToken;
  readonly owner?: KnownOwner;
  /** Only for an owner with a session cookie. */
  readonly session?: Session;
  /** The app of the path, for routes with that scope. */
  readonly app?: KnownApp;
}

declare module 'fastify' {
  interface FastifyRequest {
    access: Access | null;
    trace: TraceContext | null;
    /** Where traces are sent. */
    span: Span | null;
    /** As it was registered; empty where there is none. */
    route: string;
    /** Of the route, unless it is open to anyone. */
    policy: AccessPolicy | undefined;
    /** Of a request with an Idempotency-Key. */
    named: IdempotencyRecord | null;
    /** Set when the request exceeds a limit but may still be admitted: the error that it otherwise gets. */
    overLimit: DomainError | null;
    /**
     * Decides again whether the request is allowed, with the present tokens, owners and apps: once its body has
     * arrived, for which a client may take hours. @throws DomainError
     */
    confirmAccess: () => void;
  }
}

/** The owner or token behind a credential. */
export type Identity = { readonly token: KnownToken } | { readonly owner: KnownOwner; readonly session?: Session };

/**
 * Synchronously, except for a session cookie, which is used if no header has a credential.
 * @throws DomainError when the request brings no credential that is good on the policy's plane: 401, all of them
 */
export function authenticate(
  request: FastifyRequest,
  policy: AccessPolicy,
  state: AccessState,
  clock: Clock,
  sessions: Pick<Sessions, 'find' | 'secretOf'>,
): Identity | Promise<Identity> {
  if (policy.plane === 'management') return { token: authenticateToken(request, state, clock) };
  const secret = sessions.secretOf(request);
  const inHeader = bearer(request) ?? (policy.plane === 'listings' ? accessTokenHeader(request) : undefined);
  if (secret !== undefined && inHeader === undefined) return sessions.find(secret, state);
  return policy.plane === 'dashboard' || bringsOwnerKey(request)
    ? { owner: authenticateOwner(request, state) }
    : { token: authenticateToken(request, state, clock) };
}

/** Checks the same credential again. @throws DomainError when it is no longer valid */
export function presentIdentity(identity: Identity, state: AccessState): Identity {
  if ('token' in identity) {
    const token = state.token(identity.token.hash);
    if (token === undefined) throw revokedToken();
    return { token };
  }
  const owner = state.owner(identity.owner.hash);
  if (owner === undefined) throw unknownOwnerKey();
  return { ...identity, owner };
}

/** Checks in the order that the API documents: operator, scope, permission. */
export function authorize(
  request: FastifyRequest,
  policy: AccessPolicy,
  identity: Identity,
  state: AccessState,
): Access {
  const traceparent = request.trace === null ? {} : { traceparent: request.trace.traceparent };
  const calledBy = (actor: string): Caller => ({ actor, commandId: newCommandId(), ...traceparent });

  requireNotSuspended('owner' in identity ? identity.owner.id : identity.token.ownerId, state);
  if (isOperatorOnly(policy)) {
    requireOperator(
      'owner' in identity ? identity.owner.id : identity.token.ownerId,
      'Only the operator, the first owner of the installation, and tokens that the operator created may do this.',
    );
  }
  if ('owner' in identity) {
    const { owner, session } = identity;
    const { scope } = policy;
    const app = scope === undefined ? undefined : ownedApp(request, scope, owner, state);
    const caller = calledBy(`owner:${owner.id}`);
    return { owner, ownerId: owner.id, caller, ...(session && { session }), ...(app && { app }) };
  }

  const { token } = identity;
  const caller = calledBy(`token:${token.id}`);
  const app = policy.scope === undefined ? undefined : appOfPath(request, token, state);
  const { permission } = policy;
  if (permission !== undefined && !token.permissions.includes(permission)) {
    throw new DomainError(
      'TOKEN_PERMISSION_DENIED',
      `This token lacks the permission ${permission}. Ask its owner to grant it.`,
      { required_permission: permission },
    );
  }
  if (policy.changesSigningKeys === true && app?.ownerHoldsSigningKeys === true) {
    throw new DomainError(
      'TOKEN_PERMISSION_DENIED',
      'Tokens cannot change the signing keys of this app because its signing_key_rotation is owner_only. Ask its owner to change them.',
      { signing_key_rotation: 'owner_only' },
    );
  }
  return { token, ownerId: token.ownerId, caller, ...(app && { app }) };
}

/**
 * Decides whether the owner may give these permissions to a token.
 * @throws DomainError OPERATOR_ONLY
 */
export function authorizeGrant({ id }: KnownOwner, permissions: readonly Permission[] = []): void {
  const reserved = permissions.find((permission) => OPERATOR_PERMISSIONS.has(permission));
  if (reserved === undefined) return;
  requireOperator(
    id,
    `Only the operator, the first owner of the installation, can grant a token the permission ${reserved}. Leave it out.`,
  );
}

/**
 * Decides whether the caller may make these changes of an app: what guards its signatures is the owner's alone.
 * @throws DomainError TOKEN_PERMISSION_DENIED
 */
export function authorizeAppEdit({ owner }: Access, changes: Readonly<Record<string, unknown>>): void {
  const reserved = OWNER_SETTINGS.find((setting) => changes[setting] !== undefined);
  if (owner !== undefined || reserved === undefined) return;
  throw new DomainError(
    'TOKEN_PERMISSION_DENIED',
    `Only the owner of the app can change ${reserved}, with the owner key or in the console. Leave it out.`,
    { member: reserved },
  );
}

const OWNER_SETTINGS = ['signing_key_rotation', 'unique_signatures', 'keep_builds'] as const;

/** @throws DomainError OWNER_SUSPENDED */
export function requireNotSuspended(ownerId: number, state: AccessState): void {
  if (state.ownerById(ownerId)?.suspended !== true) return;
  throw new DomainError(
    'OWNER_SUSPENDED',
    'The operator of this installation has suspended this owner. Its key, sessions and tokens are rejected. Contact the operator.',
  );
}

function requireOperator(ownerId: number, message: string): void {
  if (ownerId !== OPERATOR_ID) throw new DomainError('OPERATOR_ONLY', message);
}

/** The app that the reference names, by integer id or by `app_id`, if the caller can reach it. */
export function appOf(
  { token, owner }: Pick<Access, 'token' | 'owner'>,
  reference: string,
  state: AccessState,
): KnownApp | undefined {
  if (token !== undefined) return state.reachableApp(token, reference);
  return owner && state.ownedApp(owner, reference);
}

function appOfPath(request: FastifyRequest, token: KnownToken, state: AccessState): KnownApp {
  const app = state.reachableApp(token, (request.params as { app: string }).app);
  if (app === undefined) throw new DomainError('APP_NOT_FOUND', 'This token cannot reach an app with this id.');
  return app;
}

function ownedApp(request: FastifyRequest, scope: 'app' | 'everApp', owner: KnownOwner, state: AccessState): KnownApp {
  const { app: reference } = request.params as { app: string };
  const app = scope === 'app' ? state.ownedApp(owner, reference) : state.everOwnedApp(owner, reference);
  if (app !== undefined) return app;
  throw new DomainError(
    'APP_NOT_FOUND',
    scope === 'app' ? 'This owner has no app with this id.' : 'This owner never had an app with this id.',
  );
}

function authenticateToken(request: FastifyRequest, state: AccessState, clock: Clock): KnownToken {
  const given = accessTokenHeader(request) ?? bearer(request);
  if (given === undefined) {
    throw new DomainError(
      'MISSING_ACCESS_TOKEN',
      'No access token was sent. Send it as "Authorization: Bearer svc_pat_…" or as X-Access-Token.',
    );
  }
  const token = state.token(credentialHash(given));
  if (token === undefined) throw unknownToken(given);
  if (token.expiresAt !== null && clock.now().getTime() >= Date.parse(token.expiresAt)) {
    throw new DomainError('ACCESS_TOKEN_INVALID', 'The access token has expired.', {
      status: 'expired',
      expires_at: token.expiresAt,
    });
  }
  return token;
}

function unknownToken(given: string): DomainError {
  switch (credentialFault('svc_pat_', given)) {
    case 'format':
      return new DomainError(
        'INVALID_ACCESS_TOKEN_FORMAT',
        'This is not an access token. Access tokens begin with svc_pat_.',
      );
    case 'checksum':
      return new DomainError(
        'INVALID_ACCESS_TOKEN_CHECKSUM',
        'The access token is truncated or mistyped. Copy all of it.',
      );
    case undefined:
      return revokedToken();
  }
}

const revokedToken = () => new DomainError('ACCESS_TOKEN_NOT_FOUND', 'The access token is unknown or was revoked.');

const unknownOwnerKey = () => new DomainError('INVALID_OWNER_KEY', 'This owner key is not valid on this installation.');

function authenticateOwner(request: FastifyRequest, state: AccessState): KnownOwner {
  const given = bearer(request);
  if (given === undefined) {
    throw new DomainError(
      'MISSING_OWNER_KEY',
      'No owner key was sent. Send it as "Authorization: Bearer svc_own_…", or log in.',
    );
  }
  const owner = credentialFault('svc_own_', given) === undefined ? state.owner(credentialHash(given)) : undefined;
  if (owner === undefined) {
    throw unknownOwnerKey();
  }
  return owner;
}

/** Whether the request would be the owner's: X-Access-Token counts when it is there. */
function bringsOwnerKey(request: FastifyRequest): boolean {
  return accessTokenHeader(request) === undefined && bearer(request)?.startsWith('svc_own_') === true;
}

function accessTokenHeader(request: FastifyRequest): string | undefined {
  const header = request.headers['x-access-token'];
  return typeof header === 'string' && header !== '' ? header : undefined;
}

/** The credential of the Authorization header; a scheme other than Bearer counts as none. */
function bearer(request: FastifyRequest): string | undefined {
  // Node has already trimmed the value.
  return /^Bearer +(\S.*)$/i.exec(request.headers.authorization ?? '')?.[1];
}
