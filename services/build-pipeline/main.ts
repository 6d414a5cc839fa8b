import { runProcess } from '@sluice/engines';
import { buildPipeline } from './build-pipeline.service';

void runProcess({ name: 'build-pipeline', services: [buildPipeline] });
