import { runProcess } from '@sluice/service-host';
import { gateway } from './gateway.service';

void runProcess({ name: 'gateway', services: [gateway] });
