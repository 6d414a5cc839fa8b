import { Controller, Delete, Get, Inject, Param, Query } from '@nestjs/common';
import { explainUpdate, forgetDevice, getAdoption, getBuildStats, type Caller } from '@sluice/contracts';
import { CLOCK, type Clock } from '@sluice/engines';
import { validate } from '@sluice/http';
import { ValidationError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownApp } from '../../projections/access-state';
import { idOf } from '../path-id';
import { RequestApp, RequestCaller } from '../request.decorators';
import { explainQuery, MAX_DEVICE_ID_LENGTH, readDays } from './adoption';

/** What devices report and are offered: device-updates knows. */
@Controller('api/public/v1/apps/:app')
export class AdoptionController {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('adoption')
  async adoption(@Query() query: unknown, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const days = readDays(query, this.clock);
    return { data: await this.messaging.request(getAdoption, { appId: app.id, ...days }, caller) };
  }

  @Get('builds/:build/stats')
  async stats(
    @Param('build') build: string,
    @Query() query: unknown,
    @RequestApp() app: KnownApp,
    @RequestCaller() caller: Caller,
  ) {
    const days = readDays(query, this.clock);
    const id = idOf(build, 'BUILD_NOT_FOUND');
    return { data: await this.messaging.request(getBuildStats, { appId: app.id, id, ...days }, caller) };
  }

  @Get('explain')
  async explain(@Query() query: unknown, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const { device: deviceId, app_version: appVersion, ...asked } = validate(explainQuery, query);
    const request = { appId: app.id, deviceId, appVersion, ...asked };
    return { data: await this.messaging.request(explainUpdate, request, caller) };
  }

  @Delete('devices/:device')
  async forget(@Param('device') deviceId: string, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    if (deviceId.length > MAX_DEVICE_ID_LENGTH) {
      throw new ValidationError({ device: [`The device must have at most ${MAX_DEVICE_ID_LENGTH} characters.`] });
    }
    return { data: await this.messaging.request(forgetDevice, { appId: app.id, deviceId }, caller) };
  }
}
