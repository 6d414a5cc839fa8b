import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { ReadStore, StateStore } from '@sluice/document-store';
import { CLOCK, type Clock, REPORT, type Report } from '@sluice/service-host';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { Diagnoses } from './diagnostics/diagnoses';
import { GetDiagnostics, GetDiagnosticsHandler } from './diagnostics/get-diagnostics.handler';
import { GetOverview, GetOverviewHandler } from './mappings/get-overview.handler';
import { GetSyncLog, GetSyncLogHandler } from './runs/get-sync-log.handler';
import { GetSyncStatus, GetSyncStatusHandler } from './runs/get-sync-status.handler';
import { ListMappings, ListMappingsHandler } from './mappings/list-mappings.handler';
import { ListSyncLogs, ListSyncLogsHandler } from './runs/list-sync-logs.handler';
import { ListedProducts } from './products/listed-products';
import { ListingMapper } from './products/listing-mapper';
import { MakeFeed, MakeFeedHandler } from './feed/make-feed.handler';
import { Mappings } from './mappings/mappings';
import { RepairListings, RepairHandler } from './diagnostics/repair.handler';
import { StartSync, StartSyncHandler } from './runs/start-sync.handler';
import { SyncLogs } from './runs/sync-logs';
import { SyncRunWorker } from './runs/sync-run-worker';
import { SyncJobs } from './runs/sync-jobs';
import { SyncContextFactory } from './runs/sync-context';
import { SETTINGS } from '@sluice/config';
import { serveCalls } from '@sluice/messaging';
import { CompleteConnect, CompleteConnectHandler } from './connection/complete-connect.handler';
import { Connect, ConnectHandler } from './connection/connect.handler';
import { ConnectionChecks } from './connection/connection-checks';
import { SealedTokens } from './connection/connection-tokens';
import { Connections } from './connection/connections';
import { Disconnect, DisconnectHandler } from './connection/disconnect.handler';
import { GetAccount, GetAccountHandler } from './connection/get-account.handler';
import { GetConnection, GetConnectionHandler } from './connection/get-connection.handler';
import { GetFeedSettings, GetFeedSettingsHandler } from './settings/get-feed-settings.handler';
import { GetModule, GetModuleHandler } from './module/get-module.handler';
import { GetSyncSettings, GetSyncSettingsHandler } from './settings/get-sync-settings.handler';
import { ForgetOAuthClient, ForgetOAuthClientHandler } from './oauth-client/forget-oauth-client.handler';
import { GetOAuthClient, GetOAuthClientHandler } from './oauth-client/get-oauth-client.handler';
import { OAuthClient } from './oauth-client/oauth-client';
import { SavedOAuthClient } from './oauth-client/saved-oauth-client';
import { SaveOAuthClient, SaveOAuthClientHandler } from './oauth-client/save-oauth-client.handler';
import { OAuthStates } from './connection/oauth-states';
import { PreviewFeed, PreviewFeedHandler } from './feed/preview-feed.handler';
import { RequireModule, RequireModuleHandler } from './module/require-module.handler';
import { Revocations } from './connection/revocations';
import { SaveFeedSettings, SaveFeedSettingsHandler } from './settings/save-feed-settings.handler';
import { SaveSyncSettings, SaveSyncSettingsHandler } from './settings/save-sync-settings.handler';
import { FIRST_VALUES, SavedSettings } from './settings/saved-settings';
import { SetModule, SetModuleHandler } from './module/set-module.handler';
import type { ListingsModule, Merchant } from './settings/domain/merchant';
import { ClearDeadLetters, ClearDeadLettersHandler } from './webhook/clear-dead-letters.handler';
import { DeleteWebhook, DeleteWebhookHandler } from './webhook/delete-webhook.handler';
import { GetWebhook, GetWebhookHandler } from './webhook/get-webhook.handler';
import { ListDeadLetters, ListDeadLettersHandler } from './webhook/list-dead-letters.handler';
import { ResendDeadLetters, ResendDeadLettersHandler } from './webhook/resend-dead-letters.handler';
import { SaveWebhook, SaveWebhookHandler } from './webhook/save-webhook.handler';
import { WebhookDeliveries } from './webhook/webhook-deliveries';
import { Webhooks } from './webhook/webhooks';
import { FeedSweep } from './feed/feed-sweep';
import { Hooks } from './webhook/hooks';
import { WebhookDeliverer } from './webhook/webhook-deliverer';
import { openRemoteCatalog } from './remotes/open-remote-catalog';
import { REMOTE_CATALOG } from './remotes/remote-catalog';
import { openProductSource } from './sources/open-product-source';
import { PRODUCT_SOURCE } from './sources/product-source';
import type { MerchantSyncSettings } from './config/merchant-sync.settings';

@Module({
  imports: [CqrsModule],
  controllers: [
    serveCalls(
      Connect,
      CompleteConnect,
      Disconnect,
      GetConnection,
      GetAccount,
      GetDiagnostics,
      RepairListings,
      PreviewFeed,
      MakeFeed,
      ListMappings,
      GetOverview,
      RequireModule,
      GetModule,
      SetModule,
      GetOAuthClient,
      SaveOAuthClient,
      ForgetOAuthClient,
      StartSync,
      GetSyncStatus,
      ListSyncLogs,
      GetSyncLog,
      GetFeedSettings,
      SaveFeedSettings,
      GetSyncSettings,
      SaveSyncSettings,
      GetWebhook,
      SaveWebhook,
      DeleteWebhook,
      ListDeadLetters,
      ResendDeadLetters,
      ClearDeadLetters,
    ),
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
    SyncContextFactory,
    {
      provide: SyncRunWorker,
      inject: [COMMANDS, ReadStore, StateStore, PROJECTIONS, CLOCK, SETTINGS, FIRST_VALUES, SyncContextFactory, REPORT],
      useFactory: (
        commands: CommandHandling,
        readStore: ReadStore,
        state: StateStore,
        projections: Projections,
        clock: Clock,
        settings: MerchantSyncSettings,
        firstValues: ListingsModule,
        syncContexts: SyncContextFactory,
        report: Report,
      ) => {
        const syncContext = (merchant: Merchant, signal: AbortSignal) => syncContexts.open(merchant, signal);
        const stores = { commands, readStore, state, projections };
        return new SyncRunWorker({ ...stores, clock, settings, firstValues, syncContext, report });
      },
    },
    SyncJobs,
    { provide: REMOTE_CATALOG, inject: [SETTINGS], useFactory: openRemoteCatalog },
    { provide: PRODUCT_SOURCE, inject: [SETTINGS], useFactory: openProductSource },
    {
      provide: FIRST_VALUES,
      inject: [SETTINGS],
      useFactory: ({ moduleEnabledListingsAds, entitlements }: MerchantSyncSettings): ListingsModule => ({
        enabled: moduleEnabledListingsAds,
        entitled: entitlements.includes('listings_ads'),
      }),
    },
  ],
})
export class MerchantSyncModule {}
