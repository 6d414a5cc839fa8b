import { runProcess } from '@sluice/service-host';
import { readSettings } from '../config/settings';
import { registry } from './registry.service';

void runProcess({ name: 'registry', readSettings, services: [registry] });
