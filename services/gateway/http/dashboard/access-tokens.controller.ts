import { Body, Controller, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { createToken, editToken, getToken, listTokens, revokeToken, rotateToken, type Caller } from '@sluice/contracts';
import { pageMeta, pageQuery, validate, validateBody } from '@sluice/http';
import { ValidationError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { AccessIndex } from '../../projections/access-index';
import type { KnownOwner } from '../../projections/access-state';
import { authorizeGrant } from '../authentication';
import { idOf } from '../path-id';
import { RequestCaller, RequestOwner } from '../request.decorators';
import { createTokenBody, editTokenBody } from './schemas';

/** Of a reference that names no app. */
const MAX_SHOWN = 160;

/** Access Tokens: made by the owner alone, so that a leaked token can't mint another. */
@Controller('api/dashboard/v1/tokens')
export class AccessTokensController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly access: AccessIndex,
  ) {}

  @Get()
  async list(@Query() query: unknown, @RequestOwner() owner: KnownOwner, @RequestCaller() caller: Caller) {
    const page = validate(pageQuery, query);
    const { items, total } = await this.messaging.request(listTokens, { ...page, ownerId: owner.id }, caller);
    return { data: items, meta: pageMeta(page, total) };
  }

  @Post()
  @HttpCode(201)
  async create(@Body() body: unknown, @RequestOwner() owner: KnownOwner, @RequestCaller() caller: Caller) {
    const { name, permissions, all_apps, apps, expires_at } = validateBody(createTokenBody, body);
    authorizeGrant(owner, permissions);
    const named = apps
      .map(String)
      .map((reference) => ({ reference, app: this.access.state.ownedApp(owner, reference) }));
    const request = {
      ownerId: owner.id,
      name,
      permissions,
      allApps: all_apps,
      apps: named.flatMap(({ app }) => app?.id ?? []),
      // The repeat of a creation is answered although an app has gone since: the registry knows it.
      unknownApps: named.flatMap(({ app, reference }) => (app === undefined ? reference.slice(0, MAX_SHOWN) : [])),
      expiresAt: expires_at,
    };
    return { data: await this.messaging.request(createToken, request, caller) };
  }

  @Get(':token')
  async get(@Param('token') token: string, @RequestOwner() owner: KnownOwner, @RequestCaller() caller: Caller) {
    const id = idOf(token, 'TOKEN_NOT_FOUND');
    return { data: await this.messaging.request(getToken, { ownerId: owner.id, id }, caller) };
  }

  @Patch(':token')
  async edit(
    @Param('token') token: string,
    @Body() body: unknown,
    @RequestOwner() owner: KnownOwner,
    @RequestCaller() caller: Caller,
  ) {
    const { name, permissions, all_apps, apps, expires_at } = validateBody(editTokenBody, body);
    authorizeGrant(owner, permissions);
    const reach =
      all_apps === undefined && apps === undefined
        ? undefined
        : { allApps: all_apps ?? false, apps: (apps ?? []).map((reference) => this.appId(owner, String(reference))) };
    const id = idOf(token, 'TOKEN_NOT_FOUND');
    const request = { ownerId: owner.id, id, name, permissions, reach, expiresAt: expires_at };
    return { data: await this.messaging.request(editToken, request, caller) };
  }

  @Post(':token/rotate')
  @HttpCode(200)
  async rotate(@Param('token') token: string, @RequestOwner() owner: KnownOwner, @RequestCaller() caller: Caller) {
    const id = idOf(token, 'TOKEN_NOT_FOUND');
    return { data: await this.messaging.request(rotateToken, { ownerId: owner.id, id }, caller) };
  }

  @Post(':token/revoke')
  @HttpCode(200)
  async revoke(@Param('token') token: string, @RequestOwner() owner: KnownOwner, @RequestCaller() caller: Caller) {
    const id = idOf(token, 'TOKEN_NOT_FOUND');
    return { data: await this.messaging.request(revokeToken, { ownerId: owner.id, id }, caller) };
  }

  private appId(owner: KnownOwner, reference: string): number {
    const app = this.access.state.ownedApp(owner, reference);
    if (app === undefined) throw new ValidationError({ apps: [`There is no app "${reference.slice(0, MAX_SHOWN)}".`] });
    return app.id;
  }
}
