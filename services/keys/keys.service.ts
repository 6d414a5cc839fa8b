import type { ServiceDefinition } from '@sluice/engines';
import { projections } from './projections';
import { KeysModule } from './keys.module';

export const keys: ServiceDefinition = { name: 'keys', module: KeysModule, projections };
