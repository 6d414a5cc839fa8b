import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { type DocumentStore, PROJECTIONS, type Projections, READ_STORE, STATE_STORE } from '@sluice/document-store';
import { CLOCK, type Clock, REPORT, type Report } from '@sluice/engines';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { Diagnoses } from './application/diagnoses';
import { GetDiagnosticsHandler } from './application/get-diagnostics.handler';
import { GetOverviewHandler } from './application/get-overview.handler';
import { GetSyncLogHandler } from './application/get-sync-log.handler';
import { GetSyncStatusHandler } from './application/get-sync-status.handler';
import { ListMappingsHandler } from './application/list-mappings.handler';
import { ListSyncLogsHandler } from './application/list-sync-logs.handler';
import { ListedProducts } from './application/listed-products';
import { ListingMapper } from './application/listing-mapper';
import { MakeFeedHandler } from './application/make-feed.handler';
import { Mappings } from './application/mappings';
import { RepairHandler } from './application/repair.handler';
import { StartSyncHandler } from './application/start-sync.handler';
import { SyncLogs } from './application/sync-logs';
import { SyncController } from './rpc/sync.controller';
import { RunKeeper } from './runs/run-keeper';
import { SyncJobs } from './runs/sync-jobs';
import { Workplaces } from './runs/workplaces';
import { SETTINGS, type Settings } from '@sluice/config';
import { CompleteConnectHandler } from './application/complete-connect.handler';
import { ConnectHandler } from './application/connect.handler';
import { ConnectionChecks } from './application/connection-checks';
import { SealedTokens } from './application/connection-tokens';
import { Connections } from './application/connections';
import { DisconnectHandler } from './application/disconnect.handler';
import { GetAccountHandler } from './application/get-account.handler';
import { GetConnectionHandler } from './application/get-connection.handler';
import { GetFeedSettingsHandler } from './application/get-feed-settings.handler';
import { GetModuleHandler } from './application/get-module.handler';
import { GetSyncSettingsHandler } from './application/get-sync-settings.handler';
import { ForgetOAuthClientHandler } from './application/forget-oauth-client.handler';
import { GetOAuthClientHandler } from './application/get-oauth-client.handler';
import { OAuthClient } from './application/oauth-client';
import { SavedOAuthClient } from './application/saved-oauth-client';
import { SaveOAuthClientHandler } from './application/save-oauth-client.handler';
import { OAuthStates } from './application/oauth-states';
import { PreviewFeedHandler } from './application/preview-feed.handler';
import { RequireModuleHandler } from './application/require-module.handler';
import { Revocations } from './application/revocations';
import { SaveFeedSettingsHandler } from './application/save-feed-settings.handler';
import { SaveSyncSettingsHandler } from './application/save-sync-settings.handler';
import { FIRST_VALUES, SavedSettings } from './application/saved-settings';
import { SetModuleHandler } from './application/set-module.handler';
import type { ListingsModule, Merchant } from './domain/merchant';
import { ClearDeadLettersHandler } from './application/clear-dead-letters.handler';
import { DeleteWebhookHandler } from './application/delete-webhook.handler';
import { GetWebhookHandler } from './application/get-webhook.handler';
import { ListDeadLettersHandler } from './application/list-dead-letters.handler';
import { ResendDeadLettersHandler } from './application/resend-dead-letters.handler';
import { SaveWebhookHandler } from './application/save-webhook.handler';
import { WebhookDeliveries } from './application/webhook-deliveries';
import { Webhooks } from './application/webhooks';
import { FeedSweep } from './processes/feed-sweep';
import { Hooks } from './processes/hooks';
import { WebhookDeliverer } from './processes/webhook-deliverer';
import { openRemoteCatalog } from './remotes/open-remote-catalog';
import { REMOTE_CATALOG } from './remotes/remote-catalog';
import { openProductSource } from './sources/open-product-source';
import { PRODUCT_SOURCE } from './sources/product-source';
import { ConnectionController } from './rpc/connection.controller';
import { FeedController } from './rpc/feed.controller';
import { MerchantSyncController } from './rpc/merchant-sync.controller';
import { OAuthClientController } from './rpc/oauth-client.controller';
import { WebhookController } from './rpc/webhook.controller';

@Module({
  imports: [CqrsModule],
  controllers: [
    ConnectionController,
    FeedController,
    MerchantSyncController,
    OAuthClientController,
    SyncController,
    WebhookController,
  ],
  providers: [
    CompleteConnectHandler,
    ConnectHandler,
    DisconnectHandler,
    GetAccountHandler,
    GetConnectionHandler,
    GetFeedSettingsHandler,
    GetModuleHandler,
    GetSyncSettingsHandler,
    RequireModuleHandler,
    SaveFeedSettingsHandler,
    SaveSyncSettingsHandler,
    SetModuleHandler,
    SavedSettings,
    SealedTokens,
    OAuthClient,
    SavedOAuthClient,
    GetOAuthClientHandler,
    SaveOAuthClientHandler,
    ForgetOAuthClientHandler,
    OAuthStates,
    Connections,
    ConnectionChecks,
    Revocations,
    GetOverviewHandler,
    GetSyncLogHandler,
    GetSyncStatusHandler,
    ListMappingsHandler,
    ListSyncLogsHandler,
    StartSyncHandler,
    GetDiagnosticsHandler,
    Diagnoses,
    RepairHandler,
    Mappings,
    SyncLogs,
    ListedProducts,
    ListingMapper,
    PreviewFeedHandler,
    MakeFeedHandler,
    FeedSweep,
    GetWebhookHandler,
    SaveWebhookHandler,
    DeleteWebhookHandler,
    ListDeadLettersHandler,
    ResendDeadLettersHandler,
    ClearDeadLettersHandler,
    Webhooks,
    WebhookDeliveries,
    WebhookDeliverer,
    Hooks,
    Workplaces,
    {
      provide: RunKeeper,
      inject: [COMMANDS, READ_STORE, STATE_STORE, PROJECTIONS, CLOCK, SETTINGS, FIRST_VALUES, Workplaces, REPORT],
      useFactory: (
        commands: CommandHandling,
        readStore: DocumentStore,
        state: DocumentStore,
        projections: Projections,
        clock: Clock,
        settings: Settings,
        firstValues: ListingsModule,
        workplaces: Workplaces,
        report: Report,
      ) => {
        const workplace = (merchant: Merchant, signal: AbortSignal) => workplaces.open(merchant, signal);
        const stores = { commands, readStore, state, projections };
        return new RunKeeper({ ...stores, clock, settings, firstValues, workplace, report });
      },
    },
    SyncJobs,
    { provide: REMOTE_CATALOG, inject: [SETTINGS], useFactory: openRemoteCatalog },
    { provide: PRODUCT_SOURCE, inject: [SETTINGS], useFactory: openProductSource },
    {
      provide: FIRST_VALUES,
      inject: [SETTINGS],
      useFactory: ({ moduleEnabledListingsAds, entitlements }: Settings): ListingsModule => ({
        enabled: moduleEnabledListingsAds,
        entitled: entitlements.includes('listings_ads'),
      }),
    },
  ],
})
export class MerchantSyncModule {}
