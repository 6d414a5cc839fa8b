import { Controller, Delete, Get, Inject, Param, Query } from '@nestjs/common';
import { forgetDevice, getDevice, listDeviceReports, type Caller } from '@sluice/contracts';
import { pageMeta, pageQuery, validate } from '@sluice/http';
import { hasCharacters, ValidationError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownApp } from '../../projections/access-state';
import { forTokensAndOwners } from '../access-policy';
import { RequestApp, RequestCaller } from '../request.decorators';
import { MAX_DEVICE_ID_LENGTH } from './adoption';

@Controller(forTokensAndOwners('apps/:app/devices'))
export class DevicesController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Get(':device')
  async get(@Param('device') device: string, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(getDevice, { appId: app.id, deviceId: checked(device) }, caller) };
  }

  @Get(':device/reports')
  async reports(
    @Param('device') device: string,
    @Query() query: unknown,
    @RequestApp() app: KnownApp,
    @RequestCaller() caller: Caller,
  ) {
    const page = validate(pageQuery, query);
    const asked = { ...page, appId: app.id, deviceId: checked(device) };
    const { items, total } = await this.messaging.request(listDeviceReports, asked, caller);
    return { data: items, meta: pageMeta(page, total) };
  }

  @Delete(':device')
  async forget(@Param('device') device: string, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    return { data: await this.messaging.request(forgetDevice, { appId: app.id, deviceId: checked(device) }, caller) };
  }
}

/** @throws ValidationError */
function checked(deviceId: string): string {
  if (hasCharacters(deviceId, 0, MAX_DEVICE_ID_LENGTH)) return deviceId;
  throw new ValidationError({ device: [`The device must have at most ${MAX_DEVICE_ID_LENGTH} characters.`] });
}
