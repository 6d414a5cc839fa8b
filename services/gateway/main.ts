import { runProcess } from '@sluice/service-host';
import { readSettings } from '../config/settings';
import { gateway } from './gateway.service';

void runProcess({ name: 'gateway', readSettings, services: [gateway] });
