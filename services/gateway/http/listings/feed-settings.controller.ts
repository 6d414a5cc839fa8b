import { Body, Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { getFeedSettings, saveFeedSettings, type Caller } from '@sluice/contracts';
import { validateBody } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { RequestCaller } from '../request.decorators';
import { success } from './envelope';

@Controller('svc/v1/listings-ads/feed/settings')
export class FeedSettingsController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Get()
  async get(@RequestCaller() caller: Caller) {
    return success(await this.messaging.request(getFeedSettings, {}, caller), 'The feed settings.');
  }

  @Post()
  @HttpCode(200)
  async save(@Body() body: unknown, @RequestCaller() caller: Caller) {
    const changes = validateBody(saveFeedSettings.request, body);
    return success(await this.messaging.request(saveFeedSettings, changes, caller), 'The feed settings are saved.');
  }
}
