import type { ServiceDefinition } from '@sluice/engines';
import { projections } from './projections';
import { history } from './projections/apps.history';
import { RegistryModule } from './registry.module';

export const registry: ServiceDefinition = {
  name: 'registry',
  module: RegistryModule,
  needs: ['events', 'readStore', 'stateStore', 'vault'],
  projections,
  history,
};
