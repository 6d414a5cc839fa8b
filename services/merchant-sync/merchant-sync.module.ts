import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { SETTINGS, type Settings } from '@sluice/config';
import { GetFeedSettingsHandler } from './application/get-feed-settings.handler';
import { GetModuleHandler } from './application/get-module.handler';
import { GetSyncSettingsHandler } from './application/get-sync-settings.handler';
import { RequireModuleHandler } from './application/require-module.handler';
import { SaveFeedSettingsHandler } from './application/save-feed-settings.handler';
import { SaveSyncSettingsHandler } from './application/save-sync-settings.handler';
import { FIRST_VALUES, SavedSettings } from './application/saved-settings';
import { SetModuleHandler } from './application/set-module.handler';
import type { ListingsModule } from './domain/merchant';
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
