import { runProcess } from '@sluice/service-host';
import { readSettings } from '../config/settings';
import { merchantSync } from './merchant-sync.service';

void runProcess({ name: 'merchant-sync', readSettings, services: [merchantSync] });
