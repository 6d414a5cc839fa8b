import { runProcess } from '@sluice/service-host';
import { registry } from './registry.service';

void runProcess({ name: 'registry', services: [registry] });
