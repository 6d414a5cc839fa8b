import { Body, Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { getSyncSettings, saveSyncSettings, type Caller } from '@sluice/contracts';
import { validateBody } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { RequestCaller } from '../request.decorators';
import { success } from './envelope';

@Controller('svc/v1/listings-ads/sync/settings')
export class SyncSettingsController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Get()
  async get(@RequestCaller() caller: Caller) {
    return success(await this.messaging.request(getSyncSettings, {}, caller), 'The sync settings.');
  }

  @Post()
  @HttpCode(200)
  async save(@Body() body: unknown, @RequestCaller() caller: Caller) {
    const changes = validateBody(saveSyncSettings.request, body);
    return success(await this.messaging.request(saveSyncSettings, changes, caller), 'The sync settings are saved.');
  }
}
