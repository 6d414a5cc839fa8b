import type { ServiceDefinition } from '@sluice/engines';
import { projections } from './projections';
import { history } from './projections/builds.history';
import { BuildPipelineModule } from './build-pipeline.module';

export const buildPipeline: ServiceDefinition = {
  name: 'build-pipeline',
  module: BuildPipelineModule,
  needs: ['events', 'readStore', 'stateStore', 'objects'],
  projections,
  history,
};
