import { credentialFault, credentialHash, OPERATOR_ID, type Caller, type Permission } from '@sluice/contracts';
import { DomainError, newCommandId, type Clock } from '@sluice/kernel';
import type { Span, TraceContext } from '@sluice/telemetry';
import type { FastifyRequest } from 'fastify';
import type { AccessState, KnownApp, KnownOwner, KnownToken } from './access-state';
import type { IdempotencyRecord } from '../idempotency/idempotency';
import { isOperatorOnly, OPERATOR_PERMISSIONS, type AccessPolicy } from './access-policy';
import type { Session, Sessions } from './sessions';

/** What a request was found to be allowed; handlers read nothing else about the caller. */
export interface Access {
  readonly caller: Caller;
  /** Whose apps the request is about: the token's owner, or the owner who asks. */
  readonly ownerId: number;
  readonly token?: KnownToken;
  readonly owner?: KnownOwner;
  /** Of an owner who came by cookie. */
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
    /** Of a request beyond its limit that may be let through all the same: what it is rejected with otherwise. */
    overLimit: DomainError | null;
    /**
     * Decides anew whether the request is allowed, with the tokens, owners and apps of now: once its body has
     * arrived, for which a client may take hours. @throws DomainError
     */
    confirmAccess: () => void;
  }
}

/** Who was found behind a credential. */
export type Identity = { readonly token: KnownToken } | { readonly owner: KnownOwner; readonly session?: Session };

/**
 * At once, but for a session cookie, which counts where no credential stands in a header.
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

/** The same credential as it counts now. @throws DomainError when it counts no more */
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

/** Decides whether the caller may go on: operator, scope, then permission (spec 5, order of refusals). */
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
      `This token lacks the permission ${permission}. Its owner can give it.`,
      { required_permission: permission },
    );
  }
  if (policy.changesSigningKeys === true && app?.ownerHoldsSigningKeys === true) {
    throw new DomainError(
      'TOKEN_PERMISSION_DENIED',
      'The owner of the app keeps its signing keys to itself (signing_key_rotation is owner_only): no token may change them.',
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
    `Only the operator, the first owner of the installation, can give a token the permission ${reserved}. Leave it out.`,
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
    `Only the owner of the app can change ${reserved}, with its key or in the console. Leave it out.`,
    { member: reserved },
  );
}

const OWNER_SETTINGS = ['signing_key_rotation', 'unique_signatures', 'keep_builds'] as const;

/** @throws DomainError OWNER_SUSPENDED */
export function requireNotSuspended(ownerId: number, state: AccessState): void {
  if (state.ownerById(ownerId)?.suspended !== true) return;
  throw new DomainError(
    'OWNER_SUSPENDED',
    'The operator of this installation has suspended the owner: its key, sessions and tokens are rejected. Ask the operator.',
  );
}

function requireOperator(ownerId: number, message: string): void {
  if (ownerId !== OPERATOR_ID) throw new DomainError('OPERATOR_ONLY', message);
}

/** The app that the reference names now, by integer id or by `app_id`, when it is among those of who asks. */
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
  if (app === undefined) throw new DomainError('APP_NOT_FOUND', 'There is no such app among those of this token.');
  return app;
}

function ownedApp(request: FastifyRequest, scope: 'app' | 'everApp', owner: KnownOwner, state: AccessState): KnownApp {
  const { app: reference } = request.params as { app: string };
  const app = scope === 'app' ? state.ownedApp(owner, reference) : state.everOwnedApp(owner, reference);
  if (app !== undefined) return app;
  throw new DomainError(
    'APP_NOT_FOUND',
    scope === 'app' ? 'There is no such app of this owner.' : 'There is and was no such app of this owner.',
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
      return new DomainError('INVALID_ACCESS_TOKEN_FORMAT', 'This is not an access token: those begin with svc_pat_.');
    case 'checksum':
      return new DomainError(
        'INVALID_ACCESS_TOKEN_CHECKSUM',
        'The access token is truncated or mistyped. Copy it whole.',
      );
    case undefined:
      return revokedToken();
  }
}

const revokedToken = () => new DomainError('ACCESS_TOKEN_NOT_FOUND', 'The access token is unknown or was revoked.');

const unknownOwnerKey = () => new DomainError('INVALID_OWNER_KEY', 'The owner key is not one of this installation.');

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
  // Node has taken the blanks from both ends.
  return /^Bearer +(\S.*)$/i.exec(request.headers.authorization ?? '')?.[1];
}
