import { Module } from '@nestjs/common';
import { AppChannels } from './management/app-channels';
import { AppHistory } from './management/app-history';
import { AudienceNames } from './management/audience-names';
import { PlanChoices } from './management/plan-choice';
import { DevicePlane } from './http/device-plane';
import { EventStreams } from './live/event-streams';
import { Idempotency } from './idempotency/idempotency';
import { Limits } from './limits/limits';
import { DescriptionsController } from './openapi/descriptions.controller';
import { CONTROLLERS } from './openapi/planes';
import { Sessions } from './access/sessions';
import { StorageLimit } from './limits/storage-limit';
import { TokenUse } from './access/token-usage';
import { Uploads } from './uploads/uploads';
import { AccessIndex } from './access/access-index';
import { Changes } from './live/changes';

/** The management, dashboard and listings-ads planes: who may do what, and where it is done. */
@Module({
  controllers: [DescriptionsController],
  providers: [
    ...CONTROLLERS,
    AccessIndex,
    AppChannels,
    AppHistory,
    AudienceNames,
    PlanChoices,
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
