import type { ServiceDefinition } from '@sluice/service-host';
import { projections } from './projections';
import { MerchantSyncModule } from './merchant-sync.module';

export const merchantSync: ServiceDefinition = {
  name: 'merchant-sync',
  module: MerchantSyncModule,
  needs: ['events', 'readStore', 'stateStore', 'objects', 'vault'],
  projections,
};
