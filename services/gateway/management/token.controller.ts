import { Inject } from '@nestjs/common';
import { getToken, tokenInfoSchema } from '@sluice/contracts';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { AccessIndex } from '../access/access-index';
import { one } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, Routes } from '../http/route';

@Routes('Token', 'The calling access token.')
export class TokenController {
  constructor(
    private readonly access: AccessIndex,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {}

  @ManagementRoute('GET', 'token', {
    summary: 'Get the permissions and apps of this token',
    answers: { 200: one(tokenInfoSchema, 'The token.') },
    tokensOnly: true,
  })
  async getToken({ token, caller }: RequestContext) {
    const apps = this.access.state.reachableApps(token).map(({ id, appId, name }) => ({ id, app_id: appId, name }));
    const { id, ownerId } = token;
    const { last_used_at } = await this.messaging.request(getToken, { id, ownerId }, caller);
    return {
      name: token.name,
      permissions: token.permissions,
      all_apps: token.allApps,
      apps,
      last_used_at,
      expires_at: token.expiresAt,
      created_at: token.createdAt,
    };
  }
}
