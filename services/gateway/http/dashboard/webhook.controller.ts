import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Put, Query } from '@nestjs/common';
import {
  type Caller,
  clearDeadLetters,
  deleteWebhook,
  getWebhook,
  listDeadLetters,
  resendDeadLetters,
  saveWebhook,
} from '@sluice/contracts';
import { pageMeta, pageQuery, validate, validateBody } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { RequestCaller } from '../request.decorators';

/** Where the listings' hooks are sent, and what could not be delivered. */
@Controller('api/dashboard/v1/listings/webhook')
export class WebhookController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Get()
  async get(@RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(getWebhook, {}, caller) };
  }

  @Put()
  async save(@Body() body: unknown, @RequestCaller() caller: Caller) {
    const request = validateBody(saveWebhook.request, body);
    return { data: await this.messaging.request(saveWebhook, request, caller) };
  }

  @Delete()
  async delete(@RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(deleteWebhook, {}, caller) };
  }

  @Get('dead-letters')
  async deadLetters(@Query() query: unknown, @RequestCaller() caller: Caller) {
    const page = validate(pageQuery, query);
    const { items, total } = await this.messaging.request(listDeadLetters, page, caller);
    return { data: items, meta: pageMeta(page, total) };
  }

  @Post('dead-letters/resend')
  @HttpCode(200)
  async resend(@Body() body: unknown, @RequestCaller() caller: Caller) {
    const request = validateBody(resendDeadLetters.request, body);
    return { data: await this.messaging.request(resendDeadLetters, request, caller) };
  }

  @Delete('dead-letters')
  async clear(@RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(clearDeadLetters, {}, caller) };
  }
}
