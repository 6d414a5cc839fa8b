import type { Permission } from '@sluice/contracts';

/** What a route needs before its handler runs. A route without a policy is not served. */
export interface AccessPolicy {
  /** `listings` is for the operator and its tokens: the shop belongs to the installation, not to one owner's apps. */
  readonly plane: 'management' | 'dashboard' | 'listings';
  /** The path names an app of the token or owner; `everApp` also admits an owner's removed apps. */
  readonly scope?: 'app' | 'everApp';
  /** The permission that a token needs. */
  readonly permission?: Permission;
  /** Only for the first owner. */
  readonly operator?: true;
  /** It may only take a build away from devices: such a request has a reserve beyond the limit of requests. */
  readonly mayNarrow?: true;
  /**
   * It only ends access, or takes a build away from devices: it has the same reserve, because a leaked token can use up
   * the limit of changes.
   */
  readonly onlyTakesAway?: true;
  /** Rejected for tokens while the owner of the app keeps its signing keys to itself. */
  readonly changesSigningKeys?: true;
  /** Takes an Idempotency-Key. */
  readonly repeatable?: boolean;
  /** The response is a stream, so its duration is not measured. */
  readonly endless?: true;
  readonly multipart?: boolean;
  /**
   * Limits in addition to that of all requests: of the token or owner, of the app, of the key in the path, of the
   * app's signing key.
   */
  readonly limit?: 'uploads' | 'keyActionsOfApp' | 'keyActionsOfKey' | 'keyActionsOfSigningKey';
}

/** The policy of a route; `open`: it needs no credential, or brings another proof. */
export type RouteAccess = AccessPolicy | 'open';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
  }
}

export const PUBLIC = '/api/public/v1';
export const DASHBOARD = '/api/dashboard/v1';

/** Whether the policy admits only the operator, the first owner, and the operator's tokens. */
export function isOperatorOnly({ plane, operator }: AccessPolicy): boolean {
  return plane === 'listings' || operator === true;
}

/** Permissions that only the operator can give to a token. */
export const OPERATOR_PERMISSIONS: ReadonlySet<Permission> = new Set(['manage_store']);

/** The codes with which a policy rejects requests of a method. */
export function accessRefusals(policy: AccessPolicy, method: string): string[] {
  const session = ['SESSION_ENDED', ...(method === 'GET' ? [] : ['CSRF_REFUSED'])];
  const token = [
    'MISSING_ACCESS_TOKEN',
    'INVALID_ACCESS_TOKEN_FORMAT',
    'INVALID_ACCESS_TOKEN_CHECKSUM',
    'ACCESS_TOKEN_NOT_FOUND',
    'ACCESS_TOKEN_INVALID',
  ];
  const limit =
    policy.limit === undefined ? [] : [policy.limit === 'uploads' ? 'UPLOAD_RATE_LIMITED' : 'KEY_ACTION_RATE_LIMITED'];
  switch (policy.plane) {
    case 'management':
      return [
        ...token,
        'OWNER_SUSPENDED',
        ...(policy.permission === undefined && policy.changesSigningKeys !== true ? [] : ['TOKEN_PERMISSION_DENIED']),
        ...limit,
      ];
    case 'dashboard':
      return [
        'MISSING_OWNER_KEY',
        'INVALID_OWNER_KEY',
        ...session,
        'OWNER_SUSPENDED',
        ...(policy.operator === true ? ['OPERATOR_ONLY'] : []),
        ...limit,
      ];
    case 'listings':
      return [
        ...token,
        'INVALID_OWNER_KEY',
        ...session,
        'OWNER_SUSPENDED',
        'OPERATOR_ONLY',
        'TOKEN_PERMISSION_DENIED',
        'module_disabled',
        'entitlement_required',
      ];
  }
}
