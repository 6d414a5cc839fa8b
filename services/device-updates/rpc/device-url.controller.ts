import { Controller, Inject } from '@nestjs/common';
import { getDeviceUrl, type ReplyOf } from '@sluice/contracts';
import { PUBLIC_URL, type PublicUrl } from '@sluice/engines';
import { Handles } from '@sluice/messaging';

/** Where devices reach this service. */
@Controller()
export class DeviceUrlController {
  constructor(@Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl) {}

  @Handles(getDeviceUrl)
  get(): ReplyOf<typeof getDeviceUrl> {
    return { url: this.publicUrl() };
  }
}
