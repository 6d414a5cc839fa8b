import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { createOwner, getOwner, listOwners, rotateOwnerKey, type Caller } from '@sluice/contracts';
import { pageMeta, pageQuery, validate, validateBody } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownOwner } from '../../projections/access-state';
import { idOf } from '../path-id';
import { RequestCaller, RequestOwner } from '../request.decorators';
import { createOwnerBody } from './schemas';

/** Owners: each sees itself and gives itself another key; the operator makes others, and does so for them. */
@Controller('api/dashboard/v1')
export class OwnersController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Get('owner')
  async self(@RequestOwner() { id }: KnownOwner, @RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(getOwner, { id }, caller) };
  }

  @Post('owner/rotate-key')
  @HttpCode(200)
  async rotateOwn(@RequestOwner() { id }: KnownOwner, @RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(rotateOwnerKey, { id }, caller) };
  }

  @Get('owners')
  async list(@Query() query: unknown, @RequestCaller() caller: Caller) {
    const page = validate(pageQuery, query);
    const { items, total } = await this.messaging.request(listOwners, page, caller);
    return { data: items, meta: pageMeta(page, total) };
  }

  @Post('owners')
  @HttpCode(201)
  async create(@Body() body: unknown, @RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(createOwner, validateBody(createOwnerBody, body), caller) };
  }

  @Post('owners/:owner/rotate-key')
  @HttpCode(200)
  async rotate(@Param('owner') owner: string, @RequestCaller() caller: Caller) {
    const id = idOf(owner, 'OWNER_NOT_FOUND');
    return { data: await this.messaging.request(rotateOwnerKey, { id }, caller) };
  }
}
