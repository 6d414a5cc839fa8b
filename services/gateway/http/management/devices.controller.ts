import { Controller, Delete, Inject, Param } from '@nestjs/common';
import { forgetDevice, type Caller } from '@sluice/contracts';
import { hasCharacters, ValidationError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownApp } from '../../projections/access-state';
import { forTokensAndOwners } from '../access-policy';
import { RequestApp, RequestCaller } from '../request.decorators';
import { MAX_DEVICE_ID_LENGTH } from './adoption';

@Controller(forTokensAndOwners('apps/:app/devices'))
export class DevicesController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Delete(':device')
  async forget(@Param('device') deviceId: string, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    if (!hasCharacters(deviceId, 0, MAX_DEVICE_ID_LENGTH)) {
      throw new ValidationError({ device: [`The device must have at most ${MAX_DEVICE_ID_LENGTH} characters.`] });
    }
    return { data: await this.messaging.request(forgetDevice, { appId: app.id, deviceId }, caller) };
  }
}
