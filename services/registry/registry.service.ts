import type { ServiceDefinition } from '@sluice/service-host';
import { projections } from './projections';
import { history } from './apps/apps.history';
import { RegistryModule } from './registry.module';

export const registry: ServiceDefinition = {
  name: 'registry',
  module: RegistryModule,
  needs: ['events', 'readStore', 'stateStore', 'vault'],
  projections,
  history,
};
