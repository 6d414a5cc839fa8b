import { Controller, Get, Inject, Query } from '@nestjs/common';
import { lastUses, listApps, type Caller } from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { pageMeta, pageQuery, validate } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { AccessIndex } from '../../projections/access-index';
import type { KnownToken } from '../../projections/access-state';
import { RequestCaller, RequestToken } from '../request.decorators';

/** An access token, and what it reaches. */
@Controller('api/public/v1')
export class TokenController {
  constructor(
    private readonly access: AccessIndex,
    private readonly state: StateStore,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {}

  @Get('token')
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

  @Get('apps')
  async apps(@Query() query: unknown, @RequestToken() token: KnownToken, @RequestCaller() caller: Caller) {
    const page = validate(pageQuery, query);
    const ids = token.allApps ? null : [...token.apps];
    const { items, total } = await this.messaging.request(listApps, { ...page, ownerId: token.ownerId, ids }, caller);
    return { data: items, meta: pageMeta(page, total) };
  }
}
