import { runProcess } from '@sluice/engines';
import { registry } from './registry.service';

void runProcess({ name: 'registry', services: [registry] });
