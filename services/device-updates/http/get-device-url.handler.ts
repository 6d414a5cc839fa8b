import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { getDeviceUrl, type ReplyOf } from '@sluice/contracts';
import { PUBLIC_URL, type PublicUrl } from '@sluice/service-host';
import { QueryOf } from '@sluice/messaging';

export class GetDeviceUrl extends QueryOf(getDeviceUrl) {}

/** Where devices reach this service. */
@QueryHandler(GetDeviceUrl)
export class GetDeviceUrlHandler implements IQueryHandler<GetDeviceUrl> {
  constructor(@Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl) {}

  execute(): Promise<ReplyOf<typeof getDeviceUrl>> {
    return Promise.resolve({ url: this.publicUrl() });
  }
}
