import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { PROJECTIONS, type Projections, ReadStore, StateStore } from '@sluice/document-store';
import { CLOCK, type Clock, REPORT, type Report } from '@sluice/engines';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { Diagnoses } from './application/diagnostics/diagnoses';
import { GetDiagnostics, GetDiagnosticsHandler } from './application/diagnostics/get-diagnostics.handler';
import { GetOverview, GetOverviewHandler } from './application/mappings/get-overview.handler';
import { GetSyncLog, GetSyncLogHandler } from './application/runs/get-sync-log.handler';
import { GetSyncStatus, GetSyncStatusHandler } from './application/runs/get-sync-status.handler';
import { ListMappings, ListMappingsHandler } from './application/mappings/list-mappings.handler';
import { ListSyncLogs, ListSyncLogsHandler } from './application/runs/list-sync-logs.handler';
import { ListedProducts } from './application/products/listed-products';
import { ListingMapper } from './application/products/listing-mapper';
import { MakeFeed, MakeFeedHandler } from './application/feed/make-feed.handler';
import { Mappings } from './application/mappings/mappings';
import { RepairListings, RepairHandler } from './application/diagnostics/repair.handler';
import { StartSync, StartSyncHandler } from './application/runs/start-sync.handler';
import { SyncLogs } from './application/runs/sync-logs';
import { SyncRunWorker } from './runs/sync-run-worker';
import { SyncJobs } from './runs/sync-jobs';
import { SyncContextFactory } from './runs/sync-context';
import { SETTINGS, type Settings } from '@sluice/config';
import { serveCalls } from '@sluice/messaging';
import { CompleteConnect, CompleteConnectHandler } from './application/connection/complete-connect.handler';
import { Connect, ConnectHandler } from './application/connection/connect.handler';
import { ConnectionChecks } from './application/connection/connection-checks';
import { SealedTokens } from './application/connection/connection-tokens';
import { Connections } from './application/connection/connections';
import { Disconnect, DisconnectHandler } from './application/connection/disconnect.handler';
import { GetAccount, GetAccountHandler } from './application/connection/get-account.handler';
import { GetConnection, GetConnectionHandler } from './application/connection/get-connection.handler';
import { GetFeedSettings, GetFeedSettingsHandler } from './application/settings/get-feed-settings.handler';
import { GetModule, GetModuleHandler } from './application/module/get-module.handler';
import { GetSyncSettings, GetSyncSettingsHandler } from './application/settings/get-sync-settings.handler';
import { ForgetOAuthClient, ForgetOAuthClientHandler } from './application/oauth-client/forget-oauth-client.handler';
import { GetOAuthClient, GetOAuthClientHandler } from './application/oauth-client/get-oauth-client.handler';
import { OAuthClient } from './application/oauth-client/oauth-client';
import { SavedOAuthClient } from './application/oauth-client/saved-oauth-client';
import { SaveOAuthClient, SaveOAuthClientHandler } from './application/oauth-client/save-oauth-client.handler';
import { OAuthStates } from './application/connection/oauth-states';
import { PreviewFeed, PreviewFeedHandler } from './application/feed/preview-feed.handler';
import { RequireModule, RequireModuleHandler } from './application/module/require-module.handler';
import { Revocations } from './application/connection/revocations';
import { SaveFeedSettings, SaveFeedSettingsHandler } from './application/settings/save-feed-settings.handler';
import { SaveSyncSettings, SaveSyncSettingsHandler } from './application/settings/save-sync-settings.handler';
import { FIRST_VALUES, SavedSettings } from './application/settings/saved-settings';
import { SetModule, SetModuleHandler } from './application/module/set-module.handler';
import type { ListingsModule, Merchant } from './domain/merchant';
import { ClearDeadLetters, ClearDeadLettersHandler } from './application/webhook/clear-dead-letters.handler';
import { DeleteWebhook, DeleteWebhookHandler } from './application/webhook/delete-webhook.handler';
import { GetWebhook, GetWebhookHandler } from './application/webhook/get-webhook.handler';
import { ListDeadLetters, ListDeadLettersHandler } from './application/webhook/list-dead-letters.handler';
import { ResendDeadLetters, ResendDeadLettersHandler } from './application/webhook/resend-dead-letters.handler';
import { SaveWebhook, SaveWebhookHandler } from './application/webhook/save-webhook.handler';
import { WebhookDeliveries } from './application/webhook/webhook-deliveries';
import { Webhooks } from './application/webhook/webhooks';
import { FeedSweep } from './processes/feed-sweep';
import { Hooks } from './processes/hooks';
import { WebhookDeliverer } from './processes/webhook-deliverer';
import { openRemoteCatalog } from './remotes/open-remote-catalog';
import { REMOTE_CATALOG } from './remotes/remote-catalog';
import { openProductSource } from './sources/open-product-source';
import { PRODUCT_SOURCE } from './sources/product-source';

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
        settings: Settings,
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
      useFactory: ({ moduleEnabledListingsAds, entitlements }: Settings): ListingsModule => ({
        enabled: moduleEnabledListingsAds,
        entitled: entitlements.includes('listings_ads'),
      }),
    },
  ],
})
export class MerchantSyncModule {}
