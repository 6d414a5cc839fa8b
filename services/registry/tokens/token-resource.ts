import type { AccessToken } from '@sluice/contracts';
import type { RegisteredApp } from '../apps/domain/apps';
import type { ExistingToken } from './domain/token';

/**
 * The access token of the API. Its apps are those of `ownersApps` that it reaches: all of them, or
 * those selected for it and those that it registered since they were selected.
 */
export function tokenResource(
  token: Omit<ExistingToken, 'sealId'>,
  ownersApps: readonly Pick<RegisteredApp, 'id' | 'tokenId'>[],
  now: Date,
  /** ISO 8601. */
  lastUsedAt: string | null,
): AccessToken {
  const isOwn = (app: (typeof ownersApps)[number]) => app.tokenId === token.id && app.id > token.ownAppsAfter;
  const reached = ownersApps.filter((app) => token.allApps || token.apps.includes(app.id) || isOwn(app));
  return {
    id: token.id,
    name: token.name,
    permissions: [...token.permissions],
    all_apps: token.allApps,
    apps: reached.map((app) => app.id),
    status: token.revoked ? 'revoked' : isPast(token.expiresAt, now) ? 'expired' : 'active',
    last_used_at: lastUsedAt,
    expires_at: token.expiresAt,
    created_at: token.createdAt,
  };
}

function isPast(time: string | null, now: Date): boolean {
  return time !== null && Date.parse(time) <= now.getTime();
}
