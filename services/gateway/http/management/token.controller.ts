import { Controller, Get } from '@nestjs/common';
import { AccessIndex } from '../../projections/access-index';
import type { KnownToken } from '../../projections/access-state';
import { RequestToken } from '../request.decorators';

@Controller('api/public/v1/token')
export class TokenController {
  constructor(private readonly access: AccessIndex) {}

  @Get()
  get(@RequestToken() token: KnownToken) {
    const apps = this.access.state.reachableApps(token).map(({ id, appId, name }) => ({ id, app_id: appId, name }));
    return {
      data: {
        name: token.name,
        permissions: token.permissions,
        all_apps: token.allApps,
        apps,
        last_used_at: null,
        expires_at: token.expiresAt,
        created_at: token.createdAt,
      },
    };
  }
}
