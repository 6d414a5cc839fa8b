import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { createApiKey, getApiKey, listApiKeys, revokeApiKey, type Caller } from '@sluice/contracts';
import { pageMeta, pageQuery, validate } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownApp } from '../../projections/access-state';
import { idOf } from '../path-id';
import { RequestApp, RequestCaller } from '../request.decorators';
import { createApiKeyBody } from './schemas';

@Controller('api/public/v1/apps/:app/api-keys')
export class ApiKeysController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Get()
  async list(@Query() query: unknown, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const page = validate(pageQuery, query);
    const { items, total } = await this.messaging.request(listApiKeys, { ...page, appId: app.id }, caller);
    return { data: items, meta: pageMeta(page, total) };
  }

  @Post()
  @HttpCode(201)
  async create(@Body() body: unknown, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const { name } = validate(createApiKeyBody, body ?? {});
    return { data: await this.messaging.request(createApiKey, { appId: app.id, name }, caller) };
  }

  @Get(':key')
  async get(@Param('key') key: string, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const id = idOf(key, 'KEY_NOT_FOUND');
    return { data: await this.messaging.request(getApiKey, { appId: app.id, id }, caller) };
  }

  @Post(':key/revoke')
  @HttpCode(200)
  async revoke(@Param('key') key: string, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const id = idOf(key, 'KEY_NOT_FOUND');
    return { data: await this.messaging.request(revokeApiKey, { appId: app.id, id }, caller) };
  }
}
