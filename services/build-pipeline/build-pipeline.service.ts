import type { ServiceDefinition } from '@sluice/service-host';
import { projections } from './projections';
import { history } from './builds/builds.history';
import { BuildPipelineModule } from './build-pipeline.module';

export const buildPipeline: ServiceDefinition = {
  name: 'build-pipeline',
  module: BuildPipelineModule,
  needs: ['events', 'readStore', 'stateStore', 'objects'],
  projections,
  history,
};
