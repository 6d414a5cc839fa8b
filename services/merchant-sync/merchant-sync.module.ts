import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { PROJECTIONS } from '@sluice/projections';
import { ReadStore, StateStore } from '@sluice/document-store';
import { CLOCK, LOGGER, provide } from '@sluice/service-host';
import { COMMANDS } from '@sluice/event-store';
import { ConnectionHandlers } from './connection/connection.handlers';
import { FeedHandlers } from './feed/feed.handlers';
import { GateWebhooks } from './gates/gate-webhooks';
import { Diagnoses } from './diagnostics/diagnoses';
import { ListingMapper } from './products/listing-mapper';
import { Mappings } from './mappings/mappings';
import { RunStarts } from './runs/run-starts';
import { SyncLogs } from './runs/sync-logs';
import { SyncRunWorker } from './runs/sync-run-worker';
import { SyncSchedule } from './runs/sync-schedule';
import { SyncContextFactory } from './runs/sync-context';
import { SETTINGS } from '@sluice/config';
import { serveHandlers } from '@sluice/messaging';
import { ConnectionChecks } from './diagnostics/connection-checks';
import { SealedTokens } from './connection/connection-tokens';
import { Connections } from './connection/connections';
import { OAuthClient } from './oauth-client/oauth-client';
import { SavedOAuthClient } from './oauth-client/saved-oauth-client';
import { OAuthStates } from './connection/oauth-states';
import { Revocations } from './connection/revocations';
import { FIRST_VALUES, SavedSettings } from './settings/saved-settings';
import type { ListingsModule } from './settings/domain/merchant';
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

const { controllers, providers } = serveHandlers(
  SavedSettings,
  SavedOAuthClient,
  ConnectionHandlers,
  Diagnoses,
  FeedHandlers,
  Mappings,
  SyncLogs,
  RunStarts,
  Webhooks,
  WebhookDeliveries,
  GateWebhooks,
);

@Module({
  imports: [CqrsModule],
  controllers,
  providers: [
    ...providers,
    SealedTokens,
    OAuthClient,
    OAuthStates,
    Connections,
    ConnectionChecks,
    Revocations,
    ListingMapper,
    FeedSweep,
    WebhookDeliverer,
    Hooks,
    SyncContextFactory,
    provide(SyncRunWorker, {
      ...{ commands: COMMANDS, readStore: ReadStore, state: StateStore, projections: PROJECTIONS, clock: CLOCK },
      ...{ settings: SETTINGS, firstValues: FIRST_VALUES, syncContexts: SyncContextFactory, logger: LOGGER },
    }),
    provide(SyncSchedule, {
      ...{ commands: COMMANDS, readStore: ReadStore, clock: CLOCK, firstValues: FIRST_VALUES },
      ...{ remote: REMOTE_CATALOG, starts: RunStarts, settings: SETTINGS, logger: LOGGER },
    }),
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
