import { lastUses, tokenInfoSchema } from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { AccessIndex } from '../../projections/access-index';
import { one } from '../openapi/operation';
import type { RequestContext } from '../request-context';
import { ManagementRoute, Routes } from '../route';

@Routes('Token', 'The access token that asks.')
export class TokenController {
  constructor(
    private readonly access: AccessIndex,
    private readonly state: StateStore,
  ) {}

  @ManagementRoute('GET', 'token', {
    summary: 'What this token may do',
    answers: { 200: one(tokenInfoSchema, 'The token.') },
    tokensOnly: true,
  })
  async getToken({ token }: RequestContext) {
    const apps = this.access.state.reachableApps(token).map(({ id, appId, name }) => ({ id, app_id: appId, name }));
    const [lastUsedAt = null] = await lastUses(this.state, [token.id]);
    return {
      name: token.name,
      permissions: token.permissions,
      all_apps: token.allApps,
      apps,
      last_used_at: lastUsedAt,
      expires_at: token.expiresAt,
      created_at: token.createdAt,
    };
  }
}
