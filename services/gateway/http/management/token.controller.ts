import { Controller, Get, Inject } from '@nestjs/common';
import { lastUses } from '@sluice/contracts';
import { STATE_STORE, type DocumentStore } from '@sluice/document-store';
import { AccessIndex } from '../../projections/access-index';
import type { KnownToken } from '../../projections/access-state';
import { RequestToken } from '../request.decorators';

@Controller('api/public/v1/token')
export class TokenController {
  constructor(
    private readonly access: AccessIndex,
    @Inject(STATE_STORE) private readonly state: DocumentStore,
  ) {}

  @Get()
  async get(@RequestToken() token: KnownToken) {
    const apps = this.access.state.reachableApps(token).map(({ id, appId, name }) => ({ id, app_id: appId, name }));
    const [lastUsedAt = null] = await lastUses(this.state, [token.id]);
    return {
      data: {
        name: token.name,
        permissions: token.permissions,
        all_apps: token.allApps,
        apps,
        last_used_at: lastUsedAt,
        expires_at: token.expiresAt,
        created_at: token.createdAt,
      },
    };
  }
}
