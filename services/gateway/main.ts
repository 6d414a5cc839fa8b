import { runProcess } from '@sluice/engines';
import { gateway } from './gateway.service';

void runProcess({ name: 'gateway', services: [gateway] });
