import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { createSigningKey, rotateSigningKey, type Caller } from '@sluice/contracts';
import { validateBody } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownApp } from '../../projections/access-state';
import { forTokensAndOwners } from '../access-policy';
import { RequestApp, RequestCaller } from '../request.decorators';
import { signingKeyBody } from './schemas';

/** Making a key takes as long as it takes to find two large primes. */
const PATIENCE = { timeoutMs: 30_000 };

@Controller(forTokensAndOwners('apps/:app/signing-key'))
export class SigningKeyController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Post()
  @HttpCode(201)
  async create(@Body() body: unknown, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const request = { ...validateBody(signingKeyBody, body), appId: app.id };
    return { data: await this.messaging.request(createSigningKey, request, caller, PATIENCE) };
  }

  @Post('rotate')
  @HttpCode(200)
  async rotate(@Body() body: unknown, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const request = { ...validateBody(signingKeyBody, body), appId: app.id };
    return { data: await this.messaging.request(rotateSigningKey, request, caller, PATIENCE) };
  }
}
