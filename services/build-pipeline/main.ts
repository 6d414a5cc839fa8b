import { runProcess } from '@sluice/service-host';
import { readSettings } from '../config/settings';
import { buildPipeline } from './build-pipeline.service';

void runProcess({ name: 'build-pipeline', readSettings, services: [buildPipeline] });
