import type { ServiceDefinition } from '@sluice/engines';
import { projections } from './projections';
import { history } from './projections/history';
import { KeysModule } from './keys.module';

export const keys: ServiceDefinition = {
  name: 'keys',
  module: KeysModule,
  needs: ['events', 'readStore', 'stateStore', 'objects', 'vault'],
  projections,
  history,
};
