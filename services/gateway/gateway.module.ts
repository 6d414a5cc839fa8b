import { Module } from '@nestjs/common';
import { AccessTokensController } from './http/dashboard/access-tokens.controller';
import { OwnedAppsController } from './http/dashboard/apps.controller';
import { DiagnosticsController } from './http/dashboard/diagnostics.controller';
import { EventsController } from './http/dashboard/events.controller';
import { ListingsController } from './http/dashboard/listings.controller';
import { OAuthClientController } from './http/dashboard/oauth-client.controller';
import { WebhookController } from './http/dashboard/webhook.controller';
import { OverviewController } from './http/dashboard/overview.controller';
import { OwnersController } from './http/dashboard/owners.controller';
import { ProjectionsController } from './http/dashboard/projections.controller';
import { SecretsController } from './http/dashboard/secrets.controller';
import { SessionController } from './http/dashboard/session.controller';
import { SettingsController } from './http/dashboard/settings.controller';
import { StorageController } from './http/dashboard/storage.controller';
import { ConnectionController } from './http/listings/connection.controller';
import { FeedSettingsController } from './http/listings/feed-settings.controller';
import { DiagnosticsController as ListingsDiagnosticsController } from './http/listings/diagnostics.controller';
import { SyncController } from './http/listings/sync.controller';
import { FeedController } from './http/listings/feed.controller';
import { SyncSettingsController } from './http/listings/sync-settings.controller';
import { DevicesController } from './http/management/devices.controller';
import { ApiKeysController } from './http/management/api-keys.controller';
import { AppsController } from './http/management/apps.controller';
import { BuildsController } from './http/management/builds.controller';
import { HistoryController } from './http/management/history.controller';
import { JobsController } from './http/management/jobs.controller';
import { KeystoreController } from './http/management/keystore.controller';
import { SigningKeyController } from './http/management/signing-key.controller';
import { TokenController } from './http/management/token.controller';
import { AppHistory } from './http/app-history';
import { DevicePlane } from './http/device-plane';
import { EventStreams } from './http/event-streams';
import { Idempotency } from './http/idempotency';
import { Limits } from './http/limits';
import { DescriptionsController } from './http/openapi/descriptions.controller';
import { Sessions } from './http/sessions';
import { StorageLimit } from './http/storage-limit';
import { TokenUse } from './http/token-usage';
import { Uploads } from './http/uploads';
import { AccessIndex } from './projections/access-index';
import { Changes } from './projections/changes';

/** The management, dashboard and listings-ads planes: who may do what, and where it is done. */
@Module({
  controllers: [
    TokenController,
    AppsController,
    BuildsController,
    HistoryController,
    DevicesController,
    JobsController,
    ApiKeysController,
    SigningKeyController,
    KeystoreController,
    SessionController,
    OverviewController,
    OwnersController,
    SettingsController,
    StorageController,
    OwnedAppsController,
    AccessTokensController,
    ListingsController,
    OAuthClientController,
    WebhookController,
    SecretsController,
    ProjectionsController,
    DiagnosticsController,
    EventsController,
    ConnectionController,
    FeedSettingsController,
    FeedController,
    SyncSettingsController,
    SyncController,
    ListingsDiagnosticsController,
    DescriptionsController,
  ],
  providers: [
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
