import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { SETTINGS, type Settings } from '@sluice/config';
import { SealedTokens } from './application/connection-tokens';
import { Connections } from './application/connections';
import { GetFeedSettingsHandler } from './application/get-feed-settings.handler';
import { GetModuleHandler } from './application/get-module.handler';
import { GetSyncSettingsHandler } from './application/get-sync-settings.handler';
import { OAuthClient } from './application/oauth-client';
import { RequireModuleHandler } from './application/require-module.handler';
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
import { MerchantSyncController } from './rpc/merchant-sync.controller';

@Module({
  imports: [CqrsModule],
  controllers: [MerchantSyncController],
  providers: [
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
    Connections,
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
