import { Module } from '@nestjs/common';
import { AppHistory } from './http/app-history';
import { DevicePlane } from './http/device-plane';
import { EventStreams } from './http/event-streams';
import { Idempotency } from './http/idempotency';
import { Limits } from './http/limits';
import { DescriptionsController } from './http/openapi/descriptions.controller';
import { CONTROLLERS } from './http/openapi/planes';
import { Sessions } from './http/sessions';
import { StorageLimit } from './http/storage-limit';
import { TokenUse } from './http/token-usage';
import { Uploads } from './http/uploads';
import { AccessIndex } from './projections/access-index';
import { Changes } from './projections/changes';

/** The management, dashboard and listings-ads planes: who may do what, and where it is done. */
@Module({
  controllers: [DescriptionsController],
  providers: [
    ...CONTROLLERS,
    AccessIndex,
    AppHistory,
    Changes,
    DevicePlane,
    EventStreams,
    Limits,
    TokenUse,
    Idempotency,
    Sessions,
    StorageLimit,
    Uploads,
  ],
})
export class GatewayModule {}
