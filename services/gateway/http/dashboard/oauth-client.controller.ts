import { Body, Controller, Delete, Get, Inject, Put } from '@nestjs/common';
import { type Caller, deleteOAuthClient, getOAuthClient, saveOAuthClient } from '@sluice/contracts';
import { validateBody } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { RequestCaller } from '../request.decorators';

/** As which OAuth client the store asks for access to a merchant account. */
@Controller('api/dashboard/v1/listings/oauth-client')
export class OAuthClientController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Get()
  async get(@RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(getOAuthClient, {}, caller) };
  }

  @Put()
  async save(@Body() body: unknown, @RequestCaller() caller: Caller) {
    const request = validateBody(saveOAuthClient.request, body);
    return { data: await this.messaging.request(saveOAuthClient, request, caller) };
  }

  @Delete()
  async delete(@RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(deleteOAuthClient, {}, caller) };
  }
}
