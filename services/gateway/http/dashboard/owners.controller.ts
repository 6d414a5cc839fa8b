import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import {
  createOwner,
  getOwner,
  listOwners,
  resumeOwner,
  rotateOwnerKey,
  suspendOwner,
  type Caller,
} from '@sluice/contracts';
import { pageMeta, pageQuery, validate, validateBody } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownOwner } from '../../projections/access-state';
import { idOf } from '../path-id';
import { RequestCaller, RequestOwner } from '../request.decorators';
import { createOwnerBody, rotateOwnerKeyBody, suspendOwnerBody } from './schemas';

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
  async rotateOwn(@RequestOwner() { id }: KnownOwner, @Body() body: unknown, @RequestCaller() caller: Caller) {
    return { data: await this.rotateKey(id, body, caller) };
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
  async rotate(@Param('owner') owner: string, @Body() body: unknown, @RequestCaller() caller: Caller) {
    return { data: await this.rotateKey(idOf(owner, 'OWNER_NOT_FOUND'), body, caller) };
  }

  @Post('owners/:owner/suspend')
  @HttpCode(200)
  async suspend(@Param('owner') owner: string, @Body() body: unknown, @RequestCaller() caller: Caller) {
    const { reason, stop_devices: stopDevices } = validateBody(suspendOwnerBody, body);
    const request = { id: idOf(owner, 'OWNER_NOT_FOUND'), reason, stopDevices };
    return { data: await this.messaging.request(suspendOwner, request, caller) };
  }

  @Post('owners/:owner/resume')
  @HttpCode(200)
  async resume(@Param('owner') owner: string, @RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(resumeOwner, { id: idOf(owner, 'OWNER_NOT_FOUND') }, caller) };
  }

  private rotateKey(id: number, body: unknown, caller: Caller) {
    const { revoke_tokens: revokeTokens } = validateBody(rotateOwnerKeyBody, body);
    return this.messaging.request(rotateOwnerKey, { id, revokeTokens }, caller);
  }
}
