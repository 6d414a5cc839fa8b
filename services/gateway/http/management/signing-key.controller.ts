import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import {
  countDevicesBySigner,
  createSigningKey,
  listSigningKeys,
  retireSigningKey,
  rotateSigningKey,
  type Caller,
  type CountedSigningKey,
} from '@sluice/contracts';
import { pageMeta, pageQuery, validate, validateBody } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownApp } from '../../projections/access-state';
import { forTokensAndOwners } from '../access-policy';
import { idOf } from '../path-id';
import { RequestApp, RequestCaller } from '../request.decorators';
import { unlessAway } from '../unless-away';
import { rotateSigningKeyBody, signingKeyBody } from './schemas';

/** Making a key takes as long as it takes to find two large primes, and others may be made before it. */
const PATIENCE = { timeoutMs: 30_000 };
/** Counting the devices of a large fleet takes seconds; the keys are listed without it, too. */
const COUNT_PATIENCE = { timeoutMs: 3_000 };

@Controller(forTokensAndOwners('apps/:app'))
export class SigningKeyController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Post('signing-key')
  @HttpCode(201)
  async create(@Body() body: unknown, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const request = { ...validateBody(signingKeyBody, body), appId: app.id };
    return { data: await this.messaging.request(createSigningKey, request, caller, PATIENCE) };
  }

  @Post('signing-key/rotate')
  @HttpCode(200)
  async rotate(@Body() body: unknown, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const { expected_fingerprint: expectedFingerprint, ...wish } = validateBody(rotateSigningKeyBody, body);
    const request = { ...wish, expectedFingerprint, appId: app.id };
    return { data: await this.messaging.request(rotateSigningKey, request, caller, PATIENCE) };
  }

  @Get('signing-keys')
  async list(@Query() query: unknown, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const page = validate(pageQuery, query);
    const { items, total } = await this.messaging.request(listSigningKeys, { ...page, appId: app.id }, caller);
    const keys = items.map(({ created_at: createdAt, superseded_at: supersededAt }) => ({ createdAt, supersededAt }));
    const asked = { appId: app.id, keys };
    const counted = await unlessAway(this.messaging.request(countDevicesBySigner, asked, caller, COUNT_PATIENCE));
    const data = items.map((key, at): CountedSigningKey => ({ ...key, devices: counted?.counts[at] ?? null }));
    return { data, meta: pageMeta(page, total) };
  }

  @Post('signing-keys/:key/retire')
  @HttpCode(200)
  async retire(@Param('key') key: string, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const request = { appId: app.id, id: idOf(key, 'KEY_NOT_FOUND') };
    return { data: await this.messaging.request(retireSigningKey, request, caller) };
  }
}
