import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import {
  createApiKey,
  deleteApiKey,
  deprecateApiKey,
  listApiKeys,
  restrictApiKey,
  revealApiKey,
  revokeApiKey,
  rotateApiKey,
  type Caller,
} from '@sluice/contracts';
import { pageMeta, pageQuery, validate, validateBody } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownApp } from '../../projections/access-state';
import { forTokensAndOwners } from '../access-policy';
import { idOf } from '../path-id';
import { RequestApp, RequestCaller } from '../request.decorators';
import { readRestrictions } from './restrictions';
import { createApiKeyBody } from './schemas';

@Controller(forTokensAndOwners('apps/:app/api-keys'))
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
    const { name } = validateBody(createApiKeyBody, body);
    return { data: await this.messaging.request(createApiKey, { appId: app.id, name }, caller) };
  }

  @Post(':key/revoke')
  @HttpCode(200)
  async revoke(@Param('key') key: string, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const id = idOf(key, 'KEY_NOT_FOUND');
    return { data: await this.messaging.request(revokeApiKey, { appId: app.id, id }, caller) };
  }

  @Post(':key/rotate')
  @HttpCode(200)
  async rotate(@Param('key') key: string, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const id = idOf(key, 'KEY_NOT_FOUND');
    return { data: await this.messaging.request(rotateApiKey, { appId: app.id, id }, caller) };
  }

  @Post(':key/reveal')
  @HttpCode(200)
  async reveal(@Param('key') key: string, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const id = idOf(key, 'KEY_NOT_FOUND');
    return { data: await this.messaging.request(revealApiKey, { appId: app.id, id }, caller) };
  }

  @Post(':key/deprecate')
  @HttpCode(200)
  async deprecate(@Param('key') key: string, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const id = idOf(key, 'KEY_NOT_FOUND');
    return { data: await this.messaging.request(deprecateApiKey, { appId: app.id, id }, caller) };
  }

  @Patch(':key/restrictions')
  async restrict(
    @Param('key') key: string,
    @Body() body: unknown,
    @RequestApp() app: KnownApp,
    @RequestCaller() caller: Caller,
  ) {
    const restrictions = readRestrictions(body);
    const id = idOf(key, 'KEY_NOT_FOUND');
    const request = { appId: app.id, id, restrictions };
    return { data: await this.messaging.request(restrictApiKey, request, caller) };
  }

  @Delete(':key')
  async delete(@Param('key') key: string, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const id = idOf(key, 'KEY_NOT_FOUND');
    return { data: await this.messaging.request(deleteApiKey, { appId: app.id, id }, caller) };
  }
}
