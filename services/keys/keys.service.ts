import type { ServiceDefinition } from '@sluice/service-host';
import { projections } from './projections';
import { history } from './history';
import { KeysModule } from './keys.module';

export const keys: ServiceDefinition = {
  name: 'keys',
  module: KeysModule,
  needs: ['events', 'readStore', 'stateStore', 'objects', 'vault'],
  projections,
  history,
};
