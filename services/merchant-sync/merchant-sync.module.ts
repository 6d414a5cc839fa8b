import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
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
import { OAuthClient } from './application/oauth-client';
import { OAuthStates } from './application/oauth-states';
import { RequireModuleHandler } from './application/require-module.handler';
import { Revocations } from './application/revocations';
import { SaveFeedSettingsHandler } from './application/save-feed-settings.handler';
import { SaveSyncSettingsHandler } from './application/save-sync-settings.handler';
import { FIRST_VALUES, SavedSettings } from './application/saved-settings';
import { SetModuleHandler } from './application/set-module.handler';
import type { ListingsModule } from './domain/merchant';
import { openRemoteCatalog } from './remotes/open-remote-catalog';
import { REMOTE_CATALOG } from './remotes/remote-catalog';
import { openProductSource } from './sources/open-product-source';
import { PRODUCT_SOURCE } from './sources/product-source';
import { ListingMapper } from './application/listing-mapper';
import { ConnectionController } from './rpc/connection.controller';
import { MerchantSyncController } from './rpc/merchant-sync.controller';

@Module({
  imports: [CqrsModule],
  controllers: [ConnectionController, MerchantSyncController],
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
    OAuthStates,
    Connections,
    ConnectionChecks,
    Revocations,
    { provide: REMOTE_CATALOG, inject: [SETTINGS], useFactory: openRemoteCatalog },
    ListingMapper,
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
