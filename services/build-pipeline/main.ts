import { runProcess } from '@sluice/service-host';
import { buildPipeline } from './build-pipeline.service';

void runProcess({ name: 'build-pipeline', services: [buildPipeline] });
