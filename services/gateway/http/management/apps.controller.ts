import { Body, Controller, Delete, Get, HttpCode, Inject, Patch, Post, Query } from '@nestjs/common';
import { createApp, editApp, listApps, removeApp, type Caller } from '@sluice/contracts';
import { pageMeta, pageQuery, validate } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownApp, KnownToken } from '../../projections/access-state';
import { RequestApp, RequestCaller, RequestToken } from '../request.decorators';
import { createAppBody, editAppBody } from './schemas';

@Controller('api/public/v1/apps')
export class AppsController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Get()
  async list(@Query() query: unknown, @RequestToken() token: KnownToken, @RequestCaller() caller: Caller) {
    const page = validate(pageQuery, query);
    const ids = token.allApps ? null : [...token.apps];
    const { items, total } = await this.messaging.request(listApps, { ...page, ownerId: token.ownerId, ids }, caller);
    return { data: items, meta: pageMeta(page, total) };
  }

  @Post()
  @HttpCode(201)
  async create(@Body() body: unknown, @RequestToken() token: KnownToken, @RequestCaller() caller: Caller) {
    const { name, bundle_id, platform, description } = validate(createAppBody, body ?? {});
    const app = await this.messaging.request(
      createApp,
      {
        ownerId: token.ownerId,
        tokenId: token.id,
        name,
        bundleId: bundle_id ?? null,
        platform: platform ?? 'both',
        description: description ?? null,
      },
      caller,
    );
    return { data: app };
  }

  @Patch(':app')
  async edit(@Body() body: unknown, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const { name, platform, description } = validate(editAppBody, body ?? {});
    const request = { id: app.id, name, platform, description };
    return { data: await this.messaging.request(editApp, request, caller) };
  }

  @Delete(':app')
  async delete(@RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(removeApp, { id: app.id }, caller) };
  }
}
