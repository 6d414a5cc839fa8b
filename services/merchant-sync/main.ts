import { runProcess } from '@sluice/service-host';
import { merchantSync } from './merchant-sync.service';

void runProcess({ name: 'merchant-sync', services: [merchantSync] });
