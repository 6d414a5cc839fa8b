import { runProcess } from '@sluice/engines';
import { merchantSync } from './merchant-sync.service';

void runProcess({ name: 'merchant-sync', services: [merchantSync] });
