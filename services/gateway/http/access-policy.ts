import type { Permission } from '@sluice/contracts';
import { LISTINGS } from './listings/namespace';

/** What a route needs before its handler runs. A route that has no policy is not served. */
export type AccessPolicy = CommonPolicy &
  (
    | {
        readonly plane: 'management';
        readonly scope?: 'app';
        readonly permission?: Permission;
        /** It may only take a build away from devices: such a request has a reserve beyond the limit of requests. */
        readonly mayNarrow?: true;
        /** Refused to tokens while the owner of the app keeps its signing keys to itself. */
        readonly changesSigningKeys?: true;
      }
    /** `operator`: for the first owner alone. */
    | {
        readonly plane: 'dashboard';
        readonly operator?: true;
        /** The path names an app of the owner; `everApp`: which may have been removed. */
        readonly scope?: 'app' | 'everApp';
        readonly mayNarrow?: true;
        /** It only ends access: it has the same reserve, because a token that leaked can spend the limit of changes. */
        readonly endsAccess?: true;
        /** Takes an Idempotency-Key, as every POST of the management plane does. */
        readonly repeatable?: true;
        /** Its answer goes on until somebody ends it: how long it took tells nothing. */
        readonly endless?: true;
      }
    /** For the operator and the operator's tokens: the store belongs to the installation, not to one owner's apps. */
    | { readonly plane: 'listings'; readonly permission: 'manage_store' }
  );

interface CommonPolicy {
  readonly multipart?: true;
  /**
   * Limits that count beside that of all requests: of the token or owner, of the app, of the key in the path, of the
   * app's signing key.
   */
  readonly limit?: 'uploads' | 'keyActionsOfApp' | 'keyActionsOfKey' | 'keyActionsOfSigningKey';
}

type ManagementPolicy = Extract<AccessPolicy, { plane: 'management' }>;

const management = (needs: Omit<ManagementPolicy, 'plane'> = {}): ManagementPolicy => ({
  plane: 'management',
  ...needs,
});
const owner = { plane: 'dashboard' } as const;
const ownerCommand = { plane: 'dashboard', repeatable: true } as const;
const ownerOfEverApp: AccessPolicy = { plane: 'dashboard', scope: 'everApp' };
const operator: AccessPolicy = { plane: 'dashboard', operator: true };
const operatorCommand = { plane: 'dashboard', operator: true, repeatable: true } as const;
const store: AccessPolicy = { plane: 'listings', permission: 'manage_store' };

export const PUBLIC = '/api/public/v1';
export const DASHBOARD = '/api/dashboard/v1';

/** Where tokens find a path below the base of the management plane, then where owners find it. */
export const forTokensAndOwners = (path: string): string[] => [`${PUBLIC}/${path}`, `${DASHBOARD}/${path}`];

/** Where owners find a route of the management plane, if the dashboard plane serves it. */
export const ownersRoute = (route: string): string => route.replace(` ${PUBLIC}/`, ` ${DASHBOARD}/`);

/** Whether requests of this route may carry an Idempotency-Key. */
export function isRepeatable(method: string, policy: AccessPolicy | undefined): boolean {
  if (method !== 'POST') return false;
  return policy?.plane === 'management' || (policy?.plane === 'dashboard' && policy.repeatable === true);
}

/** Whether the policy admits only the operator, the first owner, and the operator's tokens. */
export function isOperatorOnly(policy: AccessPolicy): boolean {
  return policy.plane === 'listings' || (policy.plane === 'dashboard' && policy.operator === true);
}

/** Permissions that only the operator can give to a token. */
export const OPERATOR_PERMISSIONS: ReadonlySet<Permission> = new Set(['manage_store']);

/** What needs no credential: the descriptions, which anyone may read, and what brings another proof. */
export const OPEN_ROUTES: ReadonlySet<string> = new Set([
  'GET /openapi/:file',
  'GET /docs',
  // The console is a page like any other; what it shows, it asks the planes for.
  ...['/', '/console', '/console/*'].flatMap((path) => [`GET ${path}`, `HEAD ${path}`]),
  `POST ${DASHBOARD}/session`,
  // A browser comes back to it from the remote side, with a state that Sluice handed out.
  `GET ${LISTINGS}/listings-ads/oauth/callback`,
]);

const SIGNING_KEY_ACTION = { scope: 'app', limit: 'keyActionsOfSigningKey', changesSigningKeys: true } as const;

const MANAGEMENT: Readonly<Record<string, ManagementPolicy>> = {
  [`GET ${PUBLIC}/token`]: management(),

  [`GET ${PUBLIC}/apps`]: management(),
  [`POST ${PUBLIC}/apps`]: management(),
  [`GET ${PUBLIC}/apps/:app`]: management({ scope: 'app' }),
  [`PATCH ${PUBLIC}/apps/:app`]: management({ scope: 'app' }),
  [`DELETE ${PUBLIC}/apps/:app`]: management({ scope: 'app', permission: 'apps.delete' }),

  [`GET ${PUBLIC}/apps/:app/builds`]: management({ scope: 'app' }),
  [`POST ${PUBLIC}/apps/:app/builds`]: management({ scope: 'app', multipart: true, limit: 'uploads' }),
  [`GET ${PUBLIC}/apps/:app/builds/:build`]: management({ scope: 'app' }),
  [`PATCH ${PUBLIC}/apps/:app/builds/:build`]: management({ scope: 'app', mayNarrow: true }),
  [`DELETE ${PUBLIC}/apps/:app/builds/:build`]: management({ scope: 'app', permission: 'builds.delete' }),
  [`POST ${PUBLIC}/apps/:app/builds/:build/promote`]: management({ scope: 'app' }),
  [`PATCH ${PUBLIC}/apps/:app/builds/:build/rollout`]: management({ scope: 'app', mayNarrow: true }),

  [`GET ${PUBLIC}/apps/:app/retention`]: management({ scope: 'app' }),
  [`GET ${PUBLIC}/apps/:app/history`]: management({ scope: 'app' }),
  [`GET ${PUBLIC}/apps/:app/builds/:build/history`]: management({ scope: 'app' }),

  [`GET ${PUBLIC}/apps/:app/adoption`]: management({ scope: 'app' }),
  [`GET ${PUBLIC}/apps/:app/builds/:build/stats`]: management({ scope: 'app' }),
  [`GET ${PUBLIC}/apps/:app/explain`]: management({ scope: 'app' }),
  // It takes no build, app or key from anybody, and a person who asks for it should not wait for a mightier token.
  [`GET ${PUBLIC}/apps/:app/devices/:device`]: management({ scope: 'app' }),
  [`GET ${PUBLIC}/apps/:app/devices/:device/reports`]: management({ scope: 'app' }),
  [`DELETE ${PUBLIC}/apps/:app/devices/:device`]: management({ scope: 'app' }),

  // A job is looked up first: its app decides whether the token may see it.
  [`GET ${PUBLIC}/jobs/:job`]: management(),

  [`GET ${PUBLIC}/apps/:app/api-keys`]: management({ scope: 'app' }),
  [`POST ${PUBLIC}/apps/:app/api-keys`]: management({ scope: 'app', limit: 'keyActionsOfApp' }),
  [`GET ${PUBLIC}/apps/:app/api-keys/:key`]: management({ scope: 'app' }),
  [`DELETE ${PUBLIC}/apps/:app/api-keys/:key`]: management({ scope: 'app', permission: 'keys.delete' }),
  [`POST ${PUBLIC}/apps/:app/api-keys/:key/rotate`]: management({ scope: 'app', limit: 'keyActionsOfKey' }),
  [`POST ${PUBLIC}/apps/:app/api-keys/:key/reveal`]: management({ scope: 'app', limit: 'keyActionsOfKey' }),
  [`PATCH ${PUBLIC}/apps/:app/api-keys/:key/restrictions`]: management({ scope: 'app' }),
  [`POST ${PUBLIC}/apps/:app/api-keys/:key/revoke`]: management({ scope: 'app' }),
  [`POST ${PUBLIC}/apps/:app/api-keys/:key/deprecate`]: management({ scope: 'app' }),

  [`GET ${PUBLIC}/apps/:app/signing-key`]: management({ scope: 'app' }),
  [`POST ${PUBLIC}/apps/:app/signing-key`]: management(SIGNING_KEY_ACTION),
  [`POST ${PUBLIC}/apps/:app/signing-key/rotate`]: management(SIGNING_KEY_ACTION),
  [`GET ${PUBLIC}/apps/:app/signing-keys`]: management({ scope: 'app' }),
  [`POST ${PUBLIC}/apps/:app/signing-keys/:key/retire`]: management({ scope: 'app', changesSigningKeys: true }),

  [`GET ${PUBLIC}/apps/:app/keystore`]: management({ scope: 'app' }),
  [`POST ${PUBLIC}/apps/:app/keystore`]: management({ scope: 'app', multipart: true }),
  [`GET ${PUBLIC}/apps/:app/keystore/download`]: management({ scope: 'app' }),
  [`DELETE ${PUBLIC}/apps/:app/keystore`]: management({ scope: 'app' }),
};

/** What tells of the token that asks. */
const OF_TOKENS_ALONE: ReadonlySet<string> = new Set([`GET ${PUBLIC}/token`, `GET ${PUBLIC}/apps`]);

/** All else that tokens may do, an owner may do in its own apps, with every permission. */
const OWNERS_TOO: Readonly<Record<string, AccessPolicy>> = Object.fromEntries(
  Object.entries(MANAGEMENT)
    .filter(([route]) => !OF_TOKENS_ALONE.has(route))
    .map(([route, { scope, multipart, limit, mayNarrow }]): [string, AccessPolicy] => [
      ownersRoute(route),
      {
        plane: 'dashboard',
        ...(scope && { scope }),
        ...(multipart && { multipart }),
        ...(limit && { limit }),
        ...(mayNarrow && { mayNarrow }),
        ...(route.startsWith('POST ') && { repeatable: true }),
      },
    ]),
);

/** Everything else that the gateway serves and what each needs: denied unless granted, here alone. */
export const ACCESS_POLICIES: Readonly<Record<string, AccessPolicy>> = {
  ...MANAGEMENT,
  ...OWNERS_TOO,

  [`GET ${DASHBOARD}/session`]: owner,
  [`DELETE ${DASHBOARD}/session`]: { ...owner, endsAccess: true },

  [`GET ${DASHBOARD}/owner`]: owner,
  // With the former key its repeat is refused.
  [`POST ${DASHBOARD}/owner/rotate-key`]: { ...owner, endsAccess: true },
  [`GET ${DASHBOARD}/owners`]: operator,
  [`POST ${DASHBOARD}/owners`]: operatorCommand,
  [`POST ${DASHBOARD}/owners/:owner/rotate-key`]: { ...operatorCommand, endsAccess: true },
  [`POST ${DASHBOARD}/owners/:owner/suspend`]: { ...operatorCommand, endsAccess: true },
  [`POST ${DASHBOARD}/owners/:owner/resume`]: operatorCommand,

  [`GET ${DASHBOARD}/settings`]: owner,
  [`GET ${DASHBOARD}/storage`]: owner,

  [`GET ${DASHBOARD}/events`]: { plane: 'dashboard', endless: true },

  [`GET ${DASHBOARD}/overview`]: owner,

  [`GET ${DASHBOARD}/apps`]: owner,
  // Unlike a token, an owner may ask what became of a removed app.
  [`GET ${DASHBOARD}/apps/:app/history`]: ownerOfEverApp,

  [`GET ${DASHBOARD}/tokens`]: owner,
  [`POST ${DASHBOARD}/tokens`]: ownerCommand,
  [`GET ${DASHBOARD}/tokens/:token`]: owner,
  [`PATCH ${DASHBOARD}/tokens/:token`]: owner,
  [`POST ${DASHBOARD}/tokens/:token/rotate`]: ownerCommand,
  [`POST ${DASHBOARD}/tokens/:token/revoke`]: { ...ownerCommand, endsAccess: true },

  [`GET ${DASHBOARD}/listings`]: operator,
  [`PUT ${DASHBOARD}/listings`]: operator,
  [`GET ${DASHBOARD}/listings/oauth-client`]: operator,
  [`PUT ${DASHBOARD}/listings/oauth-client`]: operator,
  [`DELETE ${DASHBOARD}/listings/oauth-client`]: operator,
  [`GET ${DASHBOARD}/listings/webhook`]: operator,
  [`PUT ${DASHBOARD}/listings/webhook`]: operator,
  [`DELETE ${DASHBOARD}/listings/webhook`]: operator,
  [`GET ${DASHBOARD}/listings/webhook/dead-letters`]: operator,
  [`DELETE ${DASHBOARD}/listings/webhook/dead-letters`]: operator,
  [`POST ${DASHBOARD}/listings/webhook/dead-letters/resend`]: operator,

  [`POST ${DASHBOARD}/secrets/reseal`]: operator,
  [`GET ${DASHBOARD}/secrets/data-keys`]: operator,
  [`POST ${DASHBOARD}/secrets/data-keys/rotate`]: operator,

  [`GET ${DASHBOARD}/diagnostics`]: operator,

  [`GET ${DASHBOARD}/projections`]: operator,
  [`GET ${DASHBOARD}/projections/:name`]: operator,
  [`POST ${DASHBOARD}/projections/:name/rebuild`]: operator,
  [`POST ${DASHBOARD}/projections/:name/verify`]: operator,

  [`POST ${LISTINGS}/listings-ads/connect`]: store,
  [`POST ${LISTINGS}/listings-ads/disconnect`]: store,
  [`GET ${LISTINGS}/listings-ads/connection`]: store,
  [`GET ${LISTINGS}/listings-ads/merchant`]: store,
  [`GET ${LISTINGS}/listings-ads/feed/settings`]: store,
  [`POST ${LISTINGS}/listings-ads/feed/settings`]: store,
  [`GET ${LISTINGS}/listings-ads/feed/preview`]: store,
  [`GET ${LISTINGS}/listings-ads/feed/download`]: store,
  [`GET ${LISTINGS}/listings-ads/sync/settings`]: store,
  [`POST ${LISTINGS}/listings-ads/sync/settings`]: store,
  [`POST ${LISTINGS}/listings-ads/sync/now`]: store,
  [`GET ${LISTINGS}/listings-ads/sync/status`]: store,
  [`GET ${LISTINGS}/listings-ads/sync/logs`]: store,
  [`GET ${LISTINGS}/listings-ads/sync/logs/:log`]: store,
  [`GET ${LISTINGS}/listings-ads/mappings`]: store,
  [`GET ${LISTINGS}/listings-ads/overview`]: store,
  [`GET ${LISTINGS}/listings-ads/diagnostics`]: store,
  [`POST ${LISTINGS}/listings-ads/diagnostics/repair`]: store,
};
